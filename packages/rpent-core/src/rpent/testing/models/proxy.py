"""A proxy that lets nothing through, to show that nothing wanted to get out."""

from __future__ import annotations

import threading
from typing import Any, Self

from rpent.testing.models.exchange import HTTPExchange
from rpent.testing.models.server import _Server


class GuardProxy:
    """Refuses every connection and logs where it wanted to go.

    Example::

        with GuardProxy() as guard:
            run_a_client(env=guard.environment)
        assert guard.log == []
    """

    def __init__(self) -> None:
        self.log: list[str] = []
        handler = type("BoundGuard", (_Guard,), {"entries": self.log})
        self._http = _Server(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(
            target=self._http.serve_forever, args=(0.05,), name="guard", daemon=True
        )

    @property
    def url(self) -> str:
        """Return the proxy's address."""
        return f"http://127.0.0.1:{self._http.server_port}"

    @property
    def environment(self) -> dict[str, str]:
        """Return the variables that send a client's traffic here, all but the loopback's."""
        variables = {"HTTP_PROXY": self.url, "HTTPS_PROXY": self.url, "ALL_PROXY": self.url}
        variables["NO_PROXY"] = "127.0.0.1,localhost"
        return {**variables, **{name.lower(): value for name, value in variables.items()}}

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


class _Guard(HTTPExchange):
    entries: list[str]

    def _refuse(self) -> None:
        self.begin()
        self.entries.append(f"{self.command} {self.path}")
        self.send_json(502, {"error": "Nothing leaves this machine."})

    do_CONNECT = do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_OPTIONS = _refuse  # noqa: N815

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Say nothing on stderr."""
