"""What an env server's answers mean, as typed objects on the agent's side.

Frames: `world` is the simulator's or robot base's fixed frame, z up, metres. The camera frame is OpenCV's: x right,
y down, z forward. Pixels are [row, col], row 0 at the top of the upright picture.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

ENV_METHODS = (
    "describe",
    "reset",
    "step",
    "chunk_step",
    "servo",
    "observe",
    "camera_meta",
    "snapshot",
    "restore",
)
"""What every env server's table holds."""

OPTIONAL_ENV_METHODS = ("record", "frames", "actions")
"""What an env server may offer besides. `record` and `frames` give the video of a run its pictures; a `frames` that is
`concurrent` shows motions while they go on, to whoever watches. `actions` hands over `{"actions": (T, D) float64,
"first_step": int}`, the control actions that were really carried out since the last time (see `EnvClient.actions`): a
run keeps them, and policies are trained from them."""

CHUNK_OBSERVE = "chunk_observe"
"""The key of `describe` that is true where `chunk_step` takes `observe` (a `ChunkObserve`), which is optional. It then
answers with `observed` besides: for each of these control steps that was carried out what `observe` would have answered
just then, with its own `step`. A policy that sees a video gets its frames from there; else from the ends of chunks."""

ServoStatus = Literal["reached", "stalled", "step_budget", "episode_over", "cancelled"]


@dataclass(frozen=True, kw_only=True, slots=True)
class CameraMeta:
    """A camera's calibration for one picture size."""

    name: str
    width: int
    height: int
    intrinsics: NDArray[np.float64]
    """(3, 3) pinhole matrix, pixels, for the upright picture."""
    world_from_camera: NDArray[np.float64]
    """(4, 4) pose of the camera frame (OpenCV axes) in the world frame."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Observation:
    """State always, pictures and depth on request."""

    step: int
    """Control steps since reset."""
    eef_position: NDArray[np.float64]
    """(3,) metres, world: the grasp point between the finger tips."""
    eef_quaternion: NDArray[np.float64]
    """(4,) x y z w, world."""
    gripper_opening_m: float
    """Distance between the finger pads, metres; 0 is closed."""
    joint_positions: NDArray[np.float64]
    """(n,) radians."""
    success: bool
    """The benchmark's own predicate, latched: true once it was true at the end of a control step."""
    terminated: bool
    """The episode ended by success."""
    truncated: bool
    """The episode ended by its step limit."""
    images: Mapping[str, NDArray[np.uint8]] = field(default_factory=dict)
    """Camera → (H, W, 3) uint8, upright."""
    depth: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)
    """Camera → (H, W) float32 metres along the camera's z axis."""
    cameras: Mapping[str, CameraMeta] = field(default_factory=dict)
    """Calibration of every camera in `images` or `depth`."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """What a robot adds (a mobile base's pose, ...)."""

    @property
    def episode_over(self) -> bool:
        """Whether no further action is accepted."""
        return self.terminated or self.truncated


class Waypoint(TypedDict, total=False):
    """One target of a servo motion. What is absent is held as it is."""

    position: Any
    """(3,) metres, world, of the grasp point."""
    quaternion: Any
    """(4,) x y z w, world: the full orientation; excludes `yaw` and `pitch`."""
    yaw: float
    """Radians, world: rotation about the vertical axis of the gripper's closing direction."""
    pitch: float
    """Radians: tilt of the approach axis; 0 points straight down."""
    gripper: Any
    """`"open"`, `"close"`, `"hold"` (keep the commanded width), or a number from -1 (open) to 1 (closed)."""
    steps: int
    """Stay on this waypoint for at least this many control steps (to let fingers close)."""
    max_step_m: float
    """Largest commanded displacement per control step, metres: the speed."""
    max_step_rad: float
    base_position: Any
    """(2,) metres, world: where a mobile base drives; the arm rides along. With this or `base_yaw` a waypoint has none
    of the arm's keys but `gripper` and `steps`."""
    base_yaw: float
    """Radians, world: where the base faces."""
    torso_m: float
    """Metres: how far the torso of a mobile robot is raised."""


class ChunkObserve(TypedDict):
    """What `chunk_step` looks at on its way. Nothing else is rendered."""

    cameras: Any
    """Names of cameras; none for the state alone."""
    size: Any
    """As for `observe`: one number, (height, width), or one of these for each camera."""
    at: Any
    """How many of the chunk's control steps are done when it looks: 1 to their number, ascending."""


class Until(TypedDict, total=False):
    """When a servo motion ends; each waypoint is left when its tolerances hold."""

    max_steps: int
    position_tolerance_m: float
    rotation_tolerance_rad: float
    stall_steps: int
    """Stop with `stalled` after this many steps without progress towards the target."""
    gripper_settled: bool
    """Also wait until the fingers stand still."""
    base_tolerance_m: float
    base_tolerance_rad: float
    contact_force_n: float
    """Stop with `stalled` when the force on the gripper exceeds this, newtons."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ServoResult:
    """How a servo motion ended."""

    status: ServoStatus
    waypoints_reached: int
    steps: int
    """Control steps really executed."""
    position_error_m: float
    rotation_error_rad: float
    observation: Observation
    """State only, after the last step."""
    detail: str = ""
    """One clause on why it stopped (`pushed against something along -z`)."""
