"""The RoboCasa robot on the agent's side: from its options to a task, prompts and a toolkit. No simulator here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from rpent.robot import Robot, TaskSetup

from rpent_robot_robocasa.config import RobocasaConfig
from rpent_robot_robocasa.kitchens import Choice
from rpent_robot_robocasa.naming import chosen_task, spoken

if TYPE_CHECKING:
    from pydantic import BaseModel
    from rpent.robot import Prompts, ToolContext
    from rpent.tools.toolkit import Toolkit


class RobocasaRobot(Robot):
    """RoboCasa365: a Panda on a mobile base, in kitchens."""

    config_model: ClassVar[type[BaseModel]] = RobocasaConfig
    config: RobocasaConfig

    def setup(self) -> TaskSetup:
        """Resolve the task from the catalogue.

        The instruction names sampled objects and sides, so the benchmark words it at the reset: what is told here is
        the task's name as words, until `Toolkit.instruction` tells the real one.

        Raises:
            UsageError: The suite, the task or the kitchen does not exist, or the options do not fit together.
        """
        config = self.config
        task = chosen_task(task_name=config.task_name, suite=config.suite, index=config.task)
        Choice(split=config.split, layout=config.layout, style=config.style).pairs(task)
        episode = self._episode(task.name)
        steps = config.max_episode_steps or task.horizon
        return TaskSetup(
            instruction=spoken(task.name),
            provisional=True,
            tag=f"{task.name}_{config.split}_s{config.seed}",
            seed=config.seed,
            task=f"{task.name}_{config.split}",
            family=task.name,
            details={
                **{key: episode[key] for key in ("task_name", "split", "layout", "style")},
                "kind": task.kind,
                "group": task.group,
                "max_episode_steps": steps,
            },
            prompt_variables={"task_name": task.name, "kind": task.kind, "max_episode_steps": steps},
            service_configs={"env": episode},
        )

    def _episode(self, task_name: str) -> dict[str, Any]:
        """Return the values of the env server's config model."""
        config = self.config
        return {
            "task_name": task_name,
            "split": config.split,
            "seed": config.seed,
            "layout": config.layout,
            "style": config.style,
            "max_episode_steps": config.max_episode_steps,
            "gl": config.gl,
            "assets": config.assets,
            "privileged": False,  # the run sets it where its perceptor is marked privileged
        }

    def prompts(self) -> Prompts:
        """Return RoboCasa's prompt templates."""
        from rpent_robot_robocasa.prompts import prompts  # noqa: PLC0415  (reads the texts)

        return prompts()

    def toolkit(self, context: ToolContext) -> Toolkit:
        """Build the tools over the connected services, at the beginning of the episode."""
        from rpent.env.client import EnvClient  # noqa: PLC0415  (imports numpy code)

        from rpent_robot_robocasa.attach import start_episode  # noqa: PLC0415
        from rpent_robot_robocasa.toolkit import RobocasaToolkit  # noqa: PLC0415

        start_episode(EnvClient(context.channels["env"]), context.setup.service_configs["env"])
        return RobocasaToolkit(context, hi_res=self.config.hi_res)
