"""A recorded recipe, repeated in a scene where things stand elsewhere.

What the recorded run saw (its `segment` calls) says which thing each coordinate was near; the same prompts in
the live scene say where these things are now, and the coordinates move along. Ids of segments are translated
likewise.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rpent_planner_flash.plan import ToolCall
from rpent_planner_flash.scene import candidates

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from rpent.runs.recipe import RecipeCall

    from rpent_planner_flash.execute import Executor
    from rpent_planner_flash.scene import Candidate

NEAR_M = 0.25
"""A coordinate farther than this (horizontally) from everything seen is an absolute one and stays."""
LOOKS = "segment"
NOT_REPEATED = frozenset({"finish", "write_text_file", "read_text_file", "list_dir"})


@dataclass(frozen=True, slots=True)
class Moved:
    """A thing in the recording and the same thing now."""

    then: Candidate
    now: Candidate

    @property
    def shift(self) -> NDArray[np.float64]:
        """(3,) how far it is from where it was."""
        return self.now.position - self.then.position


@dataclass(slots=True)
class Anchors:
    """Everything seen so far in both scenes."""

    moved: dict[tuple[str, int], Moved] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)

    def see(self, then: Sequence[Candidate], now: Sequence[Candidate]) -> None:
        """Pair the candidates of one prompt: same label first, then the best order, each only once."""
        rest = list(now)
        for number, old in enumerate(then):
            if not rest:
                break
            alike = [new for new in rest if new.label == old.label] or rest
            new = alike[0]
            rest.remove(new)
            self.moved[(old.label, number)] = Moved(old, new)
            if old.id:
                self.ids[old.id] = new.id

    def translate(self, name: str, value: Any) -> Any:
        """Return an argument as it must be in the live scene."""
        if isinstance(value, dict):
            return {key: self.translate(key, entry) for key, entry in value.items()}
        if isinstance(value, str):
            return self.ids.get(value, value)
        if is_point(name, value):
            return self.shifted(np.asarray(value, dtype=np.float64)).tolist()
        if isinstance(value, list):
            return [self.translate(name, entry) for entry in value]
        return value

    def shifted(self, point: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return a world point moved along with the thing that it was nearest to."""
        if not self.moved:
            return point
        nearest = min(self.moved.values(), key=lambda m: float(np.linalg.norm(m.then.xy - point[:2])))
        if float(np.linalg.norm(nearest.then.xy - point[:2])) > NEAR_M:
            return point
        return point + nearest.shift


def is_point(name: str, value: Any) -> bool:
    """Whether an argument is a world coordinate: three numbers called a position."""
    if not any(word in name for word in ("position", "xyz")) or not isinstance(value, list):
        return False
    return len(value) == 3 and all(isinstance(v, int | float) and not isinstance(v, bool) for v in value)


class Recipe:
    """The calls of an earlier run that did something."""

    def __init__(self, calls: Sequence[RecipeCall]) -> None:
        self.calls = [call for call in calls if call.ok and call.name not in NOT_REPEATED]

    @classmethod
    def read(cls, path: Path) -> Recipe:
        """Read a run directory or a recipe file.

        Raises:
            RunDirectoryError: It cannot be read.
        """
        from rpent.runs.recipe import read_recipe  # noqa: PLC0415

        return cls(read_recipe(path))

    def repeat(self, executor: Executor) -> tuple[str, str]:
        """Make the calls in the live scene; returns `finish`'s status and summary."""
        if not self.calls:
            return "stuck", "The recipe holds no call that succeeded."
        anchors = Anchors()
        executor.session.begin_turn()
        executor.session.say(f"Repeating a recipe of {len(self.calls)} calls.")
        for call in self.calls:
            if call.name == LOOKS:
                self._look(call, anchors, executor)
                continue
            reason = self._act(call, anchors, executor)
            if reason is not None:
                return "failure", f"Call {call.n} (`{call.name}`) of the recipe failed: {reason}"
        return "success", f"All {len(self.calls)} calls of the recipe were repeated."

    def _look(self, call: RecipeCall, anchors: Anchors, executor: Executor) -> None:
        reply = executor.call(LOOKS, call.arguments)
        anchors.see(candidates(call.result), candidates(reply.data) if reply.ok else [])

    def _act(self, call: RecipeCall, anchors: Anchors, executor: Executor) -> str | None:
        """Make one call; a grasp that fails is tried in other ways. Returns why it failed, or None."""
        arguments = {name: anchors.translate(name, value) for name, value in call.arguments.items()}
        tries = executor.config.max_attempts if "attempt" in arguments or call.name == "grasp" else 1
        reason = ""
        for extra in range(tries):
            if extra:
                arguments["attempt"] = int(arguments.get("attempt", 0)) + 1
                arguments.pop("yaw_rad", None)
            done, reason = executor.act(ToolCall(call.name, arguments), again=True)
            if done:
                return None
        return reason
