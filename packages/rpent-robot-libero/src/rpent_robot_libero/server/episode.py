"""One episode in a scene: reset, control steps, the latched success, and what is observed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from rpent_manipulation.env.episode import OPEN, PLAIN, POSITION_SCALE_M, ROTATION_SCALE_RAD
from rpent_manipulation.env.guardrails import Workspace
from rpent_manipulation.env.running import RunningEpisode
from rpent_manipulation.mujoco.forces import gripper_force_n, hand_bodies

from rpent_robot_libero.server.arm import ACTION_DIM, Arm

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rpent_robot_libero.server.scene import Scene


class Episode(RunningEpisode):
    """The running episode. Every control step of every method goes through `step`."""

    tracking = PLAIN

    def __init__(self, scene: Scene, *, seed: int, max_steps: int, settle_steps: int) -> None:
        """Reset the scene to the initial state that `seed` selects and let it settle.

        Args:
            scene: The scene.
            seed: Selects the initial state.
            max_steps: Control steps until the episode is truncated.
            settle_steps: Null actions with open fingers before step 0, as the field's evaluations do:
                recorded objects hover slightly and fall into place.
        """
        super().__init__(seed=seed, max_steps=max_steps, action_dim=ACTION_DIM)
        self.scene = scene
        self.initial_state = scene.task.initial_state(seed)
        scene.reset(self.initial_state)
        self.arm = Arm(scene)
        base = scene.data.body(scene.robot.robot_model.root_body).xpos
        self.workspace = _reach(np.array(base), scene.surface_z_m)
        null_action = np.zeros(ACTION_DIM)
        null_action[6] = OPEN
        for _ in range(settle_steps):
            self.arm.control_step(null_action)
            scene.update_visuals()
        self.arm.refresh()

    def step(self, action: NDArray[np.float64]) -> None:
        """Carry out one control step of a 7-vector of finite numbers and evaluate the goal."""
        clamped = self.workspace.clamp(action, self.arm.position)
        self.arm.control_step(clamped)
        self.executed.add(clamped)
        self.steps += 1
        # The goal is evaluated on the step's own contacts and poses, as the benchmark does, before poses are
        # refreshed.
        self.success = self.scene.success() or self.success
        self.scene.update_visuals()
        self.arm.refresh()
        self.after_step()

    def move(self, offset_m: NDArray[np.float64], turn_rad: NDArray[np.float64], gripper: float) -> None:
        """Carry out one control step; see `rpent_manipulation.env.episode`."""
        self.step(np.array([*(offset_m / POSITION_SCALE_M), *(turn_rad / ROTATION_SCALE_RAD), gripper]))

    def hand_force_n(self) -> float:
        """Return the largest net contact force between the hand and the world in the last physics step, newtons."""
        scene = self.scene
        hand = hand_bodies(scene.model, scene.robot.robot_model.eef_name)
        return gripper_force_n(scene.model, scene.data, hand)

    def observation(self) -> dict[str, Any]:
        """Return the state as plain data; see `rpent.env.Observation`."""
        return {**self.standing(), **self.arm.observation()}


def _reach(base: NDArray[np.float64], surface_z_m: float) -> Workspace:
    """Return the arm's reach before its base, down to just under the surface that things stand on."""
    low = np.array([base[0] + 0.05, base[1] - 0.75, surface_z_m - 0.02])
    high = np.array([base[0] + 0.95, base[1] + 0.75, surface_z_m + 1.0])
    return Workspace(low=low, high=high)
