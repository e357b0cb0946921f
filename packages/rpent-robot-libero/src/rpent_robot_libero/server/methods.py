"""The env server's methods: checked parameters in, plain data and arrays out."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.env.types import CHUNK_OBSERVE
from rpent.errors import UsageError
from rpent_manipulation.env import guardrails
from rpent_manipulation.env.recording import Recording
from rpent_manipulation.env.servo import Servo
from rpent_manipulation.env.targets import parse_targets, parse_until
from rpent_manipulation.env.watching import parse_observe
from rpent_manipulation.mujoco import gl
from rpent_manipulation.mujoco.renderer import MAX_SIZE, Renderer

from rpent_robot_libero.catalog import find_task
from rpent_robot_libero.server import snapshot, warmup
from rpent_robot_libero.server.arm import ACTION_DIM
from rpent_robot_libero.server.episode import Episode
from rpent_robot_libero.server.instances import Instances
from rpent_robot_libero.server.scene import CONTROL_FREQ_HZ, Scene, task_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpent.rpc.facade import CallContext

    from rpent_robot_libero.config import EnvServerConfig
    from rpent_robot_libero.server.model_store import ModelStore

CAMERA_NAMES = {"agentview": "agentview", "wrist": "robot0_eye_in_hand"}
"""The cameras that a planner is told of, by the names that it uses. Every other camera answers to its own."""
_MIN_SIZE = 16


class LiberoEnv:
    """One simulator: a scene, its running episode, its renderer and its recording."""

    def __init__(self, config: EnvServerConfig, store: ModelStore) -> None:
        self._config, self._store = config, store
        self._recording: Recording | None = None
        self._renderer: Renderer | None = None
        self._build(config.task, config.seed)

    def _build(self, task: int, seed: int) -> None:
        wanted = find_task(self._config.suite, task)
        text = Path(task_file(wanted)).read_text(encoding="utf-8")
        if self._renderer is None:
            self._start_early(text)
        self.scene = Scene(wanted, lambda xml: self._store.load(xml, task_file_text=text))
        if self._renderer is None or not self._renderer.follow(self.scene.model, self.scene.data):
            self._renderer = Renderer(self.scene.model)
            self._renderer.follow(self.scene.model, self.scene.data)
        self.episode = self._new_episode(seed)
        self._instances = Instances(self.scene) if self._config.privileged else None

    def _start_early(self, task_file_text: str) -> None:
        """Upload the model that this task had last time to the GPU while another thread imports Python code."""
        if not self._store.expect(task_file_text):
            return
        gl.import_bindings()
        imports = warmup.in_background(warmup.import_and_load)
        model = self._store.expected()
        if model is not None:
            self._renderer = Renderer(model)
        for thread in imports:
            thread.join()

    @property
    def renderer(self) -> Renderer:
        """Draws the present scene."""
        assert self._renderer is not None
        return self._renderer

    def _new_episode(self, seed: int) -> Episode:
        return Episode(
            self.scene,
            seed=seed,
            max_steps=self._config.max_episode_steps,
            settle_steps=self._config.settle_steps,
        )

    # --- the method table's handlers; `call` comes first, parameters are keywords ---

    def describe(self, call: CallContext) -> dict[str, Any]:  # noqa: ARG002
        """Say what this env is."""
        task, episode = self.scene.task, self.episode
        workspace = episode.workspace
        return {
            "robot": "libero",
            "suite": task.suite,
            "task": task.index,
            "task_name": task.name,
            "instruction": task.instruction,
            "seed": episode.seed,
            "init_state": episode.initial_state,
            "action_dim": ACTION_DIM,
            "action_low": [-1.0] * ACTION_DIM,
            "action_high": [1.0] * ACTION_DIM,
            "cameras": list(CAMERA_NAMES),
            "other_cameras": [name for name in self.renderer.cameras if name not in CAMERA_NAMES.values()],
            "control_freq": CONTROL_FREQ_HZ,
            "max_episode_steps": episode.max_steps,
            "workspace": {"low": workspace.low.tolist(), "high": workspace.high.tolist()},
            "joint_names": list(episode.arm.joint_names),
            "surface_z_m": self.scene.surface_z_m,
            "privileged": self._config.privileged,
            "settle_steps": self._config.settle_steps,
            CHUNK_OBSERVE: True,
        }

    def reset(
        self,
        call: CallContext,  # noqa: ARG002
        *,
        task: int | None = None,
        seed: int | None = None,
    ) -> dict[str, Any]:
        """Start an episode; what is not given stays as it is."""
        wanted_seed = self.episode.seed if seed is None else guardrails.count(seed, 0, 2**31 - 1, "`seed`")
        wanted = (
            self.scene.task
            if task is None
            else find_task(self._config.suite, guardrails.count(task, 0, 10**6, "`task`"))
        )
        if wanted == self.scene.task:
            self.episode = self._new_episode(wanted_seed)
        else:
            self._build(wanted.index, wanted_seed)
            gc.collect()  # a scene's objects refer to one another: the last one's 250 MB would wait for long
        self._rearm_recording()
        return self.episode.observation()

    def step(self, call: CallContext, *, action: Any) -> dict[str, Any]:  # noqa: ARG002
        """Carry out one control step."""
        checked = guardrails.vector(action, ACTION_DIM, "`action`")
        self.episode.require_running()
        self.episode.step(checked)
        return self.episode.observation()

    def chunk_step(self, call: CallContext, *, actions: Any, observe: Any = None) -> dict[str, Any]:
        """Carry out actions in order until they are through, the episode ends or the call is cancelled.

        Looks on the way where `observe` asks for it, and nowhere else.
        """
        checked = guardrails.actions(actions, ACTION_DIM)
        watch = parse_observe(observe, len(checked))
        for name in watch.cameras:  # an unknown one is refused before anything moves
            self.camera_meta(call, camera=name, size=_size_of(watch.size, name))
        self.episode.require_running()
        observed: list[dict[str, Any]] = []
        rewards: list[float] = []
        track: list[list[float]] = []
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
        told = {"executed": len(rewards), "rewards": rewards}
        return {**observation, **told} | ({} if observe is None else {"observed": observed})

    def servo(self, call: CallContext, *, targets: Any, until: Any = None) -> dict[str, Any]:
        """Move through targets in closed loop."""
        checked, limits = parse_targets(targets, self.episode.workspace), parse_until(until)
        return Servo(self.episode, checked, limits, call).run()

    def observe(
        self, call: CallContext, *, cameras: Any = (), size: Any = 256, depth: bool = False
    ) -> dict[str, Any]:
        """Return the state and upright pictures, with depth in metres when asked for."""
        call.raise_if_cancelled()
        names = list(cameras) or (list(size) if hasattr(size, "keys") else [])
        observation = self._look(names, size, depth=depth)
        self._store.flush()
        return observation

    def _look(self, cameras: Sequence[str], size: Any, *, depth: bool = False) -> dict[str, Any]:
        """Return the state and pictures of these cameras, now."""
        observation = self.episode.observation()
        for name in cameras:
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

    def instances(self, call: CallContext, *, camera: str, size: Any = 256) -> dict[str, Any]:  # noqa: ARG002
        """Return which object each pixel shows. Privileged."""
        if self._instances is None:
            raise UsageError(
                "This env server does not serve instance masks.", hint="Start it with `privileged`."
            )
        return self._instances.view(self.renderer, CAMERA_NAMES.get(camera, camera), _shape(size))

    def snapshot(self, call: CallContext) -> bytes:  # noqa: ARG002
        """Return the exact state."""
        return snapshot.save(self.episode)

    def restore(self, call: CallContext, *, data: bytes) -> dict[str, Any]:  # noqa: ARG002
        """Come back to a state, of another task of the suite too."""
        header = snapshot.read_header(data)
        suite, task = header["task"]
        if suite != self._config.suite:
            raise snapshot.SnapshotError(
                f"The snapshot is of suite `{suite}`, this env serves `{self._config.suite}`."
            )
        if task != self.scene.task.index:
            self._build(task, header["seed"])
        snapshot.load(self.episode, data)
        self._rearm_recording()
        return self.episode.observation()

    def record(
        self,
        call: CallContext,  # noqa: ARG002
        *,
        enabled: bool = True,
        camera: str = "agentview",
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
        self._recording = Recording(self.renderer, camera=name, size=side, every=spacing)
        self._rearm_recording()
        self._recording.capture(self.episode.steps)
        return {"recording": True}

    def frames(self, call: CallContext) -> dict[str, Any]:  # noqa: ARG002
        """Hand over the recorded frames and forget them; from any thread, also while the arm moves."""
        recording = self._recording
        if recording is None:
            raise UsageError("Nothing is being recorded.", hint="Call `record` first.")
        return recording.drain()

    def actions(self, call: CallContext) -> dict[str, Any]:  # noqa: ARG002
        """Hand over the control actions since the last time, a reset or a restore, and forget them."""
        return self.episode.executed.drain(self.episode.steps)

    def close(self) -> None:
        """Release the simulator."""
        self.renderer.close()
        self._store.flush(wait=True)

    def _rearm_recording(self) -> None:
        recording = self._recording
        if recording is None:
            return
        recording.renderer = self.renderer
        episode = self.episode
        episode.after_step = lambda: recording.after_step(episode.steps)


def _size_of(size: Any, camera: str) -> Any:
    """Return a camera's size from what holds for all, or from a mapping."""
    return size.get(camera, 256) if hasattr(size, "keys") else size


def _shape(size: Any) -> tuple[int, int]:
    """Return (height, width) from one number or a pair."""
    pair = list(size) if isinstance(size, list | tuple) else [size, size]
    if len(pair) != 2:
        raise guardrails.GuardrailError("`size` must be one number or height and width.")
    height, width = (guardrails.count(value, _MIN_SIZE, MAX_SIZE, "`size`") for value in pair)
    return height, width
