"""The fake robot's agent side, its spec, and a recipe that solves its task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, cast

from rpent.env.client import EnvClient
from rpent.robot import Prompts, Robot, TaskSetup
from rpent.specs import RobotSpec, ServiceSpec
from rpent.testing.fake_robot.config import FakeConfig
from rpent.testing.fake_robot.tasks import COLORS, DASHBOARD, instruction
from rpent.testing.fake_robot.toolkit import FakeToolkit
from rpent.testing.fake_robot.world import CUBE, PAD, World

if TYPE_CHECKING:
    from rpent.robot import ToolContext
    from rpent.tools.toolkit import Toolkit

ENV = ServiceSpec(
    name="env",
    factory="rpent.testing.fake_robot.server:create",
    config="rpent.testing.fake_robot.config:FakeEnvConfig",
    summary="The fake robot's table.",
    ready_timeout_s=60.0,
)
SPEC = RobotSpec(
    name="fake",
    summary="A gripper over a table, for tests.",
    robot="rpent.testing.fake_robot.robot:FakeRobot",
    config="rpent.testing.fake_robot.config:FakeConfig",
    services=(ENV, ServiceSpec(name="vla", summary="A policy server.", optional=True)),
    embodiment="rpent.testing.fake_robot.embodiment:FAKE",
    dashboard=DASHBOARD,
)


class FakeRobot(Robot):
    """Puts a cube on a pad."""

    config_model: ClassVar = FakeConfig

    def setup(self) -> TaskSetup:
        """Resolve the task."""
        config = cast("FakeConfig", self.config)
        color = list(COLORS)[config.task]
        return TaskSetup(
            instruction=instruction(config.task),
            tag=f"fake_t{config.task}_s{config.seed}",
            seed=config.seed,
            details={"task": config.task},
            prompt_variables={"color": color},
            service_configs={"env": config.model_dump()},
        )

    def prompts(self) -> Prompts:
        """Return short prompts."""
        return Prompts(system="You move cubes with tools; positions are metres.", user="Task: {instruction}.")

    def toolkit(self, context: ToolContext) -> Toolkit:
        """Build the tools at the beginning of the episode; a kept server may be in the middle of another."""
        config = cast("FakeConfig", self.config)
        EnvClient(context.channels["env"]).reset(task=config.task, seed=config.seed)
        return FakeToolkit(context)


def solution(task: int = 0, seed: int = 0) -> list[tuple[str, dict[str, Any]]]:
    """Return the calls that solve a task: what a scripted planner is given."""
    color = list(COLORS)[task]
    x, y, z = World.fresh(color, seed).cubes[color].tolist()
    above, below = 0.2, CUBE / 2
    return [
        ("move_to", {"xyz": [x, y, above], "gripper": "open"}),
        ("move_to", {"xyz": [x, y, z]}),
        ("set_gripper", {"gripper": "close"}),
        ("move_to", {"xyz": [x, y, above]}),
        ("move_to", {"xyz": [PAD[0], PAD[1], above]}),
        ("move_to", {"xyz": [PAD[0], PAD[1], below + 0.005]}),
        ("set_gripper", {"gripper": "open"}),
        ("finish", {"status": "success", "summary": f"The {color} cube is on the pad."}),
    ]
