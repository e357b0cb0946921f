"""The policy server behind the gateway."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent.errors import HandshakeError, TransportError
from rpent.policies.signature import Signature
from rpent.rpc.api import Expectation, connect

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray
    from rpent.cancel import CancelToken
    from rpent.rpc.channel import Channel

_PREFIX = "policy/"
_SCHEMA = 1


class Upstream:
    """Asks in the checkpoint's own names. Thread-safe."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self.described: Mapping[str, Any] = channel.call("describe")
        self.signature = Signature.model_validate(self.described["signature"])

    @classmethod
    def connect(cls, endpoint: str, *, token: str) -> Upstream:
        """Connect and ask what it serves.

        Raises:
            TransportError: Nobody answers, the token is refused, or it is no policy server.
        """
        channel = connect(endpoint, token=token, expect=Expectation(schema=_SCHEMA))
        try:
            if not channel.info.name.startswith(_PREFIX):
                raise HandshakeError(
                    f"`{endpoint}` serves `{channel.info.name}`; a policy server is wanted.",
                    hint="`rpent serve policy --backend NAME --checkpoint ...` starts one.",
                )
            return cls(channel)
        except BaseException:
            channel.close()
            raise

    def infer(
        self,
        images: Mapping[str, NDArray[np.uint8]],
        state: Mapping[str, NDArray[np.float64]],
        instruction: str,
        *,
        episode: str,
        cancel: CancelToken,
    ) -> NDArray[np.float64]:
        """Return the next (T, D) actions.

        Raises:
            RemoteError: The policy refuses the question or fails.
            TransportError: The server is gone.
        """
        chunk: NDArray[np.float64] = self._channel.call(
            "infer_native",
            images=dict(images),
            state=dict(state),
            instruction=instruction,
            episode=episode,
            cancel=cancel,
        )
        return chunk

    def forget(self, episode: str) -> None:
        """Let the server forget an episode; one that is gone has forgotten it."""
        try:
            self._channel.call("reset", episode=episode, timeout_s=5.0)
        except TransportError:
            return

    def close(self) -> None:
        """Disconnect."""
        self._channel.close()
