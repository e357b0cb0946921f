"""Demonstrations in recorded runs: the calls to learn from, and the control actions that they carried out."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.errors import RunDirectoryError, UsageError
from rpent.runs.directory import RunDirectory
from rpent.runs.recipe import read_recipe
from rpent.runs.steps import read_actions, read_snapshot
from rpent.suggest import listing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from rpent.runs.recipe import RecipeCall

CALLS = ("grasp", "pick", "pick_up")
"""Tools whose calls are picks."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Demonstration:
    """One call of a run: where it began, and what it did."""

    run: Path
    call: str
    step: int
    """The step that it led to; it began at the one before."""
    instruction: str
    snapshot: bytes
    """The exact state at its beginning."""
    actions: NDArray[np.float64]
    """(T, D) control actions."""
    ended_at: tuple[float, ...] | None
    """Where the hand was at its end, as far as the run says it."""
    following: NDArray[np.float64]
    """(K, D) what the run did right after it, so that a policy does not learn to stop where the call ended."""

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return f"{self.run.name} step {self.step}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Recording:
    """A run with its demonstrations, or why it has none."""

    run: Path
    manifest: dict[str, Any]
    demonstrations: tuple[Demonstration, ...]
    why_none: str = ""


def read_run(
    run: Path, *, calls: Sequence[str] = CALLS, instruction: str | None = None, after_steps: int = 0
) -> Recording:
    """Read a run's demonstrations: successful calls of a run that the benchmark calls solved.

    Args:
        run: The run directory.
        calls: The tools whose calls are wanted.
        instruction: What the policy is told in all of them; None takes `pick up the <target>` where the call names
            its target, else the task's instruction.
        after_steps: How many control actions of the run's next step are added.

    Raises:
        RunDirectoryError: It is not a run directory, or its files are damaged.
    """
    directory = RunDirectory(run)
    manifest = directory.read_manifest()
    if not (manifest.get("outcome") or {}).get("benchmark_success"):
        return Recording(run=run, manifest=manifest, demonstrations=(), why_none="it did not succeed")
    found, unrecorded = [], 0
    for call in read_recipe(run):
        if call.name not in calls or not _succeeded(call) or not call.step:
            continue
        actions = read_actions(directory, call.step)
        if actions is None:
            unrecorded += 1
        elif len(actions):
            found.append(
                Demonstration(
                    run=run,
                    call=call.name,
                    step=call.step,
                    instruction=instruction or _instruction(call, manifest),
                    snapshot=read_snapshot(directory, call.step - 1),
                    actions=actions,
                    ended_at=_ended_at(directory, call.step),
                    following=_following(directory, call.step, after_steps, actions.shape[1]),
                )
            )
    why = "its control actions were not recorded" if unrecorded else f"it has no successful {listing(calls)}"
    return Recording(run=run, manifest=manifest, demonstrations=tuple(found), why_none="" if found else why)


def one_task(recordings: Sequence[Recording]) -> None:
    """Refuse recordings of different robots or with different actions.

    Raises:
        UsageError: They cannot be learned together.
    """
    robots = sorted({recording.manifest["robot"]["name"] for recording in recordings})
    if len(robots) > 1:
        raise UsageError(
            f"The runs are of different robots: {listing(robots)}.", hint="Train one policy for each."
        )
    widths = {demo.actions.shape[1] for recording in recordings for demo in recording.demonstrations}
    if len(widths) > 1:
        raise RunDirectoryError(f"The runs hold actions of different lengths: {sorted(widths)}.")


def _succeeded(call: RecipeCall) -> bool:
    said = (call.result.get(key) for key in ("held", "ok") if key in call.result)
    return call.ok and not call.cancelled and bool(next(said, True))


def _instruction(call: RecipeCall, manifest: dict[str, Any]) -> str:
    target = call.arguments.get("target")
    return f"pick up the {target}" if target else str(manifest["task"]["instruction"])


def _ended_at(directory: RunDirectory, step: int) -> tuple[float, ...] | None:
    try:
        state = json.loads((directory.step(step) / "state.json").read_bytes())["state"]
        return tuple(float(value) for value in state["eef_position"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _following(directory: RunDirectory, step: int, count: int, width: int) -> NDArray[np.float64]:
    actions = read_actions(directory, step + 1) if count else None
    if actions is None or actions.ndim != 2 or actions.shape[1] != width:
        return np.zeros((0, width))
    return actions[:count]
