"""What the agent knows of the scene: the last state, pictures of it, things found in them, and what the hand holds."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.errors import ToolError

from rpent_manipulation import cloud, rotations
from rpent_manipulation.geometry import direction, wrap_angle
from rpent_manipulation.labels import ROBOT
from rpent_manipulation.panda import gripper, kinematics
from rpent_manipulation.planning.path import NOTHING
from rpent_manipulation.planning.placing import Viewer
from rpent_manipulation.primitives.held import Held
from rpent_manipulation.sight import View, grown, located, rounded, seen_best

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray
    from rpent.env.client import EnvClient
    from rpent.env.types import Observation, ServoResult, Until, Waypoint
    from rpent.perception import Perceptor
    from rpent.robot import ToolContext

    from rpent_manipulation.cloud import Points
    from rpent_manipulation.sight import Found

VIEW_SIZE = 256
"""Rows and columns of the pictures that things are looked for in, where nobody says otherwise."""

OPEN_COMMAND = -0.9
"""Fingers whose commanded width (-1 open to 1 closed) is below this let go, before they are seen to be apart."""

FINGER_STEP = 0.25
"""By how much the commanded width of the fingers, from -1 to 1, moves per control step."""
PRESS_STEPS = 3
"""Control steps that the fingers need from when they are told to be shut until they press on a thin rim."""

SAME_M = 0.06
"""The same thing in another picture has its middle within this horizontal distance."""


class World:
    """The toolkit's memory of the scene. Pictures are rendered when they are asked for and kept until the next step."""

    def __init__(
        self,
        context: ToolContext,
        env: EnvClient,
        *,
        cameras: Sequence[str],
        seekers: Sequence[str] = (),
        wrist: str | None = None,
        main_size: int = VIEW_SIZE,
        finger_step: float = FINGER_STEP,
    ) -> None:
        """Connect to the scene.

        Args:
            context: The run's context.
            env: The env server.
            cameras: Whose pictures a planner may ask for, the main one first.
            seekers: Those of them in whose pictures a thing is looked for when no camera is named; the main one where
                none is given.
            wrist: The one on the hand; by default `wrist`, or the main one of a robot that has no such camera.
            main_size: Rows and columns of the main camera's picture.
            finger_step: By how much the commanded width of the fingers, from -1 to 1, moves per control step.

        Raises:
            ToolError: The env server does not tell where the arm stands, and the arm is no Panda.
        """
        self.open_steps = math.ceil(2.0 / finger_step)
        self.close_steps = self.open_steps + PRESS_STEPS
        self._context = context
        self.env = env
        self.cameras = tuple(cameras)
        self.wrist = wrist or ("wrist" if "wrist" in self.cameras else self.main)
        self.seekers = tuple(seekers) or self.cameras[:1]
        self._main_size = main_size
        self.perceptor: Perceptor | None = context.perceptor
        self.workspace = {key: np.asarray(value) for key, value in env.describe()["workspace"].items()}
        self.state: Observation = env.observe()
        self._fixed_base = kinematics.base_of(self.state)
        self.held: Held | None = None
        self._views: dict[str, View] = {}
        self._found: dict[str, Found] = {}
        self._searches = 0

    # --- state -----------------------------------------------------------------------------------------------------

    def note(self, observation: Observation) -> None:
        """Remember a newer state; drop pictures of the older one, and forget what the fingers have lost."""
        if observation.step != self.state.step:
            self._views.clear()
        self.state = observation
        told_to_open = observation.extra.get("gripper_command", 0.0) < OPEN_COMMAND
        if told_to_open or not gripper.holds(observation.gripper_opening_m):
            self.held = None

    def check_hand_free(self) -> None:
        """Refuse what needs an empty hand.

        Raises:
            ToolError: It holds something.
        """
        if self.held is not None:
            raise ToolError(f"The hand holds `{self.held.label}`; `place` or `release` it first.")

    @property
    def gripper_yaw(self) -> float:
        """The hand's yaw, radians; at 0 the fingers close along the world's y axis."""
        return rotations.yaw_pitch(self.hand_rotation)[0]

    @property
    def gripper_pitch(self) -> float:
        """The tilt of the hand's approach axis, radians; 0 points straight down."""
        return rotations.yaw_pitch(self.hand_rotation)[1]

    @property
    def hand_rotation(self) -> NDArray[np.float64]:
        """(3, 3) orientation of the hand in the world: z is the approach axis, the fingers close along y."""
        return rotations.from_quaternion(self.state.eef_quaternion)

    # --- where the robot stands ------------------------------------------------------------------------------------

    @property
    def base(self) -> NDArray[np.float64]:
        """(3,) where the arm stands, world."""
        return (
            self._fixed_base
            if "arm_base_position" not in self.state.extra
            else kinematics.base_of(self.state)
        )

    @property
    def base_yaw(self) -> float:
        """Which way the robot faces, radians; at 0 along +x."""
        return float(self.state.extra.get("base_yaw_rad", 0.0))

    @property
    def home_yaw(self) -> float:
        """The hand's yaw in the arm's start posture, from which the wrist turns least: that of the base."""
        return self.base_yaw

    @property
    def facing(self) -> NDArray[np.float64]:
        """(2,) unit vector ahead of the robot, world."""
        return direction(self.base_yaw)

    @property
    def leftward(self) -> NDArray[np.float64]:
        """(2,) unit vector to the robot's left, world."""
        x, y = self.facing
        return np.array([-y, x])

    @property
    def work_middle(self) -> NDArray[np.float64]:
        """(2,) where things are best put down, world: of an arm at a table, the world's origin."""
        return np.zeros(2)

    def bring_within_reach(
        self,
        point: NDArray[np.float64],  # noqa: ARG002
        outward: NDArray[np.float64] | None = None,  # noqa: ARG002
    ) -> bool:
        """Bring the robot to where it reaches a point, when it can move and does not reach it yet.

        Args:
            point: (3,) world.
            outward: (3,) the direction from the point to where the robot should stand, where that matters.

        Returns:
            Whether the robot has moved: what was seen before is then seen from elsewhere.
        """
        return False

    def draw_in(self) -> None:
        """Draw a stretched hand in, so that it hides nothing, where the robot has a place for that."""

    def within(self, position: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the place (3,) nearest to a position that the hand may be sent to from where the robot stands."""
        return np.clip(position, self.workspace["low"], self.workspace["high"])

    def overhead(self, above_z: float) -> Points:  # noqa: ARG002
        """Return the surface points (n, 3) of what hangs over things that end at a height; none over an open table."""
        return NOTHING

    def viewer(self) -> Viewer:
        """Return how somebody who looks through the main camera stands to the scene, to a quarter turn of the robot."""
        meta = self.env.camera_meta(self.main, size=self.size_of(self.main))
        ahead = meta.world_from_camera[:2, 2]
        quarter = round(wrap_angle(math.atan2(ahead[1], ahead[0]) - self.base_yaw) / (math.pi / 2))
        x, y = self.facing
        quarters = ((x, y), (-y, x), (-x, -y), (y, -x))
        return Viewer(ahead=quarters[quarter % 4], middle=(self.work_middle[0], self.work_middle[1]))

    def snapshot(self) -> bytes:
        """Return the simulator's exact state together with what the hand holds."""
        header = json.dumps({"held": self.held.as_data() if self.held else None}).encode()
        return len(header).to_bytes(4, "little") + header + self.env.snapshot()

    def restore(self, data: bytes) -> None:
        """Come back to a snapshot.

        Raises:
            ToolError: These bytes are none; nothing has changed.
        """
        try:
            size = int.from_bytes(data[:4], "little")
            told = json.loads(data[4 : 4 + size])["held"]
            held = Held.from_data(told) if told else None
        except (ValueError, LookupError, TypeError) as error:
            raise ToolError("These bytes are not a snapshot of this robot.") from error
        self.state = self.env.restore(data[4 + size :])
        self.held = held
        self._views.clear()

    def begin(self, observation: Observation) -> None:
        """Take over the first state of an episode; what was seen and found before is forgotten, ids begin anew too."""
        self.state = observation
        self.held = None
        self._views.clear()
        self._found.clear()
        self._searches = 0

    # --- pictures --------------------------------------------------------------------------------------------------

    @property
    def main(self) -> str:
        """The main camera: whose picture a planner sees after each action."""
        return self.cameras[0]

    def size_of(self, camera: str) -> int:
        """Return the rows and columns of a camera's picture."""
        return self._main_size if camera == self.main else VIEW_SIZE

    def view(self, camera: str | None = None) -> View:
        """Return a camera's picture of the present state, the main one's by default; rendered once per state."""
        name = camera or self.main
        self.look([name])
        return self._views[name]

    def look(self, cameras: Sequence[str]) -> None:
        """Render the missing pictures of several cameras in one call."""
        missing = [camera for camera in cameras if camera not in self._views]
        if missing:
            sizes = {camera: self.size_of(camera) for camera in missing}
            observation = self.env.observe(cameras=missing, size=sizes, depth=True)
            self.note(observation)
            for camera in missing:
                self._views[camera] = View(camera=camera, observation=observation)

    # --- things ----------------------------------------------------------------------------------------------------

    def find(
        self,
        prompt: str | None = None,
        *,
        point: tuple[int, int] | None = None,
        camera: str | None = None,
        limit: int = 8,
    ) -> list[Found]:
        """Return the things that a prompt or a point [row, col] names, best first.

        Args:
            prompt: What is looked for.
            point: A pixel instead, of the named camera's picture or the main one's.
            camera: Whose present picture is looked at; without one those of all `seekers`, in which a thing that
                several see counts once, as it is seen best.
            limit: At most so many.
        """
        if self.perceptor is None:
            raise ToolError("No perceptor is attached.", hint="Start the run with `--perceptor`.")
        names = [camera or self.main] if camera or point else list(self.seekers)
        self.look(names)
        self._searches += 1
        found: list[Found] = []
        for name in names:
            view = self.view(name)
            segments = self.perceptor.segment(
                view.observation, name, prompt=prompt, point=point, max_candidates=limit
            )
            found += located(segments, view, f"s{self._searches}.", first=len(found))
        if len(names) > 1:
            found = seen_best(found, SAME_M)
        self._found.update({thing.id: thing for thing in found})
        return found[:limit]

    def known(self, segment_id: str) -> Found:
        """Return what an earlier `segment` call found.

        Raises:
            ToolError: There is no such segment.
        """
        try:
            return self._found[segment_id]
        except KeyError:
            recent = ", ".join(f"`{name}`" for name in list(self._found)[-6:]) or "none yet"
            raise ToolError(f"There is no segment `{segment_id}`; known: {recent}.") from None

    def target(self, prompt: str | None, segment_id: str | None) -> Found:
        """Return the one thing that a tool call means.

        Raises:
            ToolError: Neither is given, or nothing fits.
        """
        if segment_id:
            return self.known(segment_id)
        if not prompt:
            raise ToolError("Say what is meant: name the thing, or give a `segment_id`.")
        found = self.find(prompt)
        if not found:
            raise ToolError(
                f"`{prompt}` is not visible in the {' or '.join(self.seekers)} picture.",
                hint="Try other words, or look.",
            )
        return found[0]

    def around(self, thing: Found) -> Points:
        """Return the surface points of everything in a thing's picture but itself, the robot and what it holds."""
        return self.everything(thing.view, without=grown(thing.segment.mask))

    def everything(self, view: View, without: NDArray[np.bool_] | None = None) -> Points:
        """Return the surface points of a picture without the robot, what it holds, and a further mask."""
        keep = np.ones(view.depth.shape, dtype=bool) if without is None else ~without
        robot = self._robot_mask(view)
        if robot is not None:
            return cloud.thin_out(self.without_held(view.points(keep & ~grown(robot))))
        return cloud.thin_out(self.without_held(self.without_hand(view.points(keep))))

    def again(self, thing: Found) -> Found:
        """Return a thing as it is seen now; as it was seen before where it is hidden now."""
        return self.same_thing(thing, self.view(thing.view.camera)) or thing

    def _robot_mask(self, view: View) -> NDArray[np.bool_] | None:
        if self.perceptor is None:
            return None
        segments = self.perceptor.segment(view.observation, view.camera, prompt=ROBOT)
        return segments[0].mask if segments else None

    def same_thing(self, thing: Found, view: View) -> Found | None:
        """Return the same thing in another picture: the candidate of that label nearest to it."""
        if self.perceptor is None:
            return None
        segments = self.perceptor.segment(view.observation, view.camera, prompt=thing.label)
        near = [
            (distance, candidate)
            for candidate in located(segments, view)
            if (distance := float(np.linalg.norm(candidate.middle[:2] - thing.middle[:2]))) < SAME_M
        ]
        return min(near, key=lambda pair: pair[0])[1] if near else None

    def without_hand(self, points: Points) -> Points:
        """Drop points at the hand, for perceptors that do not know the robot."""
        x, y, z = self.state.eef_position
        near = np.hypot(points[:, 0] - x, points[:, 1] - y) < 0.14
        return np.asarray(points[~(near & (points[:, 2] > z - 0.012))])

    def without_held(self, points: Points) -> Points:
        """Drop points of what the hand holds."""
        if self.held is None:
            return points
        eef = self.state.eef_position
        middle = eef[:2] + self.held.offset_at(self.gripper_yaw)
        near = np.linalg.norm(points[:, :2] - middle, axis=1) < self.held.reach_m + 0.015
        level = (points[:, 2] > eef[2] - self.held.below_m - 0.01) & (points[:, 2] < eef[2] + 0.06)
        return np.asarray(points[~(near & level)])

    # --- motion ----------------------------------------------------------------------------------------------------

    def move(self, waypoints: Sequence[Waypoint], until: Until | None = None) -> ServoResult:
        """Carry out a closed-loop motion inside the env server, and remember the state it ends in.

        Raises:
            ToolError: A waypoint is outside the workspace.
        """
        for waypoint in waypoints:
            if "position" in waypoint:
                self.check_position(waypoint["position"])
        result = self._servo(waypoints, until)
        if result.status == "stalled" and kinematics.is_straight(self.state.joint_positions):
            self._unbend()
            before = result.waypoints_reached
            rest = self._servo(waypoints[before:], until)
            result = replace(rest, waypoints_reached=before + rest.waypoints_reached)
        return result

    def _servo(self, waypoints: Sequence[Waypoint], until: Until | None) -> ServoResult:
        result = self.env.servo(list(waypoints), until or {}, cancel=self._context.cancel())
        self.note(result.observation)
        return result

    def _unbend(self) -> None:
        """Free an arm whose elbow has gone past straight, and set the hand upright again."""
        yaw = self.gripper_yaw
        position, tilted = kinematics.unbend(self.state.eef_position, self.hand_rotation, self.base)
        self._servo(
            [
                {"position": position, "quaternion": rotations.to_quaternion(tilted)},
                {"position": position, "yaw": yaw, "pitch": 0.0},
            ],
            {"position_tolerance_m": 0.05, "rotation_tolerance_rad": 0.3, "stall_steps": 12},
        )

    def check_position(self, position: Any) -> NDArray[np.float64]:
        """Return the position as an array.

        Raises:
            ToolError: It is not three finite numbers inside the workspace.
        """
        point = np.asarray(position, dtype=np.float64)
        if point.shape != (3,) or not np.isfinite(point).all():
            raise ToolError("A position is three finite numbers [x, y, z] in metres.")
        low, high = self.workspace["low"], self.workspace["high"]
        if (point < low).any() or (point > high).any():
            raise ToolError(
                f"Position {rounded(point, 3)} is outside the workspace, {rounded(low, 3)} to {rounded(high, 3)}."
            )
        return point

    def summary(self) -> Mapping[str, Any]:
        """Return the robot's state as plain data."""
        state = self.state
        return {
            "step": state.step,
            "eef_position": rounded(state.eef_position),
            "eef_quaternion_xyzw": rounded(state.eef_quaternion),
            "yaw_rad": round(self.gripper_yaw, 4),
            "gripper_opening_m": round(state.gripper_opening_m, 4),
            "holding": self.held.label if self.held else None,
            "task_success": state.success,
            "terminated": state.terminated,
            "truncated": state.truncated,
        }
