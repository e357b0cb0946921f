"""The env server's methods: checked parameters in, plain data and arrays out."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any, ClassVar, cast, get_args

from rpent.env.types import CHUNK_OBSERVE
from rpent.errors import UsageError
from rpent_manipulation.env import guardrails
from rpent_manipulation.env.methods import EpisodeMethods, shape_of
from rpent_manipulation.env.running import MAX_SEED
from rpent_manipulation.env.targets import parse_targets
from rpent_manipulation.mujoco.renderer import Renderer

from rpent_robot_robocasa.catalog import find_task
from rpent_robot_robocasa.config import LAYOUTS, Split
from rpent_robot_robocasa.kitchens import Choice
from rpent_robot_robocasa.server import omron
from rpent_robot_robocasa.server.cameras import CAMERA_NAMES, MAIN_CAMERA
from rpent_robot_robocasa.server.episode import REACH_M, Episode
from rpent_robot_robocasa.server.floor_plan import floor_plan
from rpent_robot_robocasa.server.instances import Instances
from rpent_robot_robocasa.server.kitchen import CONTROL_FREQ_HZ, Kitchen
from rpent_robot_robocasa.server.omron import ACTION_DIM
from rpent_robot_robocasa.server.snapshot import Snapshots, saved_kitchen

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rpent.rpc.facade import CallContext
    from rpent_manipulation.env.targets import Target

    from rpent_robot_robocasa.catalog import Task
    from rpent_robot_robocasa.config import EnvServerConfig

_KEEP = object()
"""What a parameter is when it was not given, where None means something else."""


class RobocasaEnv(EpisodeMethods):
    """One simulator: a kitchen, its running episode, its renderer and its recording."""

    action_dim: ClassVar[int] = ACTION_DIM
    camera_names: ClassVar[Mapping[str, str]] = CAMERA_NAMES
    main_camera: ClassVar[str] = MAIN_CAMERA

    def __init__(
        self, config: EnvServerConfig, assets: Path, assets_kind: str, versions: Mapping[str, str]
    ) -> None:
        self._config, self._assets, self._assets_kind = config, assets, assets_kind
        self._versions = dict(versions)
        self._renderer: Renderer | None = None
        self._kitchen: Kitchen | None = None
        choice = Choice(split=config.split, layout=config.layout, style=config.style)
        self._build(find_task(config.task_name), choice, config.seed)

    def _build(self, task: Task, choice: Choice, seed: int) -> None:
        """Build a kitchen and begin its episode; refused before anything of the old one is lost."""
        choice.pairs(task)
        self._release()
        kitchen = Kitchen(task, choice, seed, self._assets)
        self._episode = Episode(kitchen, max_steps=self._config.max_episode_steps)
        self._snapshots = Snapshots(kitchen)
        self._instances: Instances | None = None
        self._kitchen, self._last = kitchen, (task, choice, seed)
        self.rearm_recording()

    def _release(self) -> None:
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None
        if self._kitchen is not None:
            self._kitchen.close()
            self._kitchen = None
        gc.collect()  # also what a reset that failed has left

    @property
    def kitchen(self) -> Kitchen:
        """The present kitchen.

        Raises:
            UsageError: There is none.
        """
        if self._kitchen is None:
            raise _no_kitchen()
        return self._kitchen

    @property
    def episode(self) -> Episode:  # type: ignore[override]  # read-only here
        """The episode in the present kitchen.

        Raises:
            UsageError: There is no kitchen.
        """
        if self._kitchen is None:
            raise _no_kitchen()
        return self._episode

    @property
    def renderer(self) -> Renderer:
        """Draws the present kitchen; made when the first picture is asked for."""
        if self._renderer is None:
            self._renderer = Renderer(self.kitchen.model)
            self._renderer.follow(self.kitchen.model, self.kitchen.data)
        return self._renderer

    # --- the method table's handlers; `call` comes first, parameters are keywords ---

    def describe(self, call: CallContext) -> dict[str, Any]:  # noqa: ARG002
        """Say what this env is."""
        kitchen, episode = self.kitchen, self.episode
        workspace = episode.workspace
        model = kitchen.model
        cameras = [model.camera(index).name for index in range(model.ncam)]
        return {
            "robot": "robocasa",
            "task_name": kitchen.task.name,
            "kind": kitchen.task.kind,
            "instruction": kitchen.instruction,
            "split": kitchen.choice.split,
            "seed": episode.seed,
            "layout": kitchen.layout,
            "style": kitchen.style,
            "asked": {"layout": kitchen.choice.layout, "style": kitchen.choice.style},
            "assets": self._assets_kind,
            "action_dim": ACTION_DIM,
            "action_low": [-1.0] * ACTION_DIM,
            "action_high": [1.0] * ACTION_DIM,
            "cameras": list(CAMERA_NAMES),
            "other_cameras": [name for name in cameras if name not in CAMERA_NAMES.values()],
            "control_freq": CONTROL_FREQ_HZ,
            "max_episode_steps": episode.max_steps,
            "workspace": {"low": workspace.low.tolist(), "high": workspace.high.tolist()},
            "reach_m": REACH_M,
            "torso_range_m": list(episode.drivetrain.torso_range_m),
            "joint_names": list(episode.arm.joint_names),
            "mobile": True,
            "privileged": self._config.privileged,
            "settle_steps": 0,
            CHUNK_OBSERVE: True,
            "versions": dict(self._versions),
        }

    def reset(
        self,
        call: CallContext,  # noqa: ARG002
        *,
        task: int | None = None,
        seed: int | None = None,
        task_name: str | None = None,
        split: str | None = None,
        layout: Any = _KEEP,
        style: Any = _KEEP,
    ) -> dict[str, Any]:
        """Start an episode; what is not given stays as it is, a layout or style of None is drawn by the seed."""
        if task is not None:
            raise UsageError("Tasks of RoboCasa have names.", hint="Give `task_name`.")
        before, choice_before, seed_before = self._last
        choice = Choice(
            split=choice_before.split if split is None else _split(split),
            layout=choice_before.layout if layout is _KEEP else _number(layout, "`layout`"),
            style=choice_before.style if style is _KEEP else _number(style, "`style`"),
        )
        wanted_seed = seed_before if seed is None else guardrails.count(seed, 0, MAX_SEED, "`seed`")
        self._build(before if task_name is None else find_task(str(task_name)), choice, wanted_seed)
        return self.episode.observation()

    def checked_targets(self, targets: Any) -> list[Target]:
        """Return the waypoints of a motion, checked; the arm's must be within its reach by then."""
        episode = self.episode
        checked = parse_targets(
            targets,
            episode.workspace,
            max_step_m=omron.LEAD_M,
            torso_range_m=episode.drivetrain.torso_range_m,
        )
        episode.check_reach(checked)
        return checked

    def floor_plan(self, call: CallContext) -> dict[str, Any]:  # noqa: ARG002
        """Return where the base cannot stand: what a robot's own map of the room holds, no movable things."""
        return floor_plan(self.kitchen.env)

    def instances(self, call: CallContext, *, camera: str, size: Any = 256) -> dict[str, Any]:  # noqa: ARG002
        """Return which fixture, part or object each pixel shows. Privileged."""
        if not self._config.privileged:
            raise UsageError(
                "This env server does not serve instance masks.", hint="Start it with `privileged`."
            )
        if self._instances is None:
            self._instances = Instances(self.kitchen.env)
        return self._instances.view(self.renderer, self.simulated(camera), shape_of(size))

    def snapshot(self, call: CallContext) -> bytes:  # noqa: ARG002
        """Return the exact state."""
        return self._snapshots.save(self.episode)

    def restore(self, call: CallContext, *, data: bytes) -> dict[str, Any]:  # noqa: ARG002
        """Come back to a state, of another task and kitchen too."""
        saved, kitchen = saved_kitchen(data), self._kitchen
        if kitchen is None or (kitchen.task.name, kitchen.choice, kitchen.seed) != (
            saved.task,
            saved.choice,
            saved.seed,
        ):
            self._build(find_task(saved.task), saved.choice, saved.seed)
        self._snapshots.load(self.episode, data)
        self.rearm_recording()
        return self.episode.observation()

    def close(self) -> None:
        """Release the simulator."""
        self._release()


def _no_kitchen() -> UsageError:
    return UsageError("The last reset failed, there is no kitchen.", hint="Call `reset` again.")


def _split(value: Any) -> Split:
    if not isinstance(value, str) or value not in get_args(Split):
        raise UsageError(f"Unknown split `{value}`.", hint=f"Splits: {', '.join(get_args(Split))}.")
    return cast("Split", value)


def _number(value: Any, what: str) -> int | None:
    return None if value is None else guardrails.count(value, 1, LAYOUTS, what)
