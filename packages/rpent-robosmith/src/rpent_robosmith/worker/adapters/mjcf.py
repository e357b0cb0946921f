"""Synthesised scenes as Gymnasium environments on MuJoCo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium
import mujoco
import numpy as np
from gymnasium import spaces
from gymnasium.wrappers import TimeLimit
from rpent.errors import UsageError

from rpent_robosmith.synthesis.mjcf import CAMERA, mjcf
from rpent_robosmith.synthesis.scene import parse_scene
from rpent_robosmith.worker.api import EnvAdapter
from rpent_robosmith.worker.measuring import step_value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from rpent_robosmith.catalog.entry import EnvEntry
    from rpent_robosmith.synthesis.scene import Observation, Scene

PICTURE = (480, 640)
"""Height and width of what `render` returns, pixels."""
_BROKEN = (
    mujoco.mjtWarning.mjWARN_BADQPOS,
    mujoco.mjtWarning.mjWARN_BADQVEL,
    mujoco.mjtWarning.mjWARN_BADQACC,
)
"""MuJoCo's warnings that the simulation has blown up and was reset in silence."""


class SceneEnv(gymnasium.Env[dict[str, Any], Any]):
    """One scene. The same seed gives the same episode, bit for bit.

    Args:
        scene: What it is.
        render_mode: `rgb_array` or None.

    Raises:
        UsageError: MuJoCo does not compile it.
    """

    def __init__(self, scene: Scene, *, render_mode: str | None = None) -> None:
        self.scene, self.render_mode = scene, render_mode
        try:
            self.model = mujoco.MjModel.from_xml_string(mjcf(scene))
        except ValueError as error:
            reason = " ".join(str(error).split()).removeprefix("Error: ").rstrip(".")
            raise UsageError(f"MuJoCo does not compile the scene `{scene.name}`: {reason}.") from error
        self.data = mujoco.MjData(self.model)
        self.dt = scene.timestep_s * scene.frame_skip
        self.metadata = {"render_modes": ["rgb_array"], "render_fps": max(1, round(1 / self.dt))}
        low, high = np.asarray([(each.low, each.high) for each in scene.actuators], dtype=np.float32).T
        self._bounds = low, high
        self.action_space = spaces.Box(low, high, dtype=np.float32)
        mujoco.mj_forward(self.model, self.data)
        self.observation_space = spaces.Dict(
            {
                name: spaces.Box(-np.inf, np.inf, shape=part.shape, dtype=np.float64)
                for name, part in self._observe().items()
            }
        )
        self._renderer: mujoco.Renderer | None = None
        self._check_ends()

    def _check_ends(self) -> None:
        for end in self.scene.ends:
            size = self.observation_space.spaces[end.observation].shape[0]  # type: ignore[attr-defined]
            if end.index >= size:
                raise UsageError(
                    f"An end of the scene `{self.scene.name}` names number {end.index} of `{end.observation}`, "
                    f"which has {size}."
                )

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[np.float64]], dict[str, Any]]:
        """Begin an episode: joints at their start with their spread, goals drawn anew."""
        super().reset(seed=seed, options=dict(options or {}))
        mujoco.mj_resetData(self.model, self.data)
        for joint in self.scene.joints.values():
            address = int(self.model.joint(joint.name).qposadr[0])
            spread = np.asarray(joint.spread or [0.0])
            drawn = self.np_random.uniform(-spread, spread)
            if joint.kind == "free":
                self.data.qpos[address : address + 3] += drawn
            else:
                self.data.qpos[address] = joint.start + drawn[0]
        for goal in self.scene.goals:
            mocap = int(self.model.body(goal.name).mocapid[0])
            self.data.mocap_pos[mocap] = self.np_random.uniform(goal.low_m, goal.high_m)
        mujoco.mj_forward(self.model, self.data)
        return self._observe(), {}

    def step(
        self, action: NDArray[np.floating[Any]]
    ) -> tuple[dict[str, NDArray[np.float64]], float, bool, bool, dict[str, Any]]:
        """Take one control step.

        Raises:
            FloatingPointError: The simulation has blown up.
        """
        self.data.ctrl[:] = np.clip(np.asarray(action, dtype=np.float64), *self._bounds)
        mujoco.mj_step(self.model, self.data, nstep=self.scene.frame_skip)
        if any(self.data.warning[kind].number for kind in _BROKEN):
            raise FloatingPointError(f"the simulation of `{self.scene.name}` has become unstable")
        mujoco.mj_forward(self.model, self.data)  # positions of this moment, not of one physics step ago
        observation = self._observe()
        return observation, self._reward(observation, action), self._ended(observation), False, {}

    def render(self) -> Any:
        """Return a picture, (H, W, 3) uint8; None without a render mode."""
        if self.render_mode != "rgb_array":
            return None
        if self._renderer is None:
            self._renderer = mujoco.Renderer(self.model, *PICTURE)
        self._renderer.update_scene(self.data, camera=CAMERA if self.scene.camera is not None else -1)
        return self._renderer.render()

    def close(self) -> None:
        """Release the renderer."""
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None

    def _reward(self, observation: Mapping[str, Any], action: Any) -> float:
        measure = self.scene.measures[self.scene.progress]
        value = step_value(measure, observation, action, 0.0, {})
        return value if measure.better == "higher" else -value

    def _ended(self, observation: Mapping[str, Any]) -> bool:
        for end in self.scene.ends:
            value = float(observation[end.observation][end.index])
            below = end.at_least is not None and value < end.at_least
            if below or (end.at_most is not None and value > end.at_most):
                return True
        return False

    def _observe(self) -> dict[str, NDArray[np.float64]]:
        return {name: self._part(each) for name, each in sorted(self.scene.observations.items())}

    def _part(self, observation: Observation) -> NDArray[np.float64]:
        match observation.kind:
            case "joint_positions" | "joint_velocities":
                values, field = (
                    (self.data.qpos, "qposadr")
                    if observation.kind == "joint_positions"
                    else (self.data.qvel, "dofadr")
                )
                joints = self.scene.observed_joints(observation)
                return np.asarray(
                    [values[getattr(self.model.joint(joint.name), field)[0]] for joint in joints]
                )
            case "position":
                return self._place(observation.of)
            case "difference":
                return self._place(observation.of) - self._place(observation.minus)
            case "velocity":
                return self._velocity(observation.of)
            case "direction":
                return np.array(self.data.body(observation.of).xmat.reshape(3, 3)[:, 2])
            case "touch":
                return np.array([float(self._touch(observation.of, observation.minus))])

    def _place(self, name: str) -> NDArray[np.float64]:
        """Return the position of a point, goal or body, (3,) metres, world."""
        if any(point.name == name for point in self.scene.points):
            return np.array(self.data.site(name).xpos)
        return np.array(self.data.body(name).xpos)

    def _velocity(self, name: str) -> NDArray[np.float64]:
        """Return the linear velocity of a point, goal or body, (3,) m/s, world."""
        point = any(each.name == name for each in self.scene.points)
        kind = mujoco.mjtObj.mjOBJ_SITE if point else mujoco.mjtObj.mjOBJ_XBODY
        found = np.zeros(6)
        number = (self.model.site if point else self.model.body)(name).id
        mujoco.mj_objectVelocity(self.model, self.data, kind, number, found, 0)
        return found[3:]

    def _touch(self, first: str, second: str) -> bool:
        wanted = {self.model.body(first).id, self.model.body(second).id}
        pairs = self.model.geom_bodyid[self.data.contact.geom]
        return any({int(a), int(b)} == wanted for a, b in pairs)


class MjcfAdapter(EnvAdapter):
    """Environments of synthesised scenes."""

    def make(self, entry: EnvEntry, *, render_mode: str | None = None) -> gymnasium.Env[Any, Any]:
        """Return the environment of an entry, whose `kwargs` hold the `scene`.

        Raises:
            UsageError: The scene is not valid, or MuJoCo does not compile it.
        """
        if entry.kwargs.keys() != {"scene"}:
            raise UsageError(f"`{entry.id}` must have a `scene` among its arguments, and nothing else.")
        scene = parse_scene(entry.kwargs["scene"])
        env = SceneEnv(scene, render_mode=render_mode)
        return TimeLimit(env, entry.max_episode_steps or scene.max_episode_steps)
