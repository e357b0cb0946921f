"""Where a service is: `[scheme://]host:port`, or a socket's path for `ipc` schemes."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

from rpent.errors import UsageError

DEFAULT_SCHEME = "http"

_FORMS = (
    "`[scheme://]host:port` (`127.0.0.1:8200`, `zmq+tcp://robot-host:8201`) or `zmq+ipc:///path/to/socket`"
)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A parsed endpoint. Either `host` and `port` or `path` are set."""

    scheme: str
    host: str = ""
    port: int = 0
    """0 asks the server for a free one."""
    path: str = ""
    """The socket's path (`ipc` schemes), or a name (`inproc`)."""

    def __str__(self) -> str:
        """Return it as the user would type it."""
        if self.path:
            return f"{self.scheme}://{self.path}"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach it: a path, or a loopback address."""
        if self.path or self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def parse_endpoint(text: str, *, allow_port_zero: bool = False) -> Endpoint:
    """Parse an endpoint; the scheme is `http` when none is given.

    Args:
        text: What the user typed.
        allow_port_zero: Accept port 0, which a server resolves to a free one.

    Raises:
        UsageError: It is not an endpoint.
    """
    scheme, separator, rest = text.strip().partition("://")
    if not separator:
        scheme, rest = DEFAULT_SCHEME, scheme
    scheme = scheme.lower()
    if not scheme or not all(letter.isalnum() or letter in "+-." for letter in scheme):
        raise _bad(text, "its scheme is not a word")
    if scheme.endswith("ipc") or scheme == "inproc":
        return _parse_path(text, scheme, rest)
    return _parse_host_port(text, scheme, rest.removesuffix("/"), lowest_port=0 if allow_port_zero else 1)


def _parse_path(text: str, scheme: str, path: str) -> Endpoint:
    if not path:
        raise _bad(text, "it has no path")
    if "\0" in path:
        raise _bad(text, "its path holds a null character")
    return Endpoint(scheme, path=path)


def _parse_host_port(text: str, scheme: str, rest: str, lowest_port: int) -> Endpoint:
    host, colon, port_text = rest.rpartition(":")
    if not colon:
        raise _bad(text, "it has no port")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        raise _bad(text, "an IPv6 address must stand in brackets")
    if not host:
        raise _bad(text, "it has no host")
    if not all(letter.isalnum() or letter in "-._:%" for letter in host):
        raise _bad(text, f"`{host}` is not a host")
    if not (port_text.isascii() and port_text.isdigit() and lowest_port <= int(port_text) <= 65535):
        raise _bad(text, f"`{port_text}` is not a port from {lowest_port} to 65535")
    return Endpoint(scheme, host=host, port=int(port_text))


def _bad(text: str, reason: str) -> UsageError:
    return UsageError(f"`{text}` is not an endpoint: {reason}.", hint=f"Accepted: {_FORMS}.")
