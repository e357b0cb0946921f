"""`policy_<algorithm>.zip`: the delivered policy as Stable-Baselines3's own file, for those who use the library."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpent.errors import RpentError
from rpent.plugins import registry

from rpent_robosmith.work.api import Job, Limits

if TYPE_CHECKING:
    from pathlib import Path

    from rpent_robosmith.policy.format import PolicyDescription
    from rpent_robosmith.work.api import Bench

JOB = "rpent_robosmith.worker.jobs.export:run"
TRAINERS = ("sb3", "sb3-contrib")
"""Those whose policies the library can load."""
_WALL_S = 300.0


@dataclass(frozen=True, slots=True)
class LibraryFile:
    """The file, or why there is none."""

    name: str
    data: bytes | None
    problem: str = ""
    hint: str = ""


def is_of_library(description: PolicyDescription) -> bool:
    """Return whether the library has such policies."""
    return description.trainer in TRAINERS and description.kind == "mlp"


def library_file(description: PolicyDescription, policy: Path, bench: Bench) -> LibraryFile:
    """Make the file in a clean worker.

    Args:
        description: Of the policy; the library has such policies.
        policy: Its folder.
        bench: Where it is made.

    Returns:
        The file; whatever goes wrong is in it, and never raised.
    """
    name = f"policy_{description.algorithm}.zip"
    try:
        trainer = registry.get("trainers", description.trainer)
        job = Job(
            run=JOB,
            params={"policy": str(policy.absolute())},
            limits=Limits(wall_s=_WALL_S, silence_s=_WALL_S),
            label="export",
            environments=trainer.environments,
            needs=trainer.needs.modules,
        )
        return LibraryFile(name, bytes(bench.run(job)["content"]))
    except (RpentError, OSError) as error:
        told = getattr(error, "message", str(error))
        return LibraryFile(name, None, problem=told, hint=getattr(error, "hint", None) or "")
