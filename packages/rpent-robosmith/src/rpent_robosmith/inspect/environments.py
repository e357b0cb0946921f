"""Environments: catalog entries and Gymnasium ids by making and stepping them in a worker, robots from their data."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from rpent.errors import RpentError

from rpent_robosmith.inspect.api import ArtefactFacts, Inspector, local
from rpent_robosmith.inspect.robots import PREFIX, inspect_robot
from rpent_robosmith.inspect.spaces import ACTION, features

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rpent_robosmith.catalog.entry import EnvEntry
    from rpent_robosmith.facts import EnvFacts
    from rpent_robosmith.work.api import Bench

INSPECT_JOB = "rpent_robosmith.worker.jobs.inspect:run"
_SAMPLES_JOB = "rpent_robosmith.worker.jobs.samples:run"
_MINUTE_S = 60.0
_SILENCE_S = 5 * _MINUTE_S
"""A simulator may take minutes to be made the first time."""
_VERSION = re.compile(r"^(?P<base>.+)-v(?P<version>\d+)$")


class EnvironmentInspector(Inspector):
    """Makes an environment, steps it, and reads its spaces."""

    def recognises(self, artefact: str) -> bool:
        """Whether it is `robot:NAME`, the id of a catalog entry, or could be a Gymnasium id."""
        if artefact.startswith(PREFIX):
            return True
        if local(artefact) is not None:
            return False
        return entry_of(artefact) is not None

    def inspect(self, artefact: str, *, samples: int = 0) -> ArtefactFacts:
        """Return what it gives and takes."""
        if artefact.startswith(PREFIX):
            return inspect_robot(artefact.removeprefix(PREFIX))
        from rpent_robosmith.catalog.load import find  # noqa: PLC0415

        entry = find(artefact)
        bench = self.bench or default_bench()
        found = facts_of(artefact, entry, inspect_entry(entry, bench))
        if samples:
            details = {**found.details, "samples": samples_of(entry, bench, samples)}
            found = found.model_copy(update={"details": details})
        return found


def entry_of(name: str) -> EnvEntry | None:
    """Return the catalog entry of a name, or one made up for a Gymnasium id; None for anything else."""
    from rpent_robosmith.catalog.load import find  # noqa: PLC0415

    try:
        return find(name)
    except RpentError:
        return None


def default_bench() -> Bench:
    """Return a bench of processes on this machine."""
    from rpent_robosmith.work.bench import ProcessBench  # noqa: PLC0415

    return ProcessBench()


def inspect_entry(entry: EnvEntry, bench: Bench) -> EnvFacts:
    """Return an environment's facts, from making and stepping it in a worker.

    Raises:
        WorkError: It cannot be made, or hangs.
        EnvironmentSetupError: Its framework is not installed.
    """
    from rpent_robosmith.facts import EnvFacts  # noqa: PLC0415

    answer = run_in(INSPECT_JOB, entry.model_dump(mode="json"), bench, {"seed": 0})
    return EnvFacts.model_validate(answer["facts"])


def samples_of(entry: EnvEntry, bench: Bench, count: int) -> list[dict[str, Any]]:
    """Return steps of an environment under random actions: `observation` and `action`, as it gives and takes them."""
    found: list[dict[str, Any]] = run_in(
        _SAMPLES_JOB, entry.model_dump(mode="json"), bench, {"count": count, "seed": 0}
    )["samples"]
    return found


def run_in(
    job: str,
    entry: Mapping[str, Any],
    bench: Bench,
    params: dict[str, Any],
    *,
    heard: Callable[[str, Mapping[str, Any]], None] | None = None,
) -> dict[str, Any]:
    """Run a job where an environment can be made.

    Args:
        job: Its import string.
        entry: The catalog entry, as plain data.
        bench: Runs it.
        params: Its other parameters.
        heard: Called with what it tells while it works.
    """
    from rpent_robosmith.catalog.entry import EnvEntry  # noqa: PLC0415
    from rpent_robosmith.work.api import Job, Limits  # noqa: PLC0415
    from rpent_robosmith.work.requirements import requirements  # noqa: PLC0415

    found = EnvEntry.model_validate(dict(entry))
    return bench.run(
        Job(
            run=job,
            params={"entry": dict(entry), **params},
            limits=Limits(wall_s=10 * _MINUTE_S, silence_s=_SILENCE_S),
            label=f"inspect {found.id}",
            **requirements(found).fields(),
        ),
        heard,
    )


def facts_of(artefact: str, entry: EnvEntry, seen: EnvFacts) -> ArtefactFacts:
    """Return an environment's facts in the shape of all artefacts."""
    observation, bare = features(seen.observation, seen.observation_numbers)
    action, _ = features(seen.action, {"": seen.action_numbers}, bare_name=ACTION)
    version = _VERSION.match(seen.env_id)
    return ArtefactFacts(
        kind="environment",
        id=artefact,
        format="rpent-served" if seen.adapter == "rpent" else "gymnasium",
        observation=observation,
        bare=bare,
        action=action,
        control_rate_hz=seen.control_rate_hz,
        language=False,
        robot=entry.robot_model,
        max_episode_steps=seen.max_episode_steps,
        success_field=entry.success.signal if seen.has_success_signal else None,
        versions={**seen.versions, **({"environment": f"v{version['version']}"} if version else {})},
        notes=seen.notes,
        details={
            "entry": entry.model_dump(mode="json"),
            "environment": seen.env_id,
            "adapter": seen.adapter,
            "kwargs": dict(entry.kwargs),
            "success": entry.success.model_dump(mode="json"),
            "deterministic": seen.deterministic,
            "reward_range": seen.reward_range,
            "render_modes": list(seen.render_modes),
            "info_keys": list(seen.info_keys),
        },
    )
