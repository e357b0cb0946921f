"""`policy_rollout.mp4`: the delivered policy in the first episodes that it was judged by."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rpent.errors import RpentError

from rpent_robosmith.work.api import Job, Limits, WorkError
from rpent_robosmith.work.requirements import policy_requirements

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from rpent_robosmith.catalog.entry import EnvEntry
    from rpent_robosmith.workflow.workshop import Workshop

JOB = "rpent_robosmith.worker.jobs.record:run"
EPISODES = 3
MAX_FRAMES = 2_000
RENDERERS = ("egl", "osmesa")
"""Tried in this order where the user names none (`MUJOCO_GL`) and there is no display."""
_WALL_S = 600.0


@dataclass(frozen=True, slots=True)
class Film:
    """A film, or why there is none."""

    data: bytes | None
    seeds: tuple[int, ...] = ()
    problem: str = ""
    hint: str = ""


def film(entry: EnvEntry, policy: Path, seeds: Sequence[int], workshop: Workshop) -> Film:
    """Film a policy; whatever goes wrong is returned, and never raised."""
    problem: RpentError | None = None
    for variables in _renderers():
        try:
            result = workshop.bench.run(_job(entry, policy, seeds, variables), _heard(workshop))
            return Film(bytes(result["film"]), tuple(seeds))
        except WorkError as error:
            problem = problem or error
        except (RpentError, OSError) as error:
            return Film(
                None, problem=getattr(error, "message", str(error)), hint=getattr(error, "hint", None) or ""
            )
    assert problem is not None
    return Film(None, problem=problem.message, hint=problem.hint or "")


def _job(entry: EnvEntry, policy: Path, seeds: Sequence[int], variables: Mapping[str, str]) -> Job:
    return Job(
        run=JOB,
        params={
            "entry": entry.plain(),
            "policy": str(policy.absolute()),
            "seeds": list(seeds),
            "max_frames": MAX_FRAMES,
        },
        limits=Limits(wall_s=_WALL_S),
        label="film",
        variables=variables,
        **policy_requirements(entry, policy).fields(),
    )


def _renderers() -> list[dict[str, str]]:
    fixed = os.environ.get("MUJOCO_GL")
    if fixed or os.environ.get("DISPLAY"):
        return [{}]
    common = {"SDL_VIDEODRIVER": "dummy"}
    return [{"MUJOCO_GL": name, "PYOPENGL_PLATFORM": name, **common} for name in RENDERERS]


def _heard(workshop: Workshop) -> Any:
    def heard(kind: str, data: Mapping[str, Any]) -> None:
        if kind == "progress":
            workshop.listener.progress("film", float(data["done"]), float(data["total"]))

    return heard
