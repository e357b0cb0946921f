"""One connection to an openpi server: a question, an answer, and a new socket where the old one broke."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rpent.errors import PolicyError
from rpent.masking import quoted
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI
from websockets.sync.client import connect

from rpent_policy_openpi.wire import MAX_MESSAGE_BYTES, pack, unpack

if TYPE_CHECKING:
    from collections.abc import Mapping

    from websockets.sync.client import ClientConnection

_PAUSE_S = 0.2
_ATTEMPTS = 2


class OpenpiClient:
    """Connects at the first question. Not for several threads at once.

    Args:
        uri: `ws://` or `wss://`.
        api_key: Sent as `Authorization: Api-Key ...`.
        connect_timeout_s: How long to try while nobody listens.
    """

    def __init__(self, uri: str, *, api_key: str | None = None, connect_timeout_s: float = 10.0) -> None:
        self.uri = uri
        self.metadata: Mapping[str, Any] = {}
        """What the server said when the connection was made."""
        self._api_key, self._connect_timeout_s = api_key, connect_timeout_s
        self._connection: ClientConnection | None = None

    def connect(self) -> None:
        """Connect where no connection is open.

        Raises:
            PolicyError: Nobody listens, the key is refused, or it is another kind of server.
        """
        if self._connection is not None:
            return
        deadline = time.monotonic() + self._connect_timeout_s
        connection = self._open(deadline)
        try:
            first = connection.recv(timeout=max(_PAUSE_S, deadline - time.monotonic()))
            metadata = self._decoded(first)
        except (ConnectionClosed, TimeoutError) as error:
            connection.close()
            raise self._stranger("it says nothing of itself") from error
        except PolicyError:
            connection.close()
            raise
        if not isinstance(metadata, dict):
            connection.close()
            raise self._stranger("it does not begin with its metadata")
        self.metadata, self._connection = metadata, connection

    def infer(self, observation: Mapping[str, Any], *, timeout_s: float) -> dict[str, Any]:
        """Ask once; a socket that broke is replaced, and the question asked again.

        Raises:
            PolicyError: The server says that it failed, does not answer in time, or is gone.
        """
        data = pack(observation)
        for attempt in range(_ATTEMPTS):
            self.connect()
            assert self._connection is not None
            try:
                self._connection.send(data)
                answer = self._decoded(self._connection.recv(timeout=timeout_s))
            except ConnectionClosed as error:
                self.close()
                if attempt + 1 == _ATTEMPTS:
                    raise PolicyError(
                        f"The openpi server at `{self.uri}` closed the connection instead of answering.",
                        hint="Its log says why.",
                    ) from error
                continue
            except TimeoutError as error:
                self.close()
                raise PolicyError(
                    f"The openpi server at `{self.uri}` gave no answer within {timeout_s:g} s.",
                    hint="Raise `--timeout-s` where its model needs longer.",
                ) from error
            except PolicyError:
                self.close()
                raise
            if not isinstance(answer, dict):
                raise PolicyError(f"The openpi server at `{self.uri}` answered without a map.")
            return answer
        raise AssertionError("unreachable")

    def close(self) -> None:
        """Close the connection. Idempotent; the next question opens another."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(OSError):
                connection.close()

    def _open(self, deadline: float) -> ClientConnection:
        while True:
            try:
                return self._connect_once(max(_PAUSE_S, deadline - time.monotonic()))
            except InvalidStatus as error:
                code = error.response.status_code
                raise self._stranger(
                    f"it answered with HTTP status {code}",
                    hint="It wants a key: `--api-key-file FILE`." if code in {401, 403} else None,
                ) from error
            except (InvalidHandshake, InvalidURI) as error:
                raise self._stranger(str(error)) from error
            except (OSError, TimeoutError) as error:
                if time.monotonic() + _PAUSE_S >= deadline:
                    raise PolicyError(
                        f"No openpi server can be reached at `{self.uri}` ({error or type(error).__name__}).",
                        hint="Is it running, and is the address right?",
                    ) from error
                time.sleep(_PAUSE_S)

    def _connect_once(self, timeout_s: float) -> ClientConnection:
        return connect(
            self.uri,
            compression=None,
            max_size=MAX_MESSAGE_BYTES,
            open_timeout=timeout_s,
            close_timeout=1.0,
            # A server that infers in its event loop answers no ping meanwhile.
            ping_interval=None,
            proxy=True if self.uri.startswith("wss:") else None,
            additional_headers={"Authorization": f"Api-Key {self._api_key}"} if self._api_key else None,
        )

    def _decoded(self, message: str | bytes) -> Any:
        """Return the content of a binary message; a text is the server's way to say that it failed."""
        if isinstance(message, str):
            raise PolicyError(f"The openpi server at `{self.uri}` failed: {self._last_line(message)}")
        return unpack(message)

    def _last_line(self, text: str) -> str:
        """Return the end of a traceback."""
        lines = [line for line in text.splitlines() if line.strip()] or ["it does not say why."]
        return quoted(lines[-1], secret=self._api_key)

    def _stranger(self, reason: str, *, hint: str | None = None) -> PolicyError:
        return PolicyError(
            f"What answers at `{self.uri}` cannot be used as an openpi server: {reason}.", hint=hint
        )
