"""The dashboard's server: uvicorn on a thread of its own, beside whatever executes runs."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote

import uvicorn
from rpent.errors import ServiceError, UsageError
from rpent.home import expanded
from rpent.services.tokens import new_token, read_or_make_token

from rpent_dashboard.reading.library import Library
from rpent_dashboard.web.app import create_app
from rpent_dashboard.web.listening import listen
from rpent_dashboard.web.protocol import Impatient
from rpent_dashboard.web.security.access import Access
from rpent_dashboard.web.security.guard import MAX_HEAD_BYTES
from rpent_dashboard.web.security.names import Names
from rpent_dashboard.web.surroundings import Settings, Surroundings

if TYPE_CHECKING:
    from pathlib import Path

    from rpent_dashboard.config import DashboardConfig
    from rpent_dashboard.hosting.host import Host
    from rpent_dashboard.web.listening import Listener

KEEP_ALIVE_S = 75
_GRACE_S = 1
_SHORTEST_TOKEN = 16


class Dashboard:
    """A web server over an output directory, from construction until `stop`.

    Args:
        config: Where to listen, and who may use it.
        output_dir: Where the runs are.
        host: Executes the tasks of the dashboard's session; None: runs can only be watched.

    Raises:
        RpentError: The address, the port or the token file cannot be used.
    """

    def __init__(self, config: DashboardConfig, *, output_dir: Path, host: Host | None = None) -> None:
        self._config = config
        self._listener = listen(config)
        try:
            self._token = _token(config)
            self._settings = _settings(config, self._listener, self._token)
            surroundings = Surroundings(
                output_dir=output_dir, settings=self._settings, library=Library(output_dir), host=host
            )
            self._uvicorn = uvicorn.Server(_uvicorn_config(create_app(surroundings)))
        except BaseException:
            self._listener.socket.close()
            raise
        self._loop = asyncio.new_event_loop()
        self._stopped = False
        self._thread = threading.Thread(target=self._serve, daemon=True, name="rpent-dashboard")
        self._thread.start()

    @property
    def url(self) -> str:
        """Where the dashboard is, for whoever has its cookie."""
        return f"http://{_shown_host(self._listener)}:{self._listener.port}/"

    @property
    def token_url(self) -> str:
        """Where the dashboard is, with the token that opens it."""
        return f"{self.url}?token={quote(self._token, safe='')}"

    @property
    def cautions(self) -> list[str]:
        """What whoever starts it should know of its access, in sentences."""
        found = []
        if not self._listener.loopback:
            found.append(
                "It can be reached from other machines and there is no TLS: whoever has the token, or listens on "
                "the network, drives the robot."
            )
        if self._listener.any_address:
            found.append(
                "From other machines, use this machine's address; its name only where `--allowed-host` gives it."
            )
        file = self._config.token_file
        if file is not None and expanded(file).stat().st_mode & 0o077:
            found.append(f"The token file `{file}` can be read by other users of this machine (`chmod 600`).")
        return found

    def wait(self, timeout_s: float | None = None) -> None:
        """Wait until the server ends, or the time is over.

        Raises:
            ServiceError: It ended although nobody stopped it.
        """
        self._thread.join(timeout_s)
        if not (self._stopped or self._thread.is_alive()):
            raise ServiceError("The dashboard's server ended by itself.")

    def stop(self) -> None:
        """End the server within two seconds, open streams included. May be called again, from any thread."""
        self._stopped = True
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._settings.streams.close)
        self._uvicorn.should_exit = True
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _serve(self) -> None:
        # Connections that are made before uvicorn is up wait in the socket's queue.
        try:
            with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
                runner.run(self._uvicorn.serve(sockets=[self._listener.socket]))
        finally:
            self._listener.socket.close()


def _uvicorn_config(app: Any) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=Impatient,
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_config=None,
        log_level="critical",  # what fails is in `Answering`'s log
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        h11_max_incomplete_event_size=MAX_HEAD_BYTES,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=_GRACE_S,
    )


def _token(config: DashboardConfig) -> str:
    if config.token_file is None:
        return new_token()
    token = read_or_make_token(expanded(config.token_file))
    if len(token) < _SHORTEST_TOKEN:
        raise UsageError(
            f"The token in `{config.token_file}` is shorter than {_SHORTEST_TOKEN} characters.",
            hint="Delete the file; a token that cannot be guessed is then made.",
        )
    return token


def _settings(config: DashboardConfig, listener: Listener, token: str) -> Settings:
    names = Names([listener.address, config.host], listener.port, config.allowed_host)
    return Settings(access=Access(token, listener.port), names=names, loopback=listener.loopback)


def _shown_host(listener: Listener) -> str:
    """Return the address as a URL has it; of a server that listens everywhere, this machine's own."""
    if listener.any_address:
        return "[::1]" if ":" in listener.address else "127.0.0.1"
    return f"[{listener.address}]" if ":" in listener.address else listener.address
