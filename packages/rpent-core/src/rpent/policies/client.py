"""A typed view of a policy server: what it wants to see, and chunks of actions that a robot may be given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rpent.errors import ConnectionLostError, ToolError, clause

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from rpent.cancel import CancelToken
    from rpent.rpc.channel import Channel

INFER_TIMEOUT_S = 60.0
"""How long an answer may take where the server does not say."""
FIRST_INFER_FACTOR = 4.0
"""The first answer of a server that was not warmed up may take this much longer: models compile, caches are cold."""
SIZE = 256
"""Pixels of a picture where the server takes any."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """What a policy server wants with each question, and what it answers: from its `describe`."""

    cameras: Mapping[str, tuple[int, int]]
    """Robot's camera → (height, width) of the picture."""
    state: Sequence[str]
    """The robot's state fields."""
    action_dim: int | None
    execute_steps: int | None
    """How many actions of a chunk are carried out; None means all."""
    history: Sequence[int]
    """The control steps before now, negative and ascending, of which it wants pictures and state besides."""
    infer_timeout_s: float
    warm: bool
    """Whether it has answered a made-up question before it listened."""

    @classmethod
    def of(cls, described: Mapping[str, Any]) -> Wanted:
        """Read it from the answer of `describe`.

        Raises:
            ToolError: It says something else; the server may be of another make.
        """
        try:
            return cls._read(described)
        except (TypeError, ValueError, LookupError, OverflowError) as error:
            raise ToolError(
                f"What the policy server says of itself cannot be read ({clause(error, named=True)})."
            ) from error

    @classmethod
    def _read(cls, described: Mapping[str, Any]) -> Wanted:
        sizes = dict(described.get("cameras", {}))
        cameras = {name: (int(size[0] or SIZE), int(size[1] or SIZE)) for name, size in sizes.items()}
        steps, dim = described.get("execute_steps"), described.get("action_dim")
        return cls(
            cameras=cameras,
            state=tuple(described.get("state", {})),
            action_dim=None if dim is None else int(dim),
            execute_steps=None if steps is None else int(steps),
            history=sorted(step for step in map(int, described.get("history") or ()) if step < 0),
            infer_timeout_s=float(described.get("infer_timeout_s") or INFER_TIMEOUT_S),
            warm="warm_up_s" in described,
        )


class PolicyClient:
    """Calls the methods of the VLA server contract over a channel."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self._answered = False

    def describe(self) -> dict[str, Any]:
        """Return what the server is and wants: backend, family, cameras, state, action, chunk length, ..."""
        try:
            return dict(self.channel.call("describe"))
        except ConnectionLostError:
            # Somebody restarted it since the last call; an episode begins with this call, so nothing is lost.
            return dict(self.channel.call("describe"))

    def reset(self, episode: str, seed: int = 0) -> None:
        """Begin an episode of the policy's memory."""
        self.channel.call("reset", episode=episode, seed=seed)

    def infer(
        self,
        observation: Mapping[str, Any],
        instruction: str,
        *,
        episode: str,
        wanted: Wanted,
        cancel: CancelToken | None = None,
    ) -> NDArray[np.float64]:
        """Ask for a chunk of the robot's own actions.

        Args:
            observation: `images`: camera → (H, W, 3) uint8, upright; `state`: field → vector; where the server wants
                one, `history`: the same of steps before, oldest first, each with its `step` relative to now.
            instruction: What to do.
            episode: Whose memory it belongs to.
            wanted: What the server said of itself.
            cancel: Withdraws the question.

        Returns:
            (T, D) float64.

        Raises:
            ToolError: The answer is nothing that a robot can be given.
            RemoteError: The policy failed; its server lives on.
        """
        cold = not (wanted.warm or self._answered)
        answer = self.channel.call(
            "infer",
            timeout_s=wanted.infer_timeout_s * (FIRST_INFER_FACTOR if cold else 1.0),
            cancel=cancel,
            observation=dict(observation),
            instruction=instruction,
            episode=episode,
        )
        self._answered = True
        return _checked(answer, wanted.action_dim)


def _checked(answer: Any, action_dim: int | None) -> NDArray[np.float64]:
    """Return the chunk; a server of another make may not have looked at it."""
    try:
        chunk = np.asarray(answer, dtype=np.float64)
    except (TypeError, ValueError):
        raise ToolError("The policy's answer is not a chunk of actions.") from None
    if chunk.ndim != 2 or len(chunk) == 0 or action_dim not in {None, chunk.shape[1]}:
        shape = f"(T, {'D' if action_dim is None else action_dim})"
        raise ToolError(f"The policy answered with an array of shape {chunk.shape}, not {shape}.")
    if not np.isfinite(chunk).all():
        raise ToolError("The policy's answer holds NaN or infinity.")
    return chunk
