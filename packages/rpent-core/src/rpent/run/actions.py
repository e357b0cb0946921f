"""The control actions between two captures, for `steps/NNNN/actions.npy`, from env servers that keep them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.env.client import EnvClient
from rpent.errors import RpentError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rpent.rpc.channel import Channel


class Actions:
    """Fetches what an env server with the optional method `actions` has carried out since the step before.

    Actions are an extra: where they cannot be had, the run goes on without. Those of a call that was undone are
    forgotten by the server with its restore, or with its process.
    """

    def __init__(self, channel: Channel | None) -> None:
        offered = channel is not None and "actions" in channel.info.methods
        self._env = EnvClient(channel) if channel is not None and offered else None
        self._reached: int | None = None
        """The control step of the last capture; None before the first one, or when it is not known."""

    def fetch(self) -> NDArray[np.float64] | None:
        """Return the (T, D) actions that lead here from the last capture; None where some are missing (a reset)."""
        if self._env is None:
            return None
        before, self._reached = self._reached, None
        try:
            actions, first = self._env.actions()
        except RpentError:
            return None
        self._reached = first + len(actions)
        return actions if first == before else None
