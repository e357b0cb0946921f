"""What a robot offers a policy and takes from it, and how checkpoints for it are laid out: data of its distribution."""

from __future__ import annotations

from collections import Counter
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

NATIVE = "native"
"""The layout that every robot has: its own cameras, state fields and action parts, unchanged."""


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CameraView(_Data):
    """How a policy sees one of the robot's cameras."""

    camera: str
    """The robot's camera."""
    flip: Literal["none", "horizontal", "vertical", "rotate180"] = "none"
    """What was done to the upright picture."""
    height: int | None = None
    width: int | None = None
    """Pixels; None takes what the checkpoint says."""
    resize: Literal["stretch", "pad"] = "stretch"
    """`pad` keeps the aspect ratio and fills with black."""


class StatePart(_Data):
    """One part of a policy's state vector."""

    field: str
    """The robot's state field."""
    convert: Literal["none", "axis_angle", "matrix", "rotation_6d", "euler_xyz", "wxyz"] = "none"
    """What becomes of a quaternion (4,) x y z w."""
    start: int = 0
    length: int | None = None
    """A slice of the field; None means to its end."""
    scale: float = 1.0
    offset: float = 0.0
    """policy = scale · robot + offset."""


class ActionPart(_Data):
    """One part of a policy's action, and what it is to the robot: robot = scale · policy + offset."""

    field: str
    """The robot's action field."""
    source: str | None = None
    """The policy's part; None takes the next of its columns."""
    scale: float = 1.0
    offset: float = 0.0
    binary: bool = False
    """Whether the robot gets -1 or 1, by the sign after scaling."""


class Layout(_Data):
    """How one family of checkpoints names and orders a robot's pictures, state and actions."""

    name: str
    summary: str = ""
    source: str = ""
    """Where this is written down."""
    cameras: dict[str, CameraView] = {}
    """The policy's picture → the robot's camera."""
    state: dict[str, tuple[StatePart, ...]] = {}
    """The policy's vector → its parts, in order."""
    action: tuple[ActionPart, ...] = ()
    control_rate_hz: float | None = None
    """The rate that its checkpoints act at, where it is known; nothing converts between rates."""
    execute_steps: int | None = None
    """How many actions of an answer its checkpoints are meant to carry out, where they do not say so themselves."""
    openpi: dict[str, str] = {}
    """openpi's key (`observation/image`) → the policy's name, for clients and servers that speak its protocol."""


class ActionField(_Data):
    """One part of the robot's own action."""

    length: int
    low: float = -1.0
    high: float = 1.0
    unit: float | None = None
    """What 1 means in SI units, where it is a displacement: metres, radians."""
    summary: str = ""


class Embodiment(_Data):
    """A robot as policies see it. Pictures are upright (H, W, 3) uint8; units are SI, frames are named in summaries."""

    robot: str
    cameras: dict[str, str]
    """Camera → what it sees."""
    camera_size: int = 256
    """Rows and columns of a picture where nobody asks for another size."""
    state: dict[str, int]
    """Field → its length: what an observation for `infer` holds under `state`."""
    action: dict[str, ActionField]
    """Field → what it is; their concatenation is one row for the env server's `chunk_step`."""
    control_rate_hz: float
    layouts: tuple[Layout, ...] = Field(default=())

    @model_validator(mode="after")
    def _layouts_are_of_this_robot(self) -> Self:
        """Refuse a layout that names what the robot does not have, or leaves a part of its action open."""
        for layout in self.layouts:
            cameras = {view.camera for view in layout.cameras.values()} - set(self.cameras)
            fields = {part.field for parts in layout.state.values() for part in parts} - set(self.state)
            if cameras or fields:
                raise ValueError(
                    f"layout `{layout.name}` names {sorted(cameras | fields)}, which the robot lacks"
                )
            if Counter(part.field for part in layout.action) != Counter(dict.fromkeys(self.action, 1)):
                raise ValueError(f"layout `{layout.name}` does not give each part of the robot's action once")
        return self
