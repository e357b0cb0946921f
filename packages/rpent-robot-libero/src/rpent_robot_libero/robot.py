"""The LIBERO robot on the agent's side: from its options to a task, prompts and a toolkit. No simulator here."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rpent.robot import Robot, TaskSetup

from rpent_robot_libero.catalog import find_task
from rpent_robot_libero.config import LiberoConfig

if TYPE_CHECKING:
    from pydantic import BaseModel
    from rpent.robot import Prompts, ToolContext
    from rpent.tools.toolkit import Toolkit


class LiberoRobot(Robot):
    """LIBERO and LIBERO-PRO."""

    config_model: ClassVar[type[BaseModel]] = LiberoConfig
    config: LiberoConfig

    def setup(self) -> TaskSetup:
        """Resolve suite, task and seed from the catalogue.

        Raises:
            UsageError: The suite or task does not exist.
        """
        config = self.config
        task = find_task(config.suite, config.task, libero_type=config.libero_type)
        state = task.initial_state(config.seed)
        return TaskSetup(
            instruction=task.instruction,
            tag=f"{task.suite}_t{task.index}_s{config.seed}",
            seed=config.seed,
            task=f"{task.suite}_t{task.index}",
            family=task.family,
            details={
                "suite": task.suite,
                "task": task.index,
                "task_name": task.name,
                "initial_state": state,
                "initial_states": task.initial_states,
                "libero_type": config.libero_type,
            },
            prompt_variables={"suite": task.suite, "max_episode_steps": config.max_episode_steps},
            service_configs={
                "env": {
                    "suite": task.suite,
                    "task": task.index,
                    "seed": config.seed,
                    "max_episode_steps": config.max_episode_steps,
                    "gl": config.gl,
                    "privileged": False,  # the run sets it where its perceptor is marked privileged
                }
            },
        )

    def prompts(self) -> Prompts:
        """Return LIBERO's prompt templates."""
        from rpent_robot_libero.prompts import prompts  # noqa: PLC0415  (reads the texts)

        return prompts()

    def toolkit(self, context: ToolContext) -> Toolkit:
        """Build the tools over the connected services, at the beginning of the episode."""
        from rpent.env.client import EnvClient  # noqa: PLC0415  (imports numpy code)

        from rpent_robot_libero.attach import start_episode  # noqa: PLC0415
        from rpent_robot_libero.toolkit import LiberoToolkit  # noqa: PLC0415

        start_episode(EnvClient(context.channels["env"]), context.setup.service_configs["env"])
        return LiberoToolkit(context)
