"""Tools of intent: pick up, put down, pull, push, turn. They plan from depth points and report what came out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field
from rpent.errors import ToolError
from rpent.tools.result import ToolResult
from rpent.tools.tool import tool

from rpent_manipulation.panda import gripper
from rpent_manipulation.planning.placing import TABLE_VIEWER, Relation, find_spot, spot_at
from rpent_manipulation.planning.surfaces import broad_surface, nearest_part
from rpent_manipulation.primitives import held
from rpent_manipulation.primitives.pick import pick
from rpent_manipulation.primitives.pull import pull
from rpent_manipulation.primitives.push import push
from rpent_manipulation.primitives.put import put
from rpent_manipulation.primitives.turning import turn
from rpent_manipulation.sight import rounded
from rpent_manipulation.tools.motion import Angle, Position  # noqa: TC001  (schemas are made from annotations)

if TYPE_CHECKING:
    from rpent_manipulation.planning.placing import Spot
    from rpent_manipulation.primitives.contact import ContactResult
    from rpent_manipulation.sight import Found
    from rpent_manipulation.world import World

Distance = Annotated[float, Field(gt=0, le=0.5)]
Direction = Annotated[list[Annotated[float, Field(ge=-1e3, le=1e3)]], Field(min_length=3, max_length=3)]


class ContactTools:
    """`grasp`, `place`, `pull`, `push`, `turn`."""

    world: World

    @tool(needs="perceptor")
    def grasp(
        self,
        target: str | None = None,
        segment_id: str | None = None,
        strategy: Literal["auto", "top", "rim"] = "auto",
        yaw_rad: Angle | None = None,
        attempt: Annotated[int, Field(ge=0, le=20)] = 0,
    ) -> ToolResult:
        """Pick a thing up: look at it from above, plan from its depth points, descend, close, lift, and check.

        Args:
            target: What to pick up, as a short noun phrase; needed where no `segment_id` is given.
            segment_id: A candidate of `segment`, to pick one among several alike.
            strategy: `top` across the thing's narrow side, `rim` with one finger inside a vessel; `auto` chooses.
            yaw_rad: Turn of the hand (0: fingers close along the world's y axis); left out, the narrow side decides.
            attempt: 0 takes the best grasp; count up after failures to get a different one.

        Returns:
            `held`: whether the fingers hold something after the lift; `reason` when not.
        """
        thing = self._at_hand(self._with_free_hand(target, segment_id))
        result = pick(self.world, thing, strategy, yaw_rad, attempt)
        data: dict[str, Any] = {
            "ok": result.held,
            "held": result.held,
            "target": thing.label,
            "gripper_opening_m": round(result.opening_m, 4),
            "lifted_m": round(result.lifted_m, 4),
            "reason": result.reason,
        }
        if result.grasp is not None:
            data |= {
                "strategy": result.grasp.strategy,
                "yaw_rad": round(result.grasp.yaw_rad, 4),
                "position": rounded(result.grasp.position),
                "grasps_planned": result.planned,
            }
        return ToolResult(data=data)

    @tool(needs="perceptor")
    def place(
        self,
        on: str | None = None,
        segment_id: str | None = None,
        relation: Relation = "on",
        position: Position | None = None,
    ) -> ToolResult:
        """Carry what is held to a thing or position, lower it, let it go and move the hand up.

        Args:
            on: The thing that the held one goes to, as a short noun phrase. `on` a counter means a free place on it,
                near the robot.
            segment_id: A candidate of `segment` instead.
            relation: How the held thing is to stand to it; left, right, front and behind are those of the main
                camera's picture.
            position: [x, y, z] instead of a thing: where the held thing's middle goes, z the height of the surface
                (or, with `in`, of the container's rim) under it.

        Returns:
            `released`; `position` where the held thing's middle and bottom were let go; `reason` when it failed.
        """
        world = self.world
        if not gripper.holds(world.state.gripper_opening_m):
            raise ToolError("The hand holds nothing; `grasp` first.")
        held.measure(world)
        spot, around = self._spot(on, segment_id, relation, position)
        result = put(world, spot, around)
        return ToolResult(
            data={
                "ok": result.released,
                "released": result.released,
                "relation": relation,
                "position": rounded(result.position),
                "reason": result.reason,
            }
        )

    @tool(needs="perceptor")
    def pull(
        self,
        target: str | None = None,
        segment_id: str | None = None,
        distance_m: Distance = 0.17,
        direction: Direction | None = None,
    ) -> ToolResult:
        """Pull a drawer or door open by its handle.

        Args:
            target: What to pull: `top drawer of the cabinet`, `microwave door`.
            segment_id: A candidate of `segment` instead.
            distance_m: How far the handle travels.
            direction: World direction [x, y, z] of the pull; left out, away from the front that is seen.

        Returns:
            `moved_m`: how far the thing really followed; `reason` when it did not.
        """
        thing = self._at_hand(self._with_free_hand(target, segment_id))
        result = pull(self.world, thing, distance_m, unit(direction))
        return ToolResult(data=contact_data(thing.label, result))

    @tool(needs="perceptor")
    def push(
        self,
        target: str | None = None,
        segment_id: str | None = None,
        distance_m: Distance | None = None,
        direction: Direction | None = None,
    ) -> ToolResult:
        """Push a thing with closed fingers: slide it over the table, or close a drawer or door.

        Args:
            target: What to push.
            segment_id: A candidate of `segment` instead.
            distance_m: How far; left out, a drawer or door is pushed until it stops.
            direction: World direction [x, y, z]; left out, a drawer or door is pushed into its front.

        Returns:
            `moved_m`: how far the thing moved; `reason` when it did not.
        """
        thing = self._at_hand(self._with_free_hand(target, segment_id))
        result = push(self.world, thing, distance_m, unit(direction))
        return ToolResult(data=contact_data(thing.label, result))

    @tool(needs="perceptor")
    def turn(
        self,
        target: str | None = None,
        segment_id: str | None = None,
        direction: Literal["on", "off", "clockwise", "counterclockwise"] = "on",
    ) -> ToolResult:
        """Turn a knob, such as the stove's.

        Args:
            target: Whose knob: `stove`.
            segment_id: A candidate of `segment` instead.
            direction: `on` and `off` for a stove, or the sense as seen from above.

        Returns:
            `angle_rad`: how far the fingers turned; `reason` when they could not.
        """
        thing = self._at_hand(self._with_free_hand(target, segment_id))
        result = turn(self.world, thing, direction)
        return ToolResult(data=contact_data(thing.label, result))

    def _spot(
        self, on: str | None, segment_id: str | None, relation: Relation, position: list[float] | None
    ) -> tuple[Spot, Any]:
        """Return where the held thing goes, and the surface points that it must be carried over."""
        world = self.world
        if position is not None:
            world.bring_within_reach(world.check_position(position))
            view = world.view()
            return spot_at(world.check_position(position), relation), world.everything(view)
        target = world.target(on, segment_id)
        surface = broad_surface(target.points) if relation == "on" else None
        middle = target.middle if surface is None else nearest_part(surface, world.work_middle)
        world.bring_within_reach(middle)
        if target.view.observation.step != world.state.step:
            target = world.again(target)
        around = world.around(target)
        whole = relation == "in" or (relation == "on" and surface is None)
        viewer = TABLE_VIEWER if whole else world.viewer()
        spot = find_spot(relation, target.points, around, world.held, viewer)
        return spot, np.concatenate([around, target.points])

    def _at_hand(self, thing: Found) -> Found:
        """Return a thing as it is seen from where the arm reaches it."""
        moved = self.world.bring_within_reach(thing.middle)
        return self.world.again(thing) if moved else thing

    def _with_free_hand(self, target: str | None, segment_id: str | None) -> Found:
        """Return the thing that a call means, unless the hand holds something."""
        self.world.check_hand_free()
        return self.world.target(target, segment_id)


def contact_data(label: str, result: ContactResult) -> dict[str, Any]:
    """Return how a pull, push or turn ended, as the planner reads it."""
    data: dict[str, Any] = {
        "ok": result.ok,
        "target": label,
        "moved_m": round(result.moved_m, 4),
        "reason": result.reason,
    }
    if result.angle_rad is not None:
        data["angle_rad"] = round(result.angle_rad, 3)
    if result.seen is not None:
        data["seen"] = result.seen
    return data


def unit(direction: list[float] | None) -> Any:
    """Return a direction (3,) of length 1, or None without one.

    Raises:
        ToolError: It has no length.
    """
    if direction is None:
        return None
    vector = np.asarray(direction, dtype=np.float64)
    length = float(np.linalg.norm(vector))
    if length < 1e-6:
        raise ToolError("`direction` must not be zero.")
    return vector / length
