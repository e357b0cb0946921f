"""What a scene is built of: bodies with shapes and joints, points on them, actuators, goals. SI units, radians."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from rpent_robosmith.data import Data

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
Number = Annotated[float, Field(allow_inf_nan=False, ge=-1e4, le=1e4)]
Positive = Annotated[float, Field(allow_inf_nan=False, gt=0, le=1e4)]
NotNegative = Annotated[float, Field(allow_inf_nan=False, ge=0, le=1e4)]
Vector = tuple[Number, Number, Number]
Color = tuple[
    Annotated[float, Field(ge=0, le=1)],
    Annotated[float, Field(ge=0, le=1)],
    Annotated[float, Field(ge=0, le=1)],
]

WORLD = "world"
_SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3}


class Shape(Data):
    """A rigid shape of a body."""

    kind: Literal["sphere", "capsule", "cylinder", "box"]
    size_m: tuple[Positive, ...]
    """Radius of a sphere; radius and half length along z of a capsule or cylinder (with `to_m` the radius alone); half
    lengths along x, y, z of a box."""
    position_m: Vector = (0.0, 0.0, 0.0)
    """In the body's frame; where a capsule or cylinder with `to_m` begins."""
    to_m: Vector | None = None
    """Where it ends."""
    rotation_rad: Vector = (0.0, 0.0, 0.0)
    """About x, y, z of the body, one after the other."""
    mass_kg: Positive | None = None
    """None: 1000 kg/m3."""
    friction: NotNegative = 1.0
    """Sliding friction."""
    collides: bool = True
    color: Color = (0.6, 0.65, 0.7)

    @model_validator(mode="after")
    def _size_fits(self) -> Self:
        wanted = 1 if self.to_m is not None else _SIZES[self.kind]
        if self.to_m is not None and self.kind not in {"capsule", "cylinder"}:
            raise ValueError("`to_m` is for a `capsule` or a `cylinder`")
        if self.to_m is not None and self.to_m == self.position_m:
            raise ValueError("`to_m` is where the shape begins")
        if len(self.size_m) != wanted:
            raise ValueError(f"a `{self.kind}` has {wanted} numbers in `size_m` here, not {len(self.size_m)}")
        return self


class Joint(Data):
    """How a body moves against its parent."""

    name: Name
    kind: Literal["hinge", "slide", "free"] = "hinge"
    """`free` floats: six degrees of freedom, for bodies of the world only."""
    axis: Vector = (0.0, 0.0, 1.0)
    """In the body's frame."""
    range: tuple[Number, Number] | None = None
    """Radians, or metres of a slide; None does not limit it."""
    damping: NotNegative = 0.0
    stiffness: NotNegative = 0.0
    armature: NotNegative = 0.0
    start: Number = 0.0
    """Position at the start of an episode; of a `free` joint the body's own position counts."""
    spread: tuple[NotNegative, ...] = ()
    """At the start, uniformly, up to so much to both sides: one number, or x, y, z of a `free` joint."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.axis == (0.0, 0.0, 0.0):
            raise ValueError("`axis` has no direction")
        if self.range is not None and not self.range[0] < self.range[1]:
            raise ValueError("`range` is from the lower to the higher")
        if self.kind == "free" and (self.range is not None or self.start):
            raise ValueError("a `free` joint has neither `range` nor `start`")
        wanted = 3 if self.kind == "free" else 1
        if len(self.spread) not in {0, wanted}:
            raise ValueError(f"`spread` of a `{self.kind}` joint has {wanted} numbers")
        if self.range is not None:
            spread = self.spread[0] if self.spread else 0.0
            if self.start - spread < self.range[0] or self.start + spread > self.range[1]:
                raise ValueError("`start` with its `spread` is outside of `range`")
        return self


class Body(Data):
    """A rigid body."""

    name: Name
    parent: str = WORLD
    """A body that comes before, or `world`."""
    position_m: Vector = (0.0, 0.0, 0.0)
    """In the parent's frame."""
    rotation_rad: Vector = (0.0, 0.0, 0.0)
    shapes: tuple[Shape, ...] = Field((), max_length=32)
    joints: tuple[Joint, ...] = Field((), max_length=6)
    """None: fixed to its parent."""

    @model_validator(mode="after")
    def _moves_with_mass(self) -> Self:
        if self.joints and not self.shapes:
            raise ValueError(f"the body `{self.name}` moves and has no shape, so no mass")
        free = any(joint.kind == "free" for joint in self.joints)
        if free and (len(self.joints) > 1 or self.parent != WORLD):
            raise ValueError(
                f"the `free` joint of `{self.name}` must be its only one, and its parent the world"
            )
        return self


class Point(Data):
    """A place on a body that is observed: a fingertip, a handle."""

    name: Name
    body: str
    position_m: Vector = (0.0, 0.0, 0.0)


class Actuator(Data):
    """One number of an action."""

    name: Name
    joint: str
    kind: Literal["motor", "position", "velocity"] = "motor"
    """`motor`: torque (N m) or force (N) is the action times `strength`; `position` and `velocity`: the action is the
    target (rad, m, rad/s, m/s), and `strength` the gain towards it."""
    low: Number = -1.0
    high: Number = 1.0
    """Bounds of the action."""
    strength: Positive = 1.0
    damping: NotNegative = 0.0
    """Of a `position` actuator, against the joint's speed."""

    @model_validator(mode="after")
    def _bounds(self) -> Self:
        if not self.low < self.high:
            raise ValueError("`low` is below `high`")
        return self


class Goal(Data):
    """A place in the world, drawn anew in each episode; it is shown and touches nothing."""

    name: Name
    low_m: Vector
    high_m: Vector
    """Corners of the box that it is drawn from, uniformly; equal ones fix it."""
    radius_m: Positive = 0.02
    """Of its mark."""

    @model_validator(mode="after")
    def _corners(self) -> Self:
        if any(low > high for low, high in zip(self.low_m, self.high_m, strict=True)):
            raise ValueError("`low_m` is nowhere above `high_m`")
        return self
