"""The policy of an openpi server."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.errors import PolicyError
from rpent.policies.api import Policy
from rpent.services.tokens import read_token

from rpent_policy_openpi.client import OpenpiClient
from rpent_policy_openpi.signature import ACTIONS, channels_first, signature

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray
    from rpent.policies.api import PolicyRequest, Report, Signature

    from rpent_policy_openpi.config import OpenpiConfig

_FIRST_ANSWER_S = 600.0
"""The first question makes the server compile its model."""
_MAX_CONNECTIONS = 64


def load(config: OpenpiConfig, report: Report) -> OpenpiPolicy:
    """Connect and ask once with black pictures, which shows whether the server is what the options say.

    Raises:
        PolicyError: It cannot be reached, refuses the question, or answers in another shape.
        UsageError: The key file cannot be read.
    """
    policy = OpenpiPolicy(config)
    try:
        report(f"connecting to {policy.uri}", 0.1)
        policy.meet()
        report("the server's first answer", 0.3)
        policy.try_out()
    except BaseException:
        policy.close()
        raise
    report("ready", 1.0)
    return policy


class OpenpiPolicy(Policy):
    """Each episode has a connection of its own: a server may keep a memory for each."""

    device = "remote"

    def __init__(self, config: OpenpiConfig) -> None:
        self.signature: Signature = signature(config)
        self.uri = str(self.signature.details["server"])
        self._config = config
        self._key = _read_key(config)
        self._channels_first = channels_first(config)
        self._clients: OrderedDict[str, OpenpiClient] = OrderedDict()
        self._metadata: dict[str, Any] = {}

    def meet(self) -> None:
        """Connect, and keep what the server says of itself."""
        client = self._client("")
        client.connect()
        self._metadata = {str(key)[:80]: _shown(value) for key, value in list(client.metadata.items())[:32]}
        self.signature = self.signature.model_copy(
            update={"details": {**self.signature.details, "metadata": self._metadata}}
        )

    def try_out(self) -> None:
        """Ask once, and learn the length of an answer."""
        images = {
            name: np.zeros((size.height or 224, size.width or 224, 3), np.uint8)
            for name, size in self.signature.cameras.items()
        }
        state = {name: np.zeros(length, np.float32) for name, length in self.signature.state.items()}
        chunk = self._ask("", images, state, "do nothing", timeout_s=_FIRST_ANSWER_S)
        self.reset("")
        self.signature = self.signature.model_copy(update={"chunk_length": len(chunk)})

    def infer(self, requests: Sequence[PolicyRequest]) -> Sequence[NDArray[np.floating[Any]]]:
        """Ask for one after the other, as the protocol has it."""
        return [
            self._ask(
                each.episode, each.images, each.state, each.instruction, timeout_s=self._config.timeout_s
            )
            for each in requests
        ]

    def reset(self, episode: str) -> None:
        """Close the episode's connection: the protocol has no message for it."""
        client = self._clients.pop(episode, None)
        if client is not None:
            client.close()

    def facts(self) -> Mapping[str, Any]:
        """Return the server's address, its metadata and the number of connections."""
        return {"server": self.uri, "metadata": self._metadata, "connections": len(self._clients)}

    def close(self) -> None:
        """Close all connections."""
        for episode in list(self._clients):
            self.reset(episode)

    def _client(self, episode: str) -> OpenpiClient:
        if episode not in self._clients:
            while len(self._clients) >= _MAX_CONNECTIONS:
                self.reset(next(iter(self._clients)))
            self._clients[episode] = OpenpiClient(
                self.uri, api_key=self._key, connect_timeout_s=self._config.connect_timeout_s
            )
        self._clients.move_to_end(episode)
        return self._clients[episode]

    def _ask(
        self,
        episode: str,
        images: Mapping[str, NDArray[np.uint8]],
        state: Mapping[str, NDArray[np.float32]],
        instruction: str,
        *,
        timeout_s: float,
    ) -> NDArray[np.floating[Any]]:
        observation: dict[str, Any] = {"prompt": instruction}
        for name, picture in images.items():
            _put(observation, name, picture.transpose(2, 0, 1) if self._channels_first else picture)
        for name, vector in state.items():
            _put(observation, name, vector)
        return self._chunk(self._client(episode).infer(observation, timeout_s=timeout_s))

    def _chunk(self, answer: Mapping[str, Any]) -> NDArray[np.floating[Any]]:
        actions = answer.get(ACTIONS)
        if not isinstance(actions, np.ndarray) or actions.dtype.kind not in "fiu" or actions.ndim != 2:
            has = f"{actions.dtype} {actions.shape}" if isinstance(actions, np.ndarray) else "no array"
            raise PolicyError(
                f"The openpi server at `{self.uri}` answered with {has} under `{ACTIONS}`; a (T, D) array is wanted."
            )
        length, wanted = actions.shape, (self.signature.chunk_length, self.signature.action_dim)
        if length[1] != wanted[1] or (wanted[0] or length[0]) != length[0] or not length[0]:
            raise PolicyError(
                f"The openpi server at `{self.uri}` answered with actions of shape {length}; "
                f"({wanted[0] or 'T'}, {wanted[1]}) is wanted.",
                hint="Say what it gives: `--preset`, or `--cameras`, `--state`, `--action-dim`, `--horizon`.",
            )
        return actions.astype(np.float64)


def _put(observation: dict[str, Any], name: str, value: NDArray[Any]) -> None:
    *outer, last = name.split(".")
    for key in outer:
        observation = observation.setdefault(key, {})
    observation[last] = value


def _shown(value: Any) -> Any:
    """Return a server's word as bounded plain data."""
    if isinstance(value, bool | int | float) or value is None:
        return value
    return str(value)[:200]


def _read_key(config: OpenpiConfig) -> str | None:
    return None if config.api_key_file is None else read_token(config.api_key_file)
