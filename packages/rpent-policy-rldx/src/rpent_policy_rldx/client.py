"""Asks an RLDX server over ZeroMQ: one question at a time, and a fresh socket after each that got no answer."""

from __future__ import annotations

import socket
import time
from typing import TYPE_CHECKING, Any

import zmq
from rpent.errors import PolicyError
from rpent.masking import quoted
from rpent.services.tokens import read_token
from zmq.utils.monitor import recv_monitor_message

from rpent_policy_rldx.modality import parse_modalities
from rpent_policy_rldx.wire import MAX_MESSAGE_BYTES, pack, unpack

if TYPE_CHECKING:
    from rpent_policy_rldx.address import Address
    from rpent_policy_rldx.config import RldxConfig
    from rpent_policy_rldx.modality import Modalities

_PAUSE_S = 0.1
_SHORT_S = 2.0


class RldxClient:
    """Not for several threads at once.

    Args:
        address: Where the server listens.
        token: Its `api_token`.
        connect_timeout_s: How long to try while nobody listens.
    """

    def __init__(self, address: Address, *, token: str | None = None, connect_timeout_s: float = 5.0) -> None:
        self.address = address
        self._token, self._connect_timeout_s = token, connect_timeout_s
        self._context = zmq.Context()
        self._socket: zmq.Socket[bytes] | None = None
        self._monitor: zmq.Socket[bytes] | None = None

    @classmethod
    def of(cls, address: Address, config: RldxConfig) -> RldxClient:
        """Return a client with the token of the options.

        Raises:
            UsageError: The token file cannot be read.
        """
        return cls(address, token=_read_token(config), connect_timeout_s=config.connect_timeout_s)

    def ping(self) -> bool:
        """Whether a server answers right now."""
        try:
            answer = self._call("ping", None, timeout_s=_SHORT_S, wait_s=0.0)
        except PolicyError:
            return False
        return isinstance(answer, dict) and answer.get("status") == "ok"

    def modalities(self, *, timeout_s: float) -> Modalities:
        """Return what the checkpoint sees and does.

        Raises:
            PolicyError: The server is not there, or says something else.
        """
        found = self._call("get_modality_config", None, timeout_s=timeout_s)
        return parse_modalities(found, where=f"The server at `{self.address}`")

    def get_action(
        self, observation: dict[str, Any], options: dict[str, Any], *, timeout_s: float
    ) -> dict[str, Any]:
        """Return the action: part → (B, T, D) float32.

        Raises:
            PolicyError: The server refuses the observation, fails, gives no answer in time, or is gone.
        """
        answer = self._call(
            "get_action", {"observation": observation, "options": options}, timeout_s=timeout_s
        )
        if not isinstance(answer, list) or len(answer) != 2 or not isinstance(answer[0], dict):
            raise PolicyError(f"The RLDX server at `{self.address}` answered without an action.")
        return answer[0]

    def reset(self, sessions: list[str]) -> None:
        """Let the server forget these sessions, and no others.

        Raises:
            PolicyError: It does not answer.
        """
        assert sessions, "without session ids the server forgets everybody's"
        self._call("reset", {"options": {"session_ids": sessions}}, timeout_s=_SHORT_S, wait_s=0.0)

    def close(self) -> None:
        """Close the socket; idempotent. The client is of no further use."""
        self._drop()
        self._context.destroy(linger=0)

    def _call(
        self, endpoint: str, data: dict[str, Any] | None, *, timeout_s: float, wait_s: float | None = None
    ) -> Any:
        request: dict[str, Any] = {"endpoint": endpoint}
        if data is not None:
            request["data"] = data
        if self._token is not None:
            request["api_token"] = self._token
        message = pack(request)
        line = self._line(self._connect_timeout_s if wait_s is None else wait_s)
        try:
            line.send(message)
            answer = unpack(self._receive(line, timeout_s))
        except zmq.ZMQError as error:
            self._drop()
            raise PolicyError(f"The RLDX server at `{self.address}` cannot be asked ({error}).") from error
        except BaseException:
            self._drop()  # a REQ socket without an answer takes no other question
            raise
        if isinstance(answer, dict) and "error" in answer:
            said = quoted(str(answer["error"]), secret=self._token)
            raise PolicyError(f"The RLDX server at `{self.address}` failed: {said}")
        return answer

    def _receive(self, line: zmq.Socket[bytes], timeout_s: float) -> bytes:
        assert self._monitor is not None
        poller = zmq.Poller()
        poller.register(line, zmq.POLLIN)
        poller.register(self._monitor, zmq.POLLIN)
        deadline = time.monotonic() + timeout_s
        while (left := deadline - time.monotonic()) > 0:
            ready = dict(poller.poll(int(left * 1000) + 1))
            if line in ready:
                return line.recv()
            if (
                self._monitor in ready
                and recv_monitor_message(self._monitor)["event"] == zmq.EVENT_DISCONNECTED
            ):
                raise PolicyError(
                    f"The RLDX server at `{self.address}` ended instead of answering.",
                    hint="Its log says why.",
                )
        raise PolicyError(
            f"The RLDX server at `{self.address}` gave no answer within {timeout_s:g} s.",
            hint="Raise `--timeout-s` where its model needs longer.",
        )

    def _line(self, wait_s: float) -> zmq.Socket[bytes]:
        """Return a socket that can send: the one that there is, or a new one to a port where somebody listens."""
        if self._socket is not None and self._is_broken():
            self._drop()
        if self._socket is None:
            self._wait_for_port(wait_s)
            line = self._context.socket(zmq.REQ)
            line.setsockopt(zmq.LINGER, 0)
            line.setsockopt(zmq.MAXMSGSIZE, MAX_MESSAGE_BYTES)
            line.setsockopt(zmq.IPV6, int(":" in self.address.host))
            self._monitor = line.get_monitor_socket(zmq.EVENT_DISCONNECTED)
            line.connect(str(self.address))
            self._socket = line
        return self._socket

    def _is_broken(self) -> bool:
        """Whether the server went away since the last question."""
        assert self._monitor is not None
        return bool(self._monitor.poll(0))

    def _wait_for_port(self, wait_s: float) -> None:
        """A REQ socket would wait in silence for a server that is not there."""
        deadline = time.monotonic() + wait_s
        while True:
            try:
                where = (self.address.host, self.address.port)
                socket.create_connection(where, max(_PAUSE_S, deadline - time.monotonic())).close()
                return
            except OSError as error:
                if time.monotonic() + _PAUSE_S >= deadline:
                    raise PolicyError(
                        f"No RLDX server can be reached at `{self.address}` ({error}).",
                        hint="Is it running (`python -m rldx.eval.run_rldx_server`), and is the address right?",
                    ) from error
                time.sleep(_PAUSE_S)

    def _drop(self) -> None:
        line, monitor, self._socket, self._monitor = self._socket, self._monitor, None, None
        if line is not None and monitor is not None:
            line.disable_monitor()
            monitor.close(0)
            line.close(0)


def _read_token(config: RldxConfig) -> str | None:
    return None if config.api_token_file is None else read_token(config.api_token_file)
