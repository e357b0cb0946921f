"""The fake robot's world: a gripper, three cubes and a pad on a table. Positions are world metres."""

from __future__ import annotations

from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from rpent.testing.fake_robot.tasks import COLORS

if TYPE_CHECKING:
    from numpy.typing import NDArray

CUBE = 0.04
"""Edge of a cube."""
PAD = np.array([0.2, 0.2, 0.0])
PAD_HALF = 0.06
LOW, HIGH = np.array([-0.3, -0.3, 0.02]), np.array([0.3, 0.3, 0.4])
"""The workspace of the grasp point."""
HOME = np.array([0.0, 0.0, 0.3])
MAX_STEP = 0.02
"""Displacement of the grasp point in one control step at full deflection."""
OPEN, FINGER_STEP = 0.08, 0.02


@dataclass
class World:
    """The whole state; `step` moves it by one control step, deterministically."""

    target: str
    """Color of the cube that the task names."""
    position: NDArray[np.float64] = field(default_factory=HOME.copy)
    opening: float = OPEN
    cubes: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    held: str = ""
    step_count: int = 0
    success: bool = False

    @classmethod
    def fresh(cls, target: str, seed: int) -> World:
        """Place the cubes as the seed says, apart from each other and from the pad."""
        generator = np.random.default_rng(seed)
        columns = generator.permutation(len(COLORS))
        cubes = {}
        for color, column in zip(COLORS, columns, strict=True):
            x, y = generator.uniform(-0.02, 0.02, 2)
            cubes[color] = np.array([-0.2 + 0.15 * column + x, -0.1 + y, CUBE / 2])
        return cls(target=target, cubes=cubes)

    def step(self, motion: NDArray[np.float64], gripper: float) -> None:
        """Move by `motion` in [-1, 1] of the largest displacement; `gripper` -1 opens, 1 closes, 0 holds."""
        self.position = np.clip(self.position + np.clip(motion, -1, 1) * MAX_STEP, LOW, HIGH)
        self._move_fingers(gripper)
        if self.held:
            self.cubes[self.held] = self.position.copy()
        self.step_count += 1
        self.success = self.success or self._on_pad(self.target)

    def _move_fingers(self, gripper: float) -> None:
        wanted = self.opening - np.sign(gripper) * FINGER_STEP
        if gripper > 0 and not self.held:
            near = [c for c, at in self.cubes.items() if np.linalg.norm(at - self.position) < CUBE / 2]
            self.held = near[0] if near and wanted <= CUBE else ""
        elif gripper < 0 and self.held:
            self.cubes[self.held] = np.array([*self.position[:2], self._height_below(self.held)])
            self.held = ""
        self.opening = float(np.clip(wanted, CUBE if self.held else 0.0, OPEN))

    def _height_below(self, dropped: str) -> float:
        """Return where a dropped cube comes to rest: on the table, or on what lies below it."""
        here = self.position[:2]
        below = [
            at[2] + CUBE
            for color, at in self.cubes.items()
            if color != dropped and np.all(np.abs(at[:2] - here) < CUBE)
        ]
        return float(max([CUBE / 2, *below]))

    def _on_pad(self, color: str) -> bool:
        at = self.cubes[color]
        return color != self.held and bool(np.all(np.abs(at[:2] - PAD[:2]) < PAD_HALF))

    def dump(self) -> bytes:
        """Return the exact state."""
        arrays: dict[str, Any] = {f"cube_{color}": at for color, at in self.cubes.items()}
        buffer = BytesIO()
        np.savez(
            buffer,
            target=self.target,
            position=self.position,
            opening=self.opening,
            held=self.held,
            step_count=self.step_count,
            success=self.success,
            **arrays,
        )
        return buffer.getvalue()

    @classmethod
    def load(cls, data: bytes) -> World:
        """Read what `dump` returned."""
        with np.load(BytesIO(data), allow_pickle=False) as values:
            return cls(
                target=str(values["target"]),
                position=values["position"],
                opening=float(values["opening"]),
                cubes={color: values[f"cube_{color}"] for color in COLORS},
                held=str(values["held"]),
                step_count=int(values["step_count"]),
                success=bool(values["success"]),
            )
