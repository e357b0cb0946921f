"""Executing a generated wrapper with the real policy in a sealed worker, and judging what it did."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from rpent.errors import RpentError

from rpent_robosmith.data import Data
from rpent_robosmith.inspect.policies import lerobot, robosmith
from rpent_robosmith.integrate.places import requirements_of
from rpent_robosmith.integrate.samples import own_samples
from rpent_robosmith.work.api import Job, Limits

if TYPE_CHECKING:
    from collections.abc import Mapping as AnyMapping

    from rpent_robosmith.compatibility.report import Mapping
    from rpent_robosmith.inspect.api import ArtefactFacts
    from rpent_robosmith.work.api import Bench

_JOB = "rpent_robosmith.worker.jobs.validate:run"
OWN_SAMPLES = 4


class StageSeen(Data):
    """A part of the validation."""

    name: str
    """`load`, `policy` (inputs of its own kind), `target` (observations of the target); then `environment` (actions
    are carried out), `bounds` (against a robot's declaration), or `records` (against a dataset's)."""
    count: int
    ok: bool
    error: str = ""
    kind: str = ""
    """The exception's name."""


class Validation(Data):
    """What was seen when the wrapper was executed."""

    status: Literal["passed", "failed", "refused"]
    """`refused`: the wrapper itself said that something has no counterpart, or another shape."""
    stages: tuple[StageSeen, ...]
    samples: str
    """Where the target's samples come from: `dataset`, `environment`, `declared` (made up)."""
    answer_shapes: tuple[tuple[int, ...], ...] = ()
    action_types: tuple[str, ...] = ()
    actions: int = 0
    action_low: tuple[float, ...] = ()
    action_high: tuple[float, ...] = ()
    """Extremes of the actions that it gave."""
    clipped: int = 0
    """Numbers that went beyond the target's bounds."""
    questions: int = 0
    recorded_error: tuple[float, ...] = ()
    """Of a dataset: mean absolute difference to the recorded actions, for each number."""
    recorded_spread: tuple[float, ...] = ()
    """Of a dataset: the deviation of the recorded actions."""
    caveats: tuple[str, ...] = ()
    """What this system could not forbid the sealed worker."""


def execute(
    policy: ArtefactFacts,
    source: str,
    mapping: Mapping,
    samples: list[dict[str, Any]],
    *,
    origin: str,
    bench: Bench,
) -> tuple[Validation, list[Any]]:
    """Run the wrapper on samples of both sides.

    Args:
        policy: The policy; its file is loaded in the worker, sealed.
        source: The text of `wrapper.py`.
        mapping: The content of `mapping.json`.
        samples: Steps of the target.
        origin: Where they come from.
        bench: Runs the job.

    Returns:
        What was seen, and the actions that came for the samples.

    Raises:
        EnvironmentSetupError: No interpreter has what the policy's format needs.
        WorkError: The worker hung, or was killed.
    """
    told = [each["instruction"] for each in samples if each["instruction"]]
    instruction = mapping.default_instruction or (told[0] if told else "")
    caveats: list[str] = []

    def heard(kind: str, data: AnyMapping[str, Any]) -> None:
        if kind == "sealed":
            caveats.extend(str(each) for each in data.get("caveats", ()))

    place = Path(policy.id).expanduser().absolute()
    answer = bench.run(
        Job(
            run=_JOB,
            params={
                "source": source,
                "mapping": mapping.model_dump(mode="json"),
                "policy": str(policy_path(policy)),
                "format": policy.format,
                "family": policy.algorithm or "",
                "contrib": requirements_of(policy).contrib,
                "readable": [str(place if place.is_dir() else place.parent)],
                "samples": [
                    {"observation": each["observation"], "instruction": each["instruction"]}
                    for each in samples
                ],
                "own": own_samples(policy, mapping, OWN_SAMPLES, instruction),
            },
            sealed=True,
            limits=Limits(wall_s=900, silence_s=600),
            label=f"validate the wrapper of {policy.format}",
            **requirements_of(policy).fields(),
        ),
        heard,
    )
    return _seen(answer, origin, tuple(dict.fromkeys(caveats))), list(answer["actions"])


def policy_path(policy: ArtefactFacts) -> Path:
    """Return the file or folder that the policy is loaded from."""
    path = Path(policy.id).expanduser().absolute()
    if policy.format == "lerobot":
        return lerobot.folder_of(path)
    return robosmith.folder_of(path) if policy.format == "robosmith" else path


def _seen(answer: AnyMapping[str, Any], origin: str, caveats: tuple[str, ...]) -> Validation:
    stages = tuple(StageSeen.model_validate(dict(stage)) for stage in answer["stages"])
    refused = any(stage.kind == "WrapperError" for stage in stages)
    rows = [_flat(action) for action in answer["actions"]]
    table = np.stack(rows) if rows else np.zeros((0, 0))
    return Validation(
        status="refused" if refused else "passed" if all(stage.ok for stage in stages) else "failed",
        stages=stages,
        samples=origin,
        answer_shapes=tuple(dict.fromkeys(tuple(int(n) for n in shape) for shape in answer["answers"])),
        action_types=tuple(dict.fromkeys(str(each) for each in answer["types"])),
        actions=len(rows),
        action_low=_tuple(table.min(axis=0)) if rows else (),
        action_high=_tuple(table.max(axis=0)) if rows else (),
        clipped=int(answer["clipped"]),
        questions=int(answer["asked"]),
        caveats=caveats,
    )


def _flat(action: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    if isinstance(action, dict):
        return np.concatenate([np.ravel(np.asarray(part, np.float64)) for part in action.values()])
    return np.ravel(np.asarray(action, np.float64))


def _tuple(values: Any) -> tuple[float, ...]:
    return tuple(round(float(value), 6) for value in values)


def against_records(seen: Validation, samples: list[dict[str, Any]], actions: list[Any]) -> Validation:
    """Compare the actions with those that the dataset recorded for the same observations."""
    if not actions or len(actions) != len(samples):
        return seen
    given = np.stack([_flat(action) for action in actions])
    recorded = np.stack([_flat(sample["action"]) for sample in samples])
    if given.shape != recorded.shape:
        stage = StageSeen(
            name="records",
            count=len(actions),
            ok=False,
            kind="shape",
            error=f"The actions have {given.shape[1]} numbers, the recorded ones {recorded.shape[1]}.",
        )
        return seen.model_copy(update={"status": "failed", "stages": (*seen.stages, stage)})
    return seen.model_copy(
        update={
            "recorded_error": _tuple(np.abs(given - recorded).mean(axis=0)),
            "recorded_spread": _tuple(recorded.std(axis=0)),
        }
    )


def in_environment(
    seen: Validation, entry: AnyMapping[str, Any], actions: list[Any], bench: Bench
) -> Validation:
    """Carry out the actions in the environment: each must be one of its action space.

    Args:
        seen: What was seen so far.
        entry: The catalog entry, as plain data.
        actions: Of the wrapper.
        bench: Runs the job.
    """
    from rpent_robosmith.inspect.environments import run_in  # noqa: PLC0415

    if not actions:
        return seen
    try:
        answer = run_in(
            "rpent_robosmith.worker.jobs.samples:step", entry, bench, {"actions": actions, "seed": 0}
        )
    except RpentError as error:
        return _with_stage(seen, len(actions), error.message, type(error).__name__)
    if answer["refused"]:
        return _with_stage(
            seen, len(actions), f"{answer['refused']} actions are not in the action space.", "space"
        )
    return _with_stage(seen, int(answer["steps"]), "", "")


def _with_stage(seen: Validation, count: int, error: str, kind: str, name: str = "environment") -> Validation:
    stage = StageSeen(name=name, count=count, ok=not error, error=error, kind=kind)
    status = "failed" if error else seen.status
    return seen.model_copy(update={"status": status, "stages": (*seen.stages, stage)})


def within_bounds(seen: Validation, target: ArtefactFacts) -> Validation:
    """Check the actions against the bounds that a robot declares."""
    low = [number for each in target.action.values() for number in each.low]
    high = [number for each in target.action.values() for number in each.high]
    if not seen.actions or len(low) != len(seen.action_low):
        return seen
    outside = sum(a < b - 1e-6 for a, b in zip(seen.action_low, low, strict=True))
    outside += sum(a > b + 1e-6 for a, b in zip(seen.action_high, high, strict=True))
    error = f"{outside} numbers go beyond the declared bounds." if outside else ""
    return _with_stage(seen, seen.actions, error, "bounds" if outside else "", name="bounds")
