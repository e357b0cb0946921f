"""The fake robot's env server: the env contract over `World`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np

from rpent._version import __version__
from rpent.env.types import CHUNK_OBSERVE, ENV_METHODS
from rpent.errors import RpentError
from rpent.rpc.facade import CallContext, Facade, Method
from rpent.suggest import listing
from rpent.testing.fake_robot import camera as camera_views
from rpent.testing.fake_robot.tasks import COLORS, instruction
from rpent.testing.fake_robot.world import HIGH, LOW, MAX_STEP, World

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from rpent.testing.fake_robot.config import FakeEnvConfig

FRAME_EVERY = 4
"""Control steps between the frames that a motion reports for the video."""


class GuardrailError(RpentError):
    """A value that the env server refuses."""


class FakeEnv:
    """The handlers."""

    def __init__(self, config: FakeEnvConfig) -> None:
        self._config = config
        self._task, self._seed = config.task, config.seed
        self._executed: list[NDArray[np.float64]] = []
        self._world = World.fresh(self._target, self._seed)

    @property
    def _target(self) -> str:
        return list(COLORS)[self._task]

    def describe(self, call: CallContext) -> dict[str, Any]:  # noqa: ARG002
        """Return what the env is."""
        return {
            "robot": "fake",
            "task": self._task,
            "seed": self._seed,
            "instruction": instruction(self._task),
            "init_state": self._seed,
            "action_dim": 4,
            "action_low": np.full(4, -1.0),
            "action_high": np.full(4, 1.0),
            "cameras": list(camera_views.NAMES),
            "control_freq": 20,
            "max_episode_steps": self._config.max_episode_steps,
            "workspace": {"low": LOW, "high": HIGH},
            "joint_names": [],
            CHUNK_OBSERVE: True,
        }

    def reset(self, call: CallContext, task: int | None = None, seed: int | None = None) -> dict[str, Any]:  # noqa: ARG002
        """Start an episode."""
        self._task = self._task if task is None else task
        self._seed = self._seed if seed is None else seed
        self._world = World.fresh(self._target, self._seed)
        self._executed.clear()
        return self._observation()

    def step(self, call: CallContext, action: Any) -> dict[str, Any]:  # noqa: ARG002
        """Carry out one action (4,): displacement and gripper, each in [-1, 1]."""
        self._act(_finite(action, 4))
        return self._observation()

    def chunk_step(
        self, call: CallContext, actions: Any, observe: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Carry out (T, 4) actions until the episode ends or the call is cancelled; look on the way if asked to."""
        look: Mapping[str, Any] = observe or {"cameras": [], "size": 256, "at": []}
        for name in look["cameras"]:
            _check_camera(name)
        track: list[list[float]] = []
        observed = []
        for action in np.asarray(actions):
            if self._over() or call.cancel.cancelled:
                break
            self._act(_finite(action, 4))
            track.append([*self._world.position, self._world.opening])
            if len(track) in look["at"]:
                observed.append(self.observe(call, look["cameras"], look["size"]))
        observation = self._observation()
        observation["extra"]["track"] = np.reshape(np.array(track), (-1, 4))
        told = {"executed": len(track), "rewards": [0.0] * len(track)}
        return {**observation, **told} | ({} if observe is None else {"observed": observed})

    def servo(
        self,
        call: CallContext,
        targets: Sequence[Mapping[str, Any]],
        until: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Move the grasp point through the targets in closed loop."""
        limits = dict(until or {})
        budget, tolerance = (
            int(limits.get("max_steps", 200)),
            float(limits.get("position_tolerance_m", 0.005)),
        )
        steps, reached, status, error = 0, 0, "reached", 0.0
        for target in targets:
            goal = _finite(target.get("position", self._world.position), 3)
            _check_workspace(goal)
            grip, least, done = _gripper(target.get("gripper", "hold")), int(target.get("steps", 0)), 0
            while True:
                error = float(np.linalg.norm(goal - self._world.position))
                status = self._why_stop(call, steps, budget)
                if status != "reached" or (error <= tolerance and done >= least):
                    break
                self._act(np.array([*(goal - self._world.position) / MAX_STEP, grip]))
                steps, done = steps + 1, done + 1
                if steps % FRAME_EVERY == 0:
                    self._report(call, error)
            if status != "reached":
                break
            reached += 1
        return {
            "status": status,
            "waypoints_reached": reached,
            "steps": steps,
            "position_error_m": error,
            "rotation_error_rad": 0.0,
            "observation": self._observation(),
            "detail": "" if status == "reached" else f"stopped: {status}",
        }

    def observe(
        self,
        call: CallContext,  # noqa: ARG002
        cameras: Sequence[str] = (),
        size: Any = 256,
        depth: bool = False,
    ) -> dict[str, Any]:
        """Return the state, and pictures of the named cameras."""
        observation = self._observation()
        for name in cameras:
            _check_camera(name)
            pixels = _side(size.get(name, 256) if hasattr(size, "get") else size)
            picture, distances = camera_views.render(self._world, name, pixels)
            observation["images"][name] = picture
            observation["cameras"][name] = camera_views.camera_meta(self._world, name, pixels)
            if depth:
                observation["depth"][name] = distances
        return observation

    def camera_meta(
        self,
        call: CallContext,  # noqa: ARG002
        camera: str = camera_views.NAME,
        size: int = 256,
    ) -> dict[str, Any]:
        """Return a camera's calibration."""
        _check_camera(camera)
        return camera_views.camera_meta(self._world, camera, size)

    def snapshot(self, call: CallContext) -> bytes:  # noqa: ARG002
        """Return the exact state."""
        return self._world.dump()

    def restore(self, call: CallContext, data: bytes) -> dict[str, Any]:  # noqa: ARG002
        """Come back to a state."""
        try:
            self._world = World.load(data)
        except (ValueError, KeyError, EOFError, OSError, BadZipFile) as error:
            raise GuardrailError("These bytes are not a snapshot of the fake robot.") from error
        self._executed.clear()
        return self._observation()

    def actions(self, call: CallContext) -> dict[str, Any]:  # noqa: ARG002
        """Hand over the actions that were carried out, and forget them."""
        kept = np.array(self._executed, np.float64).reshape(-1, 4)
        self._executed.clear()
        return {"actions": kept, "first_step": self._world.step_count - len(kept)}

    def _act(self, action: Any) -> None:
        if self._over():
            raise GuardrailError("The episode is over; reset first.")
        if self._config.step_time_s:
            time.sleep(self._config.step_time_s)
        self._world.step(action[:3], float(action[3]))
        self._executed.append(np.clip(np.array(action, np.float64), -1.0, 1.0))

    def _why_stop(self, call: CallContext, steps: int, budget: int) -> str:
        if call.cancel.cancelled:
            return "cancelled"
        if self._over():
            return "episode_over"
        return "step_budget" if steps >= budget else "reached"

    def _over(self) -> bool:
        return self._world.success or self._world.step_count >= self._config.max_episode_steps

    def _report(self, call: CallContext, error: float) -> None:
        picture, _ = camera_views.render(self._world, camera_views.NAME, 256)
        call.report({"frame": picture, "step": self._world.step_count, "distance_m": error})

    def _observation(self) -> dict[str, Any]:
        world = self._world
        return {
            "step": world.step_count,
            "eef_position": world.position.copy(),
            "eef_quaternion": np.array([1.0, 0, 0, 0]),
            "gripper_opening_m": world.opening,
            "joint_positions": np.zeros(0),
            "success": world.success,
            "terminated": world.success,
            "truncated": world.step_count >= self._config.max_episode_steps and not world.success,
            "images": {},
            "depth": {},
            "cameras": {},
            "extra": {},
        }


def create(config: FakeEnvConfig) -> Facade:
    """Make the facade that `rpent serve` and the supervisor run."""
    env = FakeEnv(config)
    methods = {name: Method(handler=getattr(env, name)) for name in (*ENV_METHODS, "actions")}
    return Facade(name="fake/env", version=__version__, methods=methods, info={"task": config.task})


def _finite(values: Any, length: int) -> Any:
    array = np.asarray(values, np.float64)
    if array.shape != (length,) or not np.all(np.isfinite(array)):
        raise GuardrailError(f"Expected {length} finite numbers, not {values}.")
    return array


def _side(size: Any) -> int:
    """Return the side of a square picture, from one number or height and width."""
    if isinstance(size, list | tuple):
        if len(set(size)) != 1:
            raise GuardrailError(f"The fake camera makes square pictures, not {list(size)}.")
        return int(size[0])
    return int(size)


def _check_camera(name: str) -> None:
    if name not in camera_views.NAMES:
        raise GuardrailError(f"There is no camera `{name}`; there are {listing(camera_views.NAMES)}.")


def _check_workspace(goal: Any) -> None:
    if np.any(goal < LOW - 1e-9) or np.any(goal > HIGH + 1e-9):
        raise GuardrailError(
            f"The position {np.round(goal, 3).tolist()} is outside the workspace.",
            hint=f"Stay between {LOW.tolist()} and {HIGH.tolist()} m.",
        )


def _gripper(value: Any) -> float:
    return {"open": -1.0, "close": 1.0, "hold": 0.0}[value] if isinstance(value, str) else float(value)
