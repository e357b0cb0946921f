"""What a tool gives back, and what a state capture holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True, slots=True)
class Image:
    """A picture for the planner. The model sees `caption` beside it."""

    name: str
    """File stem in the step's folder: `agentview`, `wrist`, `segment_overlay`."""
    caption: str
    """Camera, size and purpose: `agentview, 256x256, after the move`."""
    pixels: NDArray[np.uint8]
    """(H, W, 3) uint8, upright."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolResult:
    """What a tool handler returns: plain JSON-able data and pictures."""

    data: Mapping[str, Any]
    images: Sequence[Image] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Capture:
    """The world after an action: what is written to `steps/NNNN` and shown to the planner."""

    state: Mapping[str, Any]
    """Plain data: poses, gripper, step count, flags. Goes to the planner and to `state.json`."""
    images: Sequence[Image] = ()
    """Pictures for the planner; stored with the step."""
    depth: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)
    """Camera → (H, W) float32 metres; stored, not shown."""
    cameras: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Camera → calibration (see `rpent.env.CameraMeta`); stored once with the depth."""
    snapshot: bytes | None = None
    """What `Toolkit.restore` takes to come back to this state exactly."""
