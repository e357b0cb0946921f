"""The socket: bound before anything else, so that the port is known and nobody else can take it."""

from __future__ import annotations

import errno
import ipaddress
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpent.errors import ServiceError, UsageError

if TYPE_CHECKING:
    from rpent_dashboard.config import DashboardConfig

_FURTHER_PORTS = 20
_BACKLOG = 128


@dataclass(frozen=True, kw_only=True, slots=True)
class Listener:
    """A bound socket and what it is called."""

    socket: socket.socket
    address: str
    """The numeric address."""
    port: int

    @property
    def loopback(self) -> bool:
        """Whether only this machine reaches it."""
        return ipaddress.ip_address(self.address.partition("%")[0]).is_loopback

    @property
    def any_address(self) -> bool:
        """Whether it listens on all addresses of this machine."""
        return ipaddress.ip_address(self.address.partition("%")[0]).is_unspecified


def listen(config: DashboardConfig) -> Listener:
    """Bind the socket of a dashboard; where nobody chose the port, the next free one.

    Raises:
        UsageError: The address is unknown, or reaches beyond this machine without a token file.
        ServiceError: The port is taken, or may not be used.
    """
    family, address = _resolve(config.host)
    chosen = "port" in config.model_fields_set or config.port == 0
    last = config.port if chosen else min(config.port + _FURTHER_PORTS, 65535)
    for port in range(config.port, last + 1):
        try:
            bound = _bind(family, address, port)
        except OSError as error:
            if error.errno == errno.EADDRINUSE and port < last:
                continue
            raise _unusable(config, port, last, error) from error
        listener = Listener(socket=bound, address=address, port=bound.getsockname()[1])
        if not listener.loopback and config.token_file is None:
            bound.close()
            raise UsageError(
                f"The dashboard would be reachable from other machines at `{config.host}`, and has no token file.",
                hint="Give `--token-file FILE`, or leave out `--host` and use a tunnel (`ssh -L`).",
            )
        return listener
    raise AssertionError("the loop returns or raises")


def _resolve(host: str) -> tuple[socket.AddressFamily, str]:
    try:
        family, _, _, _, address = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError) as error:
        raise UsageError(f"The address `{host}` is unknown.") from error
    return family, str(address[0])


def _bind(family: socket.AddressFamily, address: str, port: int) -> socket.socket:
    # asyncio sets TCP_NODELAY only on sockets that say they are TCP.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        listener.listen(_BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


def _unusable(config: DashboardConfig, port: int, last: int, error: OSError) -> ServiceError:
    if error.errno != errno.EADDRINUSE:
        return ServiceError(f"The dashboard cannot listen at `{config.host}:{port}` ({error.strerror}).")
    if last == config.port:
        return ServiceError(
            f"The port {port} is taken.", hint="Give another `--port`, or 0 for any free one."
        )
    return ServiceError(
        f"The ports {config.port} to {last} are taken.", hint="Give `--port 0` for any free one."
    )
