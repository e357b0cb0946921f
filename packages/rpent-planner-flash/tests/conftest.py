"""A table whose things move when the tools say so, answering through the session's own reply type."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from rpent.session.reply import ToolReply


@dataclass
class Thing:
    """One box on the table; `grasps_needed` attempts fail before it is held."""

    label: str
    position: tuple[float, float, float]
    size: tuple[float, float, float] = (0.06, 0.06, 0.06)
    grasps_needed: int = 0
    visible: bool = True
    vanishes: bool = False
    """A failed grasp sweeps it out of sight."""
    hidden_after: int = 1000
    """So many actions later the arm hides it, until it is grasped."""
    sticks: int = 0
    """So many placements leave it hanging on the fingers."""


@dataclass
class TableSession:
    """The part of a session that flash uses, over a kinematic table."""

    instruction: str
    things: list[Thing]
    history: list[Any] = field(default_factory=list)
    spills: int = 0
    """So many placements miss their target by 20 cm."""
    call_limit: int = 1000
    ends_after: int = 1000
    """So many actions end the episode as accomplished."""
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    held: Thing | None = None
    crashes: int = 0
    """So many placements are cut short by a crash; the world is put back to where it was before."""
    looks_lost: list[str] = field(default_factory=list)
    """What becomes of the first looks: `crash` or `interrupt`."""
    finished: dict[str, Any] | None = None
    memory: Any = None
    notices: list[str] = field(default_factory=list)
    observation: dict[str, Any] = field(default_factory=dict)
    interrupts: int = 0
    interrupt_at: dict[int, Any] = field(default_factory=dict)
    """Number of an action, from 1 → what the user does by hand (or None) after interrupting it, before they write."""
    messages: list[str] = field(default_factory=list)
    stuck: Thing | None = None
    tried: dict[int, int] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    """Tools that the run does not offer."""

    @property
    def tools(self) -> list[Any]:
        names = (
            "segment",
            "view_camera_meta",
            "grasp",
            "place",
            "set_gripper",
            "push",
            "pull",
            "turn",
            "finish",
        )
        return [
            SimpleNamespace(name=name, schema={"properties": {}})
            for name in names
            if name not in self.left_out
        ]

    @property
    def opening(self) -> ToolReply:
        return ToolReply(ok=True, data={"observation": {"holding": self.held.label if self.held else None}})

    @property
    def task(self) -> Any:
        return SimpleNamespace(instruction=self.instruction)

    def begin_turn(self) -> int:
        return 1

    def say(self, text: str) -> None:
        assert text

    def notice(self, text: str, *, level: str = "info") -> None:
        assert level in ("info", "warning")
        self.notices.append(text)

    def user_messages(self) -> list[str]:
        messages, self.messages = self.messages, []
        return messages

    def names(self) -> list[str]:
        """Return the names of the calls that act, and `finish`."""
        return [name for name, _ in self.calls if name != "segment"]

    def call(self, name: str, arguments: dict[str, Any]) -> ToolReply:
        self.calls.append((name, dict(arguments)))
        if len(self.calls) > self.call_limit:
            return ToolReply(ok=False, data={"error": "The budget is used up."}, ended=True)
        if name != "segment" and len(self.names()) in self.interrupt_at:
            return self._interrupted(self.interrupt_at.pop(len(self.names())))
        if name == "segment" and self.looks_lost:
            if self.looks_lost.pop(0) == "interrupt":
                return self._interrupted(None)
            return ToolReply(ok=False, data={"error": "crashed"}, undone=True)
        data = getattr(self, f"_{name}")(**arguments)
        if name != "segment" and "error" not in data:
            data["observation"] = self._observe()
        crashed = "crashed" in data.get("error", "")
        return ToolReply(ok="error" not in data, data=data, undone=crashed, ended=name == "finish")

    def _observe(self) -> dict[str, Any]:
        self.observation = {
            "terminated": len(self.names()) >= self.ends_after,
            "holding": self.held.label if self.held else None,
        }
        return self.observation

    def _interrupted(self, by_hand: Any) -> ToolReply:
        """The user stops the call, perhaps acts, and writes; only then the planner gets the reply."""
        self.interrupts += 1
        if by_hand is not None:
            by_hand(self)
        self._observe()
        self.messages.append("Go on.")
        return ToolReply(ok=False, data={"error": "cancelled: The user interrupted."})

    def _segment(self, prompt: str) -> dict[str, Any]:
        found = [
            {
                "id": f"s{len(self.calls)}.{number}",
                "label": thing.label,
                "score": 0.9,
                "center_xyz": [thing.position[0], thing.position[1], thing.position[2] + thing.size[2] / 2],
                "size_xyz_m": list(thing.size),
                "top_z_m": thing.position[2] + thing.size[2],
            }
            for number, thing in enumerate(self.things)
            if thing.visible and len(self.names()) < thing.hidden_after and thing.label.endswith(prompt)
        ]
        return {"found": bool(found), "candidates": found}

    def _view_camera_meta(self) -> dict[str, Any]:
        pose = np.eye(4)
        pose[:3, :3] = np.array([[0.0, 0.5, -0.87], [1.0, 0.0, 0.0], [0.0, -0.87, -0.5]])
        return {"world_from_camera": pose.tolist()}

    def _grasp(
        self, target: str, segment_id: str, strategy: str = "auto", attempt: int = 0
    ) -> dict[str, Any]:
        if self.held is not None:
            return {"error": f"The hand holds `{self.held.label}`; `place` or `release` it first."}
        thing = self.things[int(segment_id.split(".")[1])]
        tried = self.tried[id(thing)] = self.tried.get(id(thing), 0) + 1
        if tried <= thing.grasps_needed:
            thing.visible = not thing.vanishes
            return {"held": False, "reason": "the fingers closed on nothing"}
        self.held, thing.hidden_after = thing, 1000
        return {"held": True}

    def _place(
        self, on: str = "", segment_id: str = "", relation: str = "on", position: Any = None
    ) -> dict[str, Any]:
        if self.crashes > 0:
            self.crashes -= 1
            return {
                "error": "The service `env` crashed and was restarted; `place` had no effect; call it again."
            }
        assert self.held is not None
        thing, self.held = self.held, None
        if position is None:
            target = self.things[int(segment_id.split(".")[1])]
            x, y, z = target.position
            z += 0.01 if relation == "in" else target.size[2]
            y += 0.1 if relation == "right_of" else 0.0
        else:
            x, y, z = position
        if self.spills > 0:
            self.spills, y, z = self.spills - 1, y + 0.2, 0.0
        if thing.sticks > 0:
            thing.sticks, z, self.stuck = thing.sticks - 1, z + 0.2, thing
        thing.position = (x, y, z)
        return {"released": True}

    def _set_gripper(self, gripper: str) -> dict[str, Any]:
        self.held = self.stuck
        return {"ok": True}

    def _push(
        self, target: str, segment_id: str, direction: Any = None, distance_m: float = 0.0
    ) -> dict[str, Any]:
        thing = self.things[int(segment_id.split(".")[1])]
        if direction is not None:
            moved = np.array(thing.position) + distance_m * np.array(direction)
            thing.position = tuple(map(float, moved))
        return {"ok": True, "moved_m": distance_m}

    def _pull(self, target: str, segment_id: str) -> dict[str, Any]:
        return {"ok": True, "moved_m": 0.15}

    def _turn(self, target: str, segment_id: str, direction: str) -> dict[str, Any]:
        return {"angle_rad": 1.0}

    def _finish(self, status: str, summary: str) -> dict[str, Any]:
        self.finished = {"status": status, "summary": summary}
        return self.finished


@pytest.fixture
def table() -> type[TableSession]:
    return TableSession


@pytest.fixture
def thing() -> type[Thing]:
    return Thing
