"""LIBERO's toolkit: its tools over the env server, and what the session needs to know about the episode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from rpent.env.client import EnvClient
from rpent_manipulation.toolkit import ArmToolkit
from rpent_manipulation.tools.contact import ContactTools
from rpent_manipulation.tools.look import LookTools
from rpent_manipulation.tools.motion import MotionTools
from rpent_manipulation.world import World

from rpent_robot_libero.tools.policy import PolicyTools

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpent.robot import ToolContext


class LiberoToolkit(MotionTools, LookTools, ContactTools, PolicyTools, ArmToolkit):
    """The Panda of LIBERO as a planner sees it."""

    cameras: ClassVar[tuple[str, ...]] = ("agentview", "wrist")

    def __init__(self, context: ToolContext) -> None:
        super().__init__(context)
        self.world = World(context, EnvClient(context.channels["env"]), cameras=self.cameras)

    def details(self) -> Mapping[str, Any]:
        """Return which episode it is, from the env server itself."""
        described = self.world.env.describe()
        keys = ("suite", "task", "task_name", "instruction", "seed", "init_state", "max_episode_steps")
        return {key: described[key] for key in keys if key in described}

    def reset(self) -> None:
        """Begin the episode anew: same task, same initial state."""
        episode = self.context.setup.service_configs["env"]
        self.world.begin(self.world.env.reset(task=episode["task"], seed=episode["seed"]))
