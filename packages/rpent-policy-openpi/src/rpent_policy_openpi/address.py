"""Where an openpi server is."""

from __future__ import annotations

import re

from rpent.errors import PolicyError

_ADDRESS = re.compile(
    r"((?P<scheme>wss?)://)?(?P<host>[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:(?P<port>\d{1,5}))?(?P<path>/\S*)?"
)
DEFAULT_PORT = 8000
"""openpi's own."""


def server_uri(text: str) -> str:
    """Return the `ws://` or `wss://` address; a port alone makes `HOST:PORT` one.

    Raises:
        PolicyError: It is not the address of an openpi server.
    """
    match = _ADDRESS.fullmatch(text.strip())
    if match is None or not (match["scheme"] or (match["port"] and not match["path"])):
        raise PolicyError(
            f"`{text}` is not the address of an openpi server.",
            hint="Accepted: `ws://HOST:PORT`, `wss://HOST/PATH`, `HOST:PORT`.",
        )
    if match["port"] and not 1 <= int(match["port"]) <= 65535:
        raise PolicyError(f"`{match['port']}` in `{text}` is not a port from 1 to 65535.")
    scheme = match["scheme"] or "ws"
    port = match["port"] or ("" if scheme == "wss" else str(DEFAULT_PORT))
    return f"{scheme}://{match['host']}{':' if port else ''}{port}{match['path'] or ''}"
