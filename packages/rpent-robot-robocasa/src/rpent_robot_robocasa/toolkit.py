"""RoboCasa's toolkit: its tools over the env server, and what the session needs to know about the episode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from rpent.env.client import EnvClient
from rpent_manipulation.mobile.world import MobileWorld
from rpent_manipulation.planning.floor import Footprint
from rpent_manipulation.toolkit import ArmToolkit
from rpent_manipulation.tools.fixtures import FixtureTools
from rpent_manipulation.tools.look import LookTools
from rpent_manipulation.tools.motion import MotionTools
from rpent_manipulation.tools.navigation import NavigationTools
from rpent_manipulation.world import VIEW_SIZE

from rpent_robot_robocasa.attach import reset_episode
from rpent_robot_robocasa.base import BACK_M, FRONT_M, HALF_WIDTH_M, PIVOT_M, TORSO_RANGE_M
from rpent_robot_robocasa.tools.hand import HandTools
from rpent_robot_robocasa.tools.policy import PolicyTools

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rpent.robot import ToolContext

CAMERAS = ("agentview_left", "agentview_right", "wrist", "navview")
"""What a planner is told of, the main one first."""

FOOTPRINT = Footprint(front_m=FRONT_M, back_m=BACK_M, half_width_m=HALF_WIDTH_M, pivot_m=PIVOT_M)

LEFT_OUT = frozenset({"rotate_pitch", "turn"})
"""Tools of other robots: `move_pose` tilts the hand here, `turn_knob` turns knobs."""

FINGER_STEP = 0.2
"""By how much the simulator moves the commanded width of the fingers, from -1 to 1, per control step."""

SCENE = ("task_name", "kind", "split", "seed", "layout", "style", "assets", "max_episode_steps")
"""What the env server says of the episode that goes into the run's record."""


class RobocasaToolkit(
    NavigationTools, MotionTools, LookTools, FixtureTools, HandTools, PolicyTools, ArmToolkit
):
    """The mobile Panda of RoboCasa365 as a planner sees it."""

    cameras: ClassVar[tuple[str, ...]] = CAMERAS
    world: MobileWorld

    def __init__(self, context: ToolContext, *, hi_res: int = 0) -> None:
        """Connect to the scene.

        Args:
            context: The run's context.
            hi_res: Side of the main camera's picture, pixels; 0 takes the usual one.
        """
        super().__init__(context)
        env = EnvClient(context.channels["env"])
        self.world = MobileWorld(
            context,
            env,
            footprint=FOOTPRINT,
            torso_range_m=TORSO_RANGE_M,
            cameras=CAMERAS,
            seekers=CAMERAS[:2],
            wrist="wrist",
            main_size=hi_res or VIEW_SIZE,
            finger_step=FINGER_STEP,
        )
        self._scene: Mapping[str, Any] = env.describe()

    def available(self, name: str) -> bool:
        """Whether a tool is offered."""
        return name not in LEFT_OUT

    def details(self) -> Mapping[str, Any]:
        """Return which kitchen and episode it is, from the env server itself."""
        return {key: self._scene[key] for key in SCENE if key in self._scene}

    def instruction(self) -> str | None:
        """Return the benchmark's own words, which name what the seed has drawn."""
        return str(self._scene["instruction"]) or None

    def caveats(self) -> Sequence[str]:
        """Say that placeholder assets make another scene than the benchmark's."""
        if self._scene["assets"] == "real":
            return ()
        return ("The kitchen is built of placeholder assets: results on them are not RoboCasa365's.",)

    def reset(self) -> None:
        """Begin the episode anew: same task, same seed, same kitchen."""
        self.world.begin(reset_episode(self.world.env, self.context.setup.service_configs["env"]))
