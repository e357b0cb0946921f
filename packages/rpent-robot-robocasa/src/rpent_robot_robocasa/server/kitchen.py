"""One kitchen: robosuite's own environment of a task, built from a seed.

Every episode gets a new one: the draws then depend on the seed alone, whatever ran before. Making it takes no time,
the scene is built by its first reset. It draws no pictures and makes no render context.
"""

from __future__ import annotations

import os
import random
import re
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.errors import ServiceError

from rpent_robot_robocasa.server import cameras

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rpent_robot_robocasa.catalog import Task
    from rpent_robot_robocasa.kitchens import Choice

CONTROL_FREQ_HZ = 20
ROBOT = "PandaOmron"
ACTION_ORDER = {"right": (0, 6), "right_gripper": (6, 7), "base": (7, 10), "torso": (10, 11)}
"""What the parts of an action mean; the last one, index 11, is the control mode."""

_ASSETS_VARIABLE = "ROBOCASA_ASSETS_PATH"


def import_simulator(assets: Path) -> None:
    """Import the simulator, which reads the assets' folder then and never again.

    A user's private settings must not change an episode: an empty module answers for robosuite's file of them (which
    besides is warned of when absent), and RoboCasa's variable for its own is taken away. YAML is read by the C loader,
    which gives the same in a quarter of the time: a scene reads 46 files.
    """
    os.environ[_ASSETS_VARIABLE] = str(assets)
    os.environ.pop("ROBOCASA_MACROS_PATH", None)
    settings: Any = ModuleType("robosuite.macros_private")
    settings.CONSOLE_LOGGING_LEVEL = "ERROR"
    sys.modules.setdefault("robosuite.macros_private", settings)
    import yaml  # noqa: PLC0415

    def safe_load(stream: Any) -> Any:
        return yaml.load(stream, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506

    yaml.safe_load = safe_load
    import robocasa  # noqa: F401, PLC0415
    from robocasa.models.fixtures import counter  # noqa: PLC0415

    # It puts the regions of a counter top into a set of XML elements, whose order is that of their addresses in memory:
    # the same seed would put an object now on one side of the sink, now on the other. Keys of a dict keep their order.
    counter.set = dict.fromkeys


class Kitchen:
    """A task's environment in a kitchen, after its reset."""

    def __init__(self, task: Task, choice: Choice, seed: int, assets: Path) -> None:
        """Build the scene and let its objects settle, all as the seed draws it.

        Raises:
            UsageError: The split has no such layout or style, or the task leaves it out.
            ServiceError: A file of the assets is missing, or the seed's objects do not fit in.
        """
        self.task, self.choice, self.seed = task, choice, seed
        pairs = choice.pairs(task)
        random.seed(seed)
        np.random.seed(seed)
        self.env = _make(task.name, seed, pairs, choice.object_split)
        cameras.add_navigation_view(self.env)
        try:
            self.env.reset()
        except (OSError, ValueError) as error:
            raise _missing(error, assets) from error
        except RuntimeError as error:  # after 50 tries
            raise ServiceError(
                f"Task `{task.name}` could not be set up with seed {seed}: its objects do not fit into the kitchens.",
                hint="Use another `--seed`, `--layout` or `--split`.",
            ) from error
        self.model: Any = self.env.sim.model._model
        self.data: Any = self.env.sim.data._data
        order = dict(self.robot.composite_controller._action_split_indexes)
        if order != ACTION_ORDER:
            raise ServiceError(f"The simulator's action order is {order}, not {ACTION_ORDER}.")

    @property
    def robot(self) -> Any:
        """The robosuite robot: models, gripper and controllers."""
        return self.env.robots[0]

    @property
    def instruction(self) -> str:
        """What the task asks for, with the objects and sides that were drawn."""
        return str(self.env.get_ep_meta()["lang"]).strip()

    @property
    def layout(self) -> int:
        """The floor plan that was drawn."""
        return int(self.env.layout_id)

    @property
    def style(self) -> int:
        """The style that was drawn."""
        return int(self.env.style_id)

    def fixtures(self, kind: str) -> Iterator[Any]:
        """Yield the fixtures of a class."""
        return (item for item in self.env.fixtures.values() if type(item).__name__ == kind)

    def close(self) -> None:
        """Let go of the scene; objects refer to one another in circles, so its memory is taken back at once."""
        self.env.close()


def _make(task: str, seed: int, pairs: list[tuple[int, int]], object_split: str | None) -> Any:
    import robosuite  # noqa: PLC0415
    from robosuite.controllers import load_composite_controller_config  # noqa: PLC0415

    return robosuite.make(
        env_name=task,
        robots=ROBOT,
        seed=seed,
        # Without it the actions' order is another one, and another controller moves the base.
        controller_configs=load_composite_controller_config(controller=None, robot=ROBOT),
        has_renderer=False,
        has_offscreen_renderer=False,
        use_camera_obs=False,
        control_freq=CONTROL_FREQ_HZ,
        ignore_done=True,
        translucent_robot=False,
        obj_instance_split=object_split,
        layout_and_style_ids=pairs,
    )


def _missing(error: Exception, assets: Path) -> Exception:
    """Return what to raise for a failed reset: a missing file as one sentence, anything else as it is."""
    text = str(error)
    start = text.find(str(assets))
    if start < 0:
        return error
    path = re.split("['\"\n]", text[start:], maxsplit=1)[0].strip()
    name = path.removeprefix(str(assets)).lstrip("/")
    return ServiceError(
        f"The kitchen asset `{name}` is not in `{assets}`.",
        hint="`rpent robocasa assets fetch` completes the real ones, `rpent robocasa assets placeholder` makes all.",
    )
