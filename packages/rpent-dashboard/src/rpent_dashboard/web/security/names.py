"""The names by which a browser may reach the dashboard.

A page of somebody else can make its own name resolve to this machine (DNS rebinding); the browser then takes it for the
dashboard's own page. What it cannot do is change the `Host` that the browser sends.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rpent.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

LOOPBACK = ("localhost", "127.0.0.1", "::1")
_NETLOC = re.compile(r"(?:\[(?P<v6>[0-9a-f:.]+)\]|(?P<name>[a-z0-9._-]+))(?::(?P<port>[0-9]{1,5}))?")
_ORIGIN = re.compile(r"(?P<scheme>https?)://(?P<netloc>.+)")
_DEFAULT_PORTS = {"http": 80, "https": 443}


class Names:
    """Decides on the `Host` and `Origin` of a request.

    Args:
        hosts: Addresses that the dashboard is bound to, and their names.
        port: Its port.
        allowed: Further names, `name` (on the dashboard's port or without one, as behind a proxy) or `name:port`.

    Raises:
        UsageError: One of them is no name.
    """

    def __init__(self, hosts: Iterable[str], port: int, allowed: Iterable[str] = ()) -> None:
        self._port = port
        self._own = {*LOOPBACK, *(host.lower() for host in hosts)}
        self._allowed: set[tuple[str, int | None]] = set()
        for entry in allowed:
            parts = split_netloc(entry)
            if parts is None:
                raise UsageError(
                    f"`{entry}` is not a name by which a browser may come, such as `lab.example:8420`."
                )
            name, named_port = parts
            ports = {named_port} if named_port else {None, port}
            self._allowed.update((name, accepted) for accepted in ports)

    def allow_host(self, netloc: str, local_address: str = "") -> bool:
        """Return whether a `Host` header names this dashboard.

        Args:
            netloc: The header.
            local_address: The address that the connection came in at, which is a name of this machine too (numbers
                cannot be rebound).
        """
        return self._allow(netloc, 80, local_address)

    def allow_origin(self, origin: str, local_address: str = "") -> bool:
        """Return whether an `Origin` header names this dashboard; a proxy in front may speak https."""
        found = _ORIGIN.fullmatch(origin)
        if found is None:
            return False
        return self._allow(found["netloc"], _DEFAULT_PORTS[found["scheme"]], local_address)

    def _allow(self, netloc: str, default_port: int, local_address: str) -> bool:
        parts = split_netloc(netloc)
        if parts is None:
            return False
        name, port = parts
        if (name, port) in self._allowed:
            return True
        return (port or default_port) == self._port and name in {*self._own, local_address.lower()} - {""}


def split_netloc(netloc: str) -> tuple[str, int | None] | None:
    """Split `name:port`; None where it is neither a name nor an address."""
    found = _NETLOC.fullmatch(netloc.lower())
    if found is None:
        return None
    return found["v6"] or found["name"], int(found["port"]) if found["port"] else None
