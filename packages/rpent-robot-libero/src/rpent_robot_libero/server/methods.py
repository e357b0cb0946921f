"""The env server's methods: checked parameters in, plain data and arrays out."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from rpent.env.types import CHUNK_OBSERVE
from rpent.errors import UsageError
from rpent_manipulation.env import guardrails
from rpent_manipulation.env.archive import SnapshotError
from rpent_manipulation.env.methods import EpisodeMethods, shape_of
from rpent_manipulation.env.running import MAX_SEED
from rpent_manipulation.mujoco import gl
from rpent_manipulation.mujoco.renderer import Renderer

from rpent_robot_libero.catalog import find_task
from rpent_robot_libero.server import snapshot, warmup
from rpent_robot_libero.server.arm import ACTION_DIM
from rpent_robot_libero.server.episode import Episode
from rpent_robot_libero.server.instances import Instances
from rpent_robot_libero.server.scene import CONTROL_FREQ_HZ, Scene, task_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpent.rpc.facade import CallContext

    from rpent_robot_libero.config import EnvServerConfig
    from rpent_robot_libero.server.model_store import ModelStore

CAMERA_NAMES = {"agentview": "agentview", "wrist": "robot0_eye_in_hand"}
"""The cameras that a planner is told of, by the names that it uses. Every other camera answers to its own."""


class LiberoEnv(EpisodeMethods):
    """One simulator: a scene, its running episode, its renderer and its recording."""

    action_dim: ClassVar[int] = ACTION_DIM
    camera_names: ClassVar[Mapping[str, str]] = CAMERA_NAMES
    main_camera: ClassVar[str] = "agentview"
    episode: Episode

    def __init__(self, config: EnvServerConfig, store: ModelStore) -> None:
        self._config, self._store = config, store
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
        wanted_seed = self.episode.seed if seed is None else guardrails.count(seed, 0, MAX_SEED, "`seed`")
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
        self.rearm_recording()
        return self.episode.observation()

    def observe(
        self, call: CallContext, *, cameras: Any = (), size: Any = 256, depth: bool = False
    ) -> dict[str, Any]:
        """Return the state and upright pictures, with depth in metres when asked for."""
        observation = super().observe(call, cameras=cameras, size=size, depth=depth)
        self._store.flush()
        return observation

    def instances(self, call: CallContext, *, camera: str, size: Any = 256) -> dict[str, Any]:  # noqa: ARG002
        """Return which object each pixel shows. Privileged."""
        if self._instances is None:
            raise UsageError(
                "This env server does not serve instance masks.", hint="Start it with `privileged`."
            )
        return self._instances.view(self.renderer, self.simulated(camera), shape_of(size))

    def snapshot(self, call: CallContext) -> bytes:  # noqa: ARG002
        """Return the exact state."""
        return snapshot.save(self.episode)

    def restore(self, call: CallContext, *, data: bytes) -> dict[str, Any]:  # noqa: ARG002
        """Come back to a state, of another task of the suite too."""
        suite, task, seed = snapshot.saved_task(data)
        if suite != self._config.suite:
            raise SnapshotError(
                f"The snapshot is of suite `{suite}`, this env serves `{self._config.suite}`."
            )
        if task != self.scene.task.index:
            self._build(task, seed)
        snapshot.load(self.episode, data)
        self.rearm_recording()
        return self.episode.observation()

    def close(self) -> None:
        """Release the simulator."""
        self.renderer.close()
        self._store.flush(wait=True)
