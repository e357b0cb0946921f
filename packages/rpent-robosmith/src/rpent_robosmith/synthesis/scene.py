"""A scene: bodies, actuators, goals, what is observed and measured. Plain data, checked before anything is built."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Self

from pydantic import Field, ValidationError, model_validator
from rpent.errors import UsageError

from rpent_robosmith.catalog.entry import TrainingDefaults
from rpent_robosmith.data import Data
from rpent_robosmith.measures import Measure, Success
from rpent_robosmith.synthesis.parts import WORLD, Actuator, Body, Goal, Name, Number, Point, Vector

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from rpent_robosmith.synthesis.parts import Joint

ObservationKind = Literal[
    "joint_positions", "joint_velocities", "position", "velocity", "difference", "direction", "touch"
]


class Observation(Data):
    """One part of the observation."""

    kind: ObservationKind
    """`joint_positions`, `joint_velocities`: rad or m, and a second; `position` (3,), `velocity` (3,) of a place in the
    world, m and m/s; `difference` (3,): place `of` minus place `minus`, m; `direction` (3,): where the z axis of the
    body `of` points; `touch` (1,): 1 where the bodies `of` and `minus` touch, else 0."""
    joints: tuple[str, ...] = ()
    """For the first two; empty takes all but `free` ones."""
    of: str = ""
    """A place is a point, a goal or a body's frame."""
    minus: str = ""


class End(Data):
    """What ends an episode before its step limit: a number of the observation that leaves its bounds."""

    observation: str
    index: int = Field(0, ge=0)
    at_least: Number | None = None
    at_most: Number | None = None

    @model_validator(mode="after")
    def _has_a_bound(self) -> Self:
        if self.at_least is None and self.at_most is None:
            raise ValueError("an end has `at_least` or `at_most`")
        return self


class Camera(Data):
    """Where videos are taken from; world frame."""

    position_m: Vector
    target_m: Vector = (0.0, 0.0, 0.0)


class Scene(Data):
    """A whole environment."""

    name: Name
    description: str = ""
    robot: str = "none"
    tags: tuple[str, ...] = ()
    floor: bool = True
    """A plane at z = 0."""
    gravity_m_s2: Vector = (0.0, 0.0, -9.81)
    timestep_s: float = Field(0.004, gt=0, le=0.05)
    frame_skip: int = Field(5, ge=1, le=500)
    """Physics steps of one control step."""
    max_episode_steps: int = Field(200, ge=1, le=10_000)
    bodies: tuple[Body, ...] = Field(min_length=1, max_length=100)
    points: tuple[Point, ...] = ()
    actuators: tuple[Actuator, ...] = Field(min_length=1, max_length=64)
    goals: tuple[Goal, ...] = Field((), max_length=16)
    observations: dict[Name, Observation] = Field(min_length=1)
    ends: tuple[End, ...] = ()
    measures: dict[str, Measure] = Field(min_length=1)
    success: Success
    progress: str
    """A measure; its step's number is also the environment's own reward (negative where lower is better)."""
    camera: Camera | None = None
    training: TrainingDefaults | None = None

    @property
    def joints(self) -> dict[str, Joint]:
        """Every joint, in the order of the bodies."""
        return {joint.name: joint for body in self.bodies for joint in body.joints}

    @model_validator(mode="after")
    def _names_are_told_apart(self) -> Self:
        seen = {WORLD}
        for name in (
            *(body.name for body in self.bodies),
            *(point.name for point in self.points),
            *(goal.name for goal in self.goals),
            *(joint.name for body in self.bodies for joint in body.joints),
            *(actuator.name for actuator in self.actuators),
        ):
            if name in seen:
                raise ValueError(f"the name `{name}` is given twice")
            seen.add(name)
        return self

    @model_validator(mode="after")
    def _references_hold(self) -> Self:
        if self.success.measure is None:
            raise ValueError("a scene has no signals: its `success` names a `measure`")
        for what, name, known in self._references():
            if name not in known:
                listed = ", ".join(f"`{each}`" for each in sorted(known)) or "none"
                raise ValueError(f"{what} names `{name}`, which is not there; there are {listed}")
        return self

    def _references(self) -> Iterator[tuple[str, str, set[str]]]:
        """Yield (what, name, known names) of each reference."""
        before = {WORLD}
        for body in self.bodies:
            yield f"the parent of `{body.name}`", body.parent, set(before)
            before.add(body.name)
        for point in self.points:
            yield f"the point `{point.name}`", point.body, before
        jointed = {name for name, joint in self.joints.items() if joint.kind != "free"}
        for actuator in self.actuators:
            yield f"the actuator `{actuator.name}`", actuator.joint, jointed
        for name, observation in self.observations.items():
            yield from self._observed(name, observation, jointed, before)
        for end in self.ends:
            yield "an end", end.observation, set(self.observations)
        for name, measure in self.measures.items():
            for quantity in (measure.quantity, measure.minus):
                if quantity is not None and quantity.of == "observation":
                    yield f"the measure `{name}`", quantity.key or "", set(self.observations)
        measured = {*self.measures, "return", "length"}
        yield "`success`", self.success.measure or "", measured
        yield "`progress`", self.progress, set(self.measures)

    def _observed(
        self, name: str, observation: Observation, jointed: set[str], bodies: set[str]
    ) -> Iterator[tuple[str, str, set[str]]]:
        what = f"the observation `{name}`"
        places = {*bodies, *(point.name for point in self.points), *(goal.name for goal in self.goals)} - {
            WORLD
        }
        if observation.kind in {"joint_positions", "joint_velocities"}:
            for joint in observation.joints:
                yield what, joint, jointed
            return
        known = bodies if observation.kind in {"direction", "touch"} else places
        yield what, observation.of, known if observation.kind == "touch" else known - {WORLD}
        if observation.kind in {"difference", "touch"}:
            yield what, observation.minus, known

    def observed_joints(self, observation: Observation) -> list[Joint]:
        """Return the joints of a `joint_positions` or `joint_velocities` observation, in order."""
        joints = self.joints
        chosen = observation.joints or [name for name, joint in joints.items() if joint.kind != "free"]
        return [joints[name] for name in chosen]


def parse_scene(data: Mapping[str, Any]) -> Scene:
    """Return a scene from plain data.

    Raises:
        UsageError: It is not valid; the first mistake is said.
    """
    try:
        return Scene.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        message = str(first["msg"]).removeprefix("Value error, ")
        place = f" at `{where}`" if where else ""
        raise UsageError(f"The scene is not valid{place}: {message}.") from error
