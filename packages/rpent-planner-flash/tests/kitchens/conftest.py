"""A room whose machines answer to the tools of a kitchen, for a robot that drives."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from rpent.session.reply import ToolReply

TOOLS = (
    "segment",
    "navigate_to",
    "turn_base",
    "grasp",
    "place",
    "retract",
    "press",
    "turn_knob",
    "push",
    "pull",
    "open_door",
    "close_door",
    "open_drawer",
    "close_drawer",
    "set_gripper",
    "finish",
)
PARAMETERS = {
    "segment": {"camera": {"anyOf": [{"enum": ["left", "right", "behind"]}, {"type": "null"}]}},
    "press": {"attempt": {}},
}


@dataclass
class Fixture:
    """Something in the room; `works` names the tool (and argument) that ends the episode when used on it."""

    label: str
    position: tuple[float, float, float]
    size: tuple[float, float, float] = (0.05, 0.05, 0.05)
    works: str = ""
    fails: int = 0
    """So many uses of it come to nothing."""
    only: str = ""
    """The one camera that sees it."""


@dataclass
class KitchenSession:
    """The part of a session that flash uses. The robot sees what is before it, up to 2 m away."""

    instruction: str
    fixtures: list[Fixture]
    yaw: float = 0.0
    position: tuple[float, float] = (0.0, 0.0)
    history: list[Any] = field(default_factory=list)
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    finished: dict[str, Any] | None = None
    memory: Any = None
    interrupts: int = 0
    held: Fixture | None = None
    over: bool = False

    @property
    def tools(self) -> list[Any]:
        return [SimpleNamespace(name=n, schema={"properties": PARAMETERS.get(n, {})}) for n in TOOLS]

    @property
    def task(self) -> Any:
        return SimpleNamespace(instruction=self.instruction)

    @property
    def observation(self) -> dict[str, Any]:
        return {
            "base_position": [*self.position, 0.0],
            "base_yaw_rad": self.yaw,
            "terminated": self.over,
            "task_success": self.over,
            "holding": self.held.label if self.held else None,
        }

    @property
    def opening(self) -> ToolReply:
        return ToolReply(ok=True, data={"observation": self.observation})

    def begin_turn(self) -> int:
        return 1

    def say(self, text: str) -> None:
        assert text

    def user_messages(self) -> list[str]:
        return []

    def names(self) -> list[str]:
        """Return the names of the calls that act, and `finish`."""
        return [name for name, _ in self.calls if name != "segment"]

    def call(self, name: str, arguments: dict[str, Any]) -> ToolReply:
        self.calls.append((name, dict(arguments)))
        method = getattr(self, f"_{name}", None)
        data = self._work(name, **arguments) if method is None else method(**arguments)
        return ToolReply(ok=True, data=data, ended=name == "finish")

    def _segment(self, prompt: str, camera: str = "") -> dict[str, Any]:
        words = prompt.replace(" the ", " ")
        found = [
            {
                "id": str(number),
                "label": thing.label,
                "score": 0.9,
                "center_xyz": list(thing.position),
                "size_xyz_m": list(thing.size),
                "top_z_m": thing.position[2] + thing.size[2] / 2,
            }
            for number, thing in enumerate(self.fixtures)
            if thing.label.endswith(words) and self._visible(thing) and thing.only in ("", camera)
        ]
        return {"found": bool(found), "candidates": found}

    def _visible(self, thing: Fixture) -> bool:
        dx, dy = thing.position[0] - self.position[0], thing.position[1] - self.position[1]
        off = math.atan2(dy, dx) - self.yaw
        return math.hypot(dx, dy) < 2.0 and math.cos(off) > 0.6

    def _turn_base(self, angle_rad: float) -> dict[str, Any]:
        self.yaw += angle_rad
        return {"ok": True}

    def _navigate_to(self, segment_id: str) -> dict[str, Any]:
        x, y, _ = self.fixtures[int(segment_id)].position
        away = math.hypot(x - self.position[0], y - self.position[1])
        share = max(0.0, 1 - 0.7 / away)
        self.yaw = math.atan2(y - self.position[1], x - self.position[0])
        self.position = (
            self.position[0] + share * (x - self.position[0]),
            y - (1 - share) * (y - self.position[1]),
        )
        self.over = self.fixtures[int(segment_id)].works == "navigate_to"
        return {"ok": True}

    def _grasp(self, target: str, segment_id: str, strategy: str, attempt: int) -> dict[str, Any]:
        thing = self.fixtures[int(segment_id)]
        if thing.fails > 0:
            thing.fails -= 1
            return {"held": False, "reason": "the fingers closed on nothing"}
        self.held = thing
        return {"held": True}

    def _place(self, on: str, segment_id: str, relation: str) -> dict[str, Any]:
        assert self.held is not None
        x, y, z = self.fixtures[int(segment_id)].position
        self.held.position, self.held = (x, y, z), None
        return {"ok": True}

    def _retract(self) -> dict[str, Any]:
        self.over = self.over or any(f.works == "retract" for f in self.fixtures)
        return {"ok": True}

    def _work(self, name: str, target: str, segment_id: str, **arguments: Any) -> dict[str, Any]:
        thing = self.fixtures[int(segment_id)]
        if thing.fails > 0:
            thing.fails -= 1
            return {"ok": False, "reason": "nothing moved"}
        wanted, _, value = thing.works.partition(" ")
        self.over = self.over or (wanted == name and value in ("", arguments.get("direction")))
        return {"ok": True}

    def _finish(self, status: str, summary: str) -> dict[str, Any]:
        self.finished = {"status": status, "summary": summary}
        return self.finished


@pytest.fixture
def room() -> type[KitchenSession]:
    return KitchenSession


@pytest.fixture
def fixture() -> type[Fixture]:
    return Fixture
