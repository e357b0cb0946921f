"""Methods of an env server that do not depend on what is simulated: steps, motions, pictures, recordings.

A robot's env server derives from `EpisodeMethods` and adds what is its own: `describe`, `reset`, `snapshot`, `restore`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
from rpent.errors import UsageError

from rpent_manipulation.env import guardrails
from rpent_manipulation.env.episode import ServoedEpisode
from rpent_manipulation.env.recording import Recording
from rpent_manipulation.env.servo import Servo
from rpent_manipulation.env.targets import parse_targets, parse_until
from rpent_manipulation.env.watching import parse_observe

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray
    from rpent.rpc.facade import CallContext

    from rpent_manipulation.env.executed import Executed
    from rpent_manipulation.env.recording import Draws
    from rpent_manipulation.env.targets import Target

MIN_SIZE, MAX_SIZE = 16, 1024
"""Rows and columns of a picture."""

MAX_RECORDED_SIZE = 512


class StepwiseEpisode(ServoedEpisode, Protocol):
    """A running episode that also takes its robot's own actions."""

    executed: Executed
    after_step: Callable[[], None]
    """Called after each control step (a recording)."""

    def require_running(self) -> None:
        """Refuse an action after the end."""

    def step(self, action: NDArray[np.float64]) -> None:
        """Carry out one control step of finite numbers and evaluate the goal."""


class EpisodeMethods:
    """The method table's handlers that robots share; `call` comes first, parameters are keywords."""

    action_dim: ClassVar[int]
    camera_names: ClassVar[Mapping[str, str]]
    """The cameras that a planner is told of → the simulator's. Every other camera answers to its own name."""
    main_camera: ClassVar[str]
    """The one that is filmed."""

    episode: StepwiseEpisode
    _recording: Recording | None = None

    @property
    def renderer(self) -> Draws:
        """Draws the present scene."""
        raise NotImplementedError

    def checked_targets(self, targets: Any) -> list[Target]:
        """Return the waypoints of a motion, checked.

        Raises:
            GuardrailError: One is malformed, not finite, or outside the workspace.
        """
        return parse_targets(targets, self.episode.workspace)

    def step(self, call: CallContext, *, action: Any) -> dict[str, Any]:  # noqa: ARG002
        """Carry out one control step."""
        checked = guardrails.vector(action, self.action_dim, "`action`")
        self.episode.require_running()
        self.episode.step(checked)
        return self.episode.observation()

    def chunk_step(self, call: CallContext, *, actions: Any, observe: Any = None) -> dict[str, Any]:
        """Carry out actions in order until they are through, the episode ends or the call is cancelled.

        Looks on the way where `observe` asks for it, and nowhere else.
        """
        checked = guardrails.actions(actions, self.action_dim)
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
        told = {"executed": len(rewards), "rewards": rewards}
        return {**observation, **told} | ({} if observe is None else {"observed": observed})

    def servo(self, call: CallContext, *, targets: Any, until: Any = None) -> dict[str, Any]:
        """Move through targets in closed loop."""
        checked, limits = self.checked_targets(targets), parse_until(until)
        return Servo(self.episode, checked, limits, call).run()

    def observe(
        self, call: CallContext, *, cameras: Any = (), size: Any = 256, depth: bool = False
    ) -> dict[str, Any]:
        """Return the state and upright pictures, with depth in metres when asked for."""
        call.raise_if_cancelled()
        names = guardrails.names(cameras, guardrails.MAX_PICTURES, "`cameras`")
        names = names or (
            guardrails.names(list(size), guardrails.MAX_PICTURES, "`size`") if hasattr(size, "keys") else []
        )
        return self._look(names, size, depth=guardrails.truth(depth, "`depth`"))

    def camera_meta(self, call: CallContext, *, camera: str, size: Any = 256) -> dict[str, Any]:  # noqa: ARG002
        """Return a camera's calibration for a picture size."""
        return self.renderer.calibration(self.simulated(camera), shape_of(size)) | {"name": camera}

    def record(
        self,
        call: CallContext,
        *,
        enabled: bool = True,
        camera: str | None = None,
        size: int = 256,
        every: int = 20,
    ) -> dict[str, Any]:
        """Switch the recording of video frames on (with a first frame) or off."""
        if not guardrails.truth(enabled, "`enabled`"):
            self._recording = None
            self.episode.after_step = lambda: None
            return {"recording": False}
        name = self.main_camera if camera is None else camera
        side = guardrails.count(size, MIN_SIZE, MAX_RECORDED_SIZE, "`size`")
        spacing = guardrails.count(every, 1, 10_000, "`every`")
        self.camera_meta(
            call, camera=name, size=side
        )  # an unknown one is refused before anything is recorded
        self._recording = Recording(self.renderer, camera=self.simulated(name), size=side, every=spacing)
        self.rearm_recording()
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

    def rearm_recording(self) -> None:
        """Let a recording go on in the present episode and with the present renderer."""
        recording = self._recording
        if recording is None:
            return
        recording.renderer = self.renderer
        episode = self.episode
        episode.after_step = lambda: recording.after_step(episode.steps)

    def simulated(self, camera: str) -> str:
        """Return what the simulator calls a camera.

        Raises:
            GuardrailError: It is no name. (MuJoCo dies of one that is no string.)
        """
        if not isinstance(camera, str):
            raise guardrails.GuardrailError(f"A camera is named by a string, not {type(camera).__name__}.")
        return self.camera_names.get(camera, camera)

    def _look(self, cameras: Sequence[str], size: Any, *, depth: bool = False) -> dict[str, Any]:
        """Return the state and pictures of these cameras, now."""
        observation = self.episode.observation()
        for name in cameras:
            shape, camera = shape_of(_size_of(size, name)), self.simulated(name)
            if depth:
                picture, metres = self.renderer.picture_and_depth(camera, shape)
                observation["depth"][name] = metres
            else:
                picture = self.renderer.picture(camera, shape)
            observation["images"][name] = picture
            observation["cameras"][name] = self.renderer.calibration(camera, shape) | {"name": name}
        return observation


def shape_of(size: Any) -> tuple[int, int]:
    """Return (height, width) from one number or a pair.

    Raises:
        GuardrailError: It is neither, or out of bounds.
    """
    pair = list(size) if isinstance(size, list | tuple) else [size, size]
    if len(pair) != 2:
        raise guardrails.GuardrailError("`size` must be one number or height and width.")
    height, width = (guardrails.count(value, MIN_SIZE, MAX_SIZE, "`size`") for value in pair)
    return height, width


def _size_of(size: Any, camera: str) -> Any:
    """Return a camera's size from what holds for all, or from a mapping."""
    return size.get(camera, 256) if hasattr(size, "keys") else size
