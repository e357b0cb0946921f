"""A typed view of an env server: plain data in and out of the channel, `rpent.env` objects for the caller."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from rpent.env.types import CameraMeta, Observation, ServoResult

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from rpent.cancel import CancelToken
    from rpent.env.types import ChunkObserve, Until, Waypoint
    from rpent.rpc.channel import Channel

Size = int | tuple[int, int]
"""One number for a square picture, or (height, width)."""


class EnvClient:
    """Calls the methods of the env server contract over a channel."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel

    def describe(self) -> dict[str, Any]:
        """Return what the env is: robot, task, instruction, seed, cameras, workspace, ..."""
        return cast("dict[str, Any]", self.channel.call("describe"))

    def reset(self, *, task: int | None = None, seed: int | None = None) -> Observation:
        """Start an episode; what is not given stays as it is."""
        return observation_from(self.channel.call("reset", task=task, seed=seed))

    def step(self, action: NDArray[np.float64] | Sequence[float]) -> Observation:
        """Carry out one control step."""
        return observation_from(self.channel.call("step", action=np.asarray(action, np.float64)))

    def chunk_step(
        self, actions: NDArray[np.float64], *, cancel: CancelToken | None = None
    ) -> tuple[Observation, int, list[float]]:
        """Carry out (T, D) actions; returns the last observation, how many were done, and their rewards."""
        answer = self.channel.call("chunk_step", cancel=cancel, actions=np.asarray(actions, np.float64))
        return observation_from(answer), int(answer["executed"]), [float(item) for item in answer["rewards"]]

    def watched_chunk_step(
        self, actions: NDArray[np.float64], observe: ChunkObserve, *, cancel: CancelToken | None = None
    ) -> tuple[Observation, int, list[Observation]]:
        """Carry out (T, D) actions and look on the way, where the env server can (see `CHUNK_OBSERVE`).

        Returns:
            The last observation, how many actions were done, and the observations of the steps that were asked for.
        """
        answer = self.channel.call(
            "chunk_step", cancel=cancel, actions=np.asarray(actions, np.float64), observe=dict(observe)
        )
        observed = [observation_from(each) for each in answer["observed"]]
        return observation_from(answer), int(answer["executed"]), observed

    def servo(
        self,
        targets: Sequence[Waypoint],
        until: Until | None = None,
        *,
        cancel: CancelToken | None = None,
        on_progress: Callable[[Any], None] | None = None,
    ) -> ServoResult:
        """Move through targets in closed loop inside the server: one call for a whole motion."""
        answer = self.channel.call(
            "servo",
            cancel=cancel,
            on_progress=on_progress,
            targets=[dict(target) for target in targets],
            until=dict(until or {}),
        )
        return ServoResult(
            status=answer["status"],
            waypoints_reached=int(answer["waypoints_reached"]),
            steps=int(answer["steps"]),
            position_error_m=float(answer["position_error_m"]),
            rotation_error_rad=float(answer["rotation_error_rad"]),
            observation=observation_from(answer["observation"]),
            detail=str(answer["detail"]),
        )

    def observe(
        self, cameras: Sequence[str] = (), *, size: Size | Mapping[str, Size] = 256, depth: bool = False
    ) -> Observation:
        """Return the state, and upright pictures (with depth) of the named cameras."""
        plain = _plain(size) if isinstance(size, int | tuple) else {name: _plain(size[name]) for name in size}
        return observation_from(self.channel.call("observe", cameras=list(cameras), size=plain, depth=depth))

    def camera_meta(self, camera: str, *, size: Size = 256) -> CameraMeta:
        """Return a camera's calibration for a picture size."""
        return camera_from(self.channel.call("camera_meta", camera=camera, size=_plain(size)))

    def instances(self, camera: str, *, size: Size = 256) -> tuple[list[str], NDArray[np.uint16]]:
        """Return labels and the (H, W) index into them. Privileged: only for perceptors that say so."""
        answer = self.channel.call("instances", camera=camera, size=_plain(size))
        return [str(label) for label in answer["labels"]], np.asarray(answer["index"])

    def snapshot(self) -> bytes:
        """Return the exact state."""
        return bytes(self.channel.call("snapshot"))

    def restore(self, data: bytes) -> Observation:
        """Come back to a state."""
        return observation_from(self.channel.call("restore", data=data))

    def record(
        self, *, enabled: bool = True, camera: str | None = None, size: int = 256, every: int = 20
    ) -> None:
        """Record a frame every so many control steps on the server, or stop; without a camera the env's main one."""
        named: dict[str, Any] = {} if camera is None else {"camera": camera}
        self.channel.call("record", enabled=enabled, size=size, every=every, **named)

    def frames(self) -> tuple[NDArray[np.uint8], list[int]]:
        """Fetch and forget the recorded frames: (N, S, S, 3) uint8, and the control step of each."""
        answer = self.channel.call("frames")
        return np.asarray(answer["frames"]), [int(step) for step in answer["steps"]]

    def actions(self) -> tuple[NDArray[np.float64], int]:
        """Fetch and forget the control actions that were carried out, where the env server keeps them.

        Returns:
            (T, D) float64, and the control step that they begin at: those of every method, behind the guardrails, since
            the last time, a reset or a restore. From the exact state at that step they lead to the present one, bit for
            bit. A server that keeps a bounded number forgets the oldest and begins later.
        """
        answer = self.channel.call("actions")
        return np.asarray(answer["actions"], np.float64), int(answer["first_step"])


def observation_from(answer: Mapping[str, Any]) -> Observation:
    """Turn an env server's plain answer into an `Observation`; unknown keys are left out."""
    return Observation(
        step=int(answer["step"]),
        eef_position=np.asarray(answer["eef_position"], np.float64),
        eef_quaternion=np.asarray(answer["eef_quaternion"], np.float64),
        gripper_opening_m=float(answer["gripper_opening_m"]),
        joint_positions=np.asarray(answer["joint_positions"], np.float64),
        success=bool(answer["success"]),
        terminated=bool(answer["terminated"]),
        truncated=bool(answer["truncated"]),
        images=dict(answer.get("images", {})),
        depth=dict(answer.get("depth", {})),
        cameras={name: camera_from(meta) for name, meta in answer.get("cameras", {}).items()},
        extra=dict(answer.get("extra", {})),
    )


def camera_from(answer: Mapping[str, Any]) -> CameraMeta:
    """Turn a plain calibration into a `CameraMeta`."""
    return CameraMeta(
        name=str(answer["name"]),
        width=int(answer["width"]),
        height=int(answer["height"]),
        intrinsics=np.asarray(answer["intrinsics"], np.float64),
        world_from_camera=np.asarray(answer["world_from_camera"], np.float64),
    )


def _plain(size: Any) -> Any:
    return list(size) if isinstance(size, tuple) else size
