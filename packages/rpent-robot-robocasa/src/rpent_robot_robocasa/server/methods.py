"""The env server's methods: checked parameters in, plain data and arrays out."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any, cast, get_args

import numpy as np
from rpent.env.types import CHUNK_OBSERVE
from rpent.errors import UsageError
from rpent_manipulation.env import guardrails
from rpent_manipulation.env.recording import Recording
from rpent_manipulation.env.servo import Servo
from rpent_manipulation.env.targets import parse_targets, parse_until
from rpent_manipulation.env.watching import parse_observe
from rpent_manipulation.mujoco.renderer import MAX_SIZE, Renderer

from rpent_robot_robocasa.catalog import find_task
from rpent_robot_robocasa.config import LAYOUTS, Split
from rpent_robot_robocasa.server import omron, snapshot
from rpent_robot_robocasa.server.cameras import CAMERA_NAMES, MAIN_CAMERA
from rpent_robot_robocasa.server.episode import REACH_M, Episode
from rpent_robot_robocasa.server.floor_plan import floor_plan
from rpent_robot_robocasa.server.instances import Instances
from rpent_robot_robocasa.server.kitchen import CONTROL_FREQ_HZ, Kitchen
from rpent_robot_robocasa.server.kitchens import Choice
from rpent_robot_robocasa.server.omron import ACTION_DIM
from rpent_robot_robocasa.server.snapshot import Snapshots

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from rpent.rpc.facade import CallContext
    from rpent_manipulation.env.targets import Target

    from rpent_robot_robocasa.catalog import Task
    from rpent_robot_robocasa.config import EnvServerConfig

_MIN_SIZE = 16
_KEEP = object()
"""What a parameter is when it was not given, where None means something else."""


class RobocasaEnv:
    """One simulator: a kitchen, its running episode, its renderer and its recording."""

    def __init__(
        self, config: EnvServerConfig, assets: Path, assets_kind: str, versions: Mapping[str, str]
    ) -> None:
        self._config, self._assets, self._assets_kind = config, assets, assets_kind
        self._versions = dict(versions)
        self._recording: Recording | None = None
        self._renderer: Renderer | None = None
        self._kitchen: Kitchen | None = None
        choice = Choice(split=config.split, layout=config.layout, style=config.style)
        self._build(find_task(config.task_name), choice, config.seed)

    def _build(self, task: Task, choice: Choice, seed: int) -> None:
        """Build a kitchen and begin its episode; refused before anything of the old one is lost."""
        choice.pairs(task)
        self._release()
        self._kitchen = Kitchen(task, choice, seed, self._assets)
        self.episode = Episode(self._kitchen, max_steps=self._config.max_episode_steps)
        self._snapshots = Snapshots(self._kitchen)
        self._instances: Instances | None = None
        self._rearm_recording()

    def _release(self) -> None:
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None
        if self._kitchen is not None:
            self._kitchen.close()
            self._kitchen = None
            gc.collect()

    @property
    def kitchen(self) -> Kitchen:
        """The present kitchen."""
        if self._kitchen is None:
            raise UsageError("The last reset failed, there is no kitchen.", hint="Call `reset` again.")
        return self._kitchen

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
        before = Choice(split=self._config.split) if self._kitchen is None else self._kitchen.choice
        old_task = self._config.task_name if self._kitchen is None else self._kitchen.task.name
        choice = Choice(
            split=before.split if split is None else _split(split),
            layout=before.layout if layout is _KEEP else _number(layout, "`layout`"),
            style=before.style if style is _KEEP else _number(style, "`style`"),
        )
        wanted_seed = self.episode.seed if seed is None else guardrails.count(seed, 0, 2**31 - 1, "`seed`")
        self._build(find_task(old_task if task_name is None else str(task_name)), choice, wanted_seed)
        return self.episode.observation()

    def step(self, call: CallContext, *, action: Any) -> dict[str, Any]:  # noqa: ARG002
        """Carry out one control step."""
        checked = guardrails.vector(action, ACTION_DIM, "`action`")
        self.episode.require_running()
        self.episode.step(checked)
        return self.episode.observation()

    def chunk_step(self, call: CallContext, *, actions: Any, observe: Any = None) -> dict[str, Any]:
        """Carry out actions in order until they are through, the episode ends or the call is cancelled."""
        checked = guardrails.actions(actions, ACTION_DIM)
        watch = parse_observe(observe, len(checked))
        for name in watch.cameras:  # an unknown one is refused before anything moves
            self.camera_meta(call, camera=name, size=_size_of(watch.size, name))
        self.episode.require_running()
        rewards: list[float] = []
        track: list[list[float]] = []
        observed: list[dict[str, Any]] = []
        for action in checked:
            if self.episode.over or call.cancel.cancelled:
                break
            self.episode.step(action)
            rewards.append(float(self.episode.success))
            track.append([*self.episode.arm.position, self.episode.arm.gripper_opening_m])
            if len(rewards) in watch.at:
                observed.append(self._look(watch.cameras, watch.size))
        observation = self.episode.observation()
        observation["extra"]["track"] = np.reshape(np.array(track), (-1, 4))
        done = {"executed": len(rewards), "rewards": rewards}
        return {**observation, **done, **({} if observe is None else {"observed": observed})}

    def servo(self, call: CallContext, *, targets: Any, until: Any = None) -> dict[str, Any]:
        """Move through targets in closed loop."""
        checked, limits = self._checked(targets), parse_until(until)
        self.episode.check_reach(checked)
        return Servo(self.episode, checked, limits, call).run()

    def _checked(self, targets: Any) -> list[Target]:
        episode = self.episode
        return parse_targets(
            targets,
            episode.workspace,
            max_step_m=omron.LEAD_M,
            torso_range_m=episode.drivetrain.torso_range_m,
        )

    def observe(
        self, call: CallContext, *, cameras: Any = (), size: Any = 256, depth: bool = False
    ) -> dict[str, Any]:
        """Return the state and upright pictures, with depth in metres when asked for."""
        call.raise_if_cancelled()
        names = list(cameras) or (list(size) if hasattr(size, "keys") else [])
        return self._look(names, size, depth=depth)

    def _look(self, names: Sequence[str], size: Any, *, depth: bool = False) -> dict[str, Any]:
        observation = self.episode.observation()
        for name in names:
            shape = _shape(_size_of(size, name))
            camera = CAMERA_NAMES.get(name, name)
            if depth:
                picture, metres = self.renderer.picture_and_depth(camera, shape)
                observation["depth"][name] = metres
            else:
                picture = self.renderer.picture(camera, shape)
            observation["images"][name] = picture
            observation["cameras"][name] = self.renderer.calibration(camera, shape) | {"name": name}
        return observation

    def camera_meta(self, call: CallContext, *, camera: str, size: Any = 256) -> dict[str, Any]:  # noqa: ARG002
        """Return a camera's calibration for a picture size."""
        return self.renderer.calibration(CAMERA_NAMES.get(camera, camera), _shape(size)) | {"name": camera}

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
        return self._instances.view(self.renderer, CAMERA_NAMES.get(camera, camera), _shape(size))

    def snapshot(self, call: CallContext) -> bytes:  # noqa: ARG002
        """Return the exact state."""
        return self._snapshots.save(self.episode)

    def restore(self, call: CallContext, *, data: bytes) -> dict[str, Any]:  # noqa: ARG002
        """Come back to a state, of another task and kitchen too."""
        header = snapshot.read_header(data)
        choice = Choice(split=_split(header["split"]), layout=header["layout"], style=header["style"])
        kitchen = self._kitchen
        if kitchen is None or (kitchen.task.name, kitchen.choice, kitchen.seed) != (
            header["task"],
            choice,
            header["seed"],
        ):
            self._build(find_task(header["task"]), choice, header["seed"])
        self._snapshots.load(self.episode, data)
        self._rearm_recording()
        return self.episode.observation()

    def record(
        self,
        call: CallContext,
        *,
        enabled: bool = True,
        camera: str = MAIN_CAMERA,
        size: int = 256,
        every: int = 20,
    ) -> dict[str, Any]:
        """Switch the recording of video frames on (with a first frame) or off."""
        if not enabled:
            self._recording = None
            self.episode.after_step = lambda: None
            return {"recording": False}
        name = CAMERA_NAMES.get(camera, camera)
        side = guardrails.count(size, _MIN_SIZE, 512, "`size`")
        spacing = guardrails.count(every, 1, 10_000, "`every`")
        self.camera_meta(
            call, camera=camera, size=side
        )  # an unknown one is refused before anything is recorded
        self._recording = Recording(self.renderer, camera=name, size=side, every=spacing)
        self._rearm_recording()
        self._recording.capture(self.episode.steps)
        return {"recording": True}

    def frames(self, call: CallContext) -> dict[str, Any]:  # noqa: ARG002
        """Hand over the recorded frames and forget them; from any thread, also while the robot moves."""
        recording = self._recording
        if recording is None:
            raise UsageError("Nothing is being recorded.", hint="Call `record` first.")
        return recording.drain()

    def actions(self, call: CallContext) -> dict[str, Any]:  # noqa: ARG002
        """Hand over the control actions since the last time, a reset or a restore, and forget them."""
        return self.episode.executed.drain(self.episode.steps)

    def close(self) -> None:
        """Release the simulator."""
        self._release()

    def _rearm_recording(self) -> None:
        recording = self._recording
        if recording is None:
            return
        recording.renderer = self.renderer
        episode = self.episode
        episode.after_step = lambda: recording.after_step(episode.steps)


def _split(value: Any) -> Split:
    if value not in get_args(Split):
        raise UsageError(f"Unknown split `{value}`.", hint=f"Splits: {', '.join(get_args(Split))}.")
    return cast("Split", value)


def _number(value: Any, what: str) -> int | None:
    return None if value is None else guardrails.count(value, 1, LAYOUTS, what)


def _size_of(size: Any, name: str) -> Any:
    """Return the size for a camera from one for all or one for each."""
    return size.get(name, 256) if hasattr(size, "keys") else size


def _shape(size: Any) -> tuple[int, int]:
    """Return (height, width) from one number or a pair."""
    pair = list(size) if isinstance(size, list | tuple) else [size, size]
    if len(pair) != 2:
        raise guardrails.GuardrailError("`size` must be one number or height and width.")
    height, width = (guardrails.count(value, _MIN_SIZE, MAX_SIZE, "`size`") for value in pair)
    return height, width
