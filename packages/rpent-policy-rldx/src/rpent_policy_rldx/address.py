"""Whether a checkpoint is the address of a server."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rpent.errors import PolicyError

_ADDRESS = re.compile(r"tcp://(?P<host>[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):(?P<port>\d{1,5})")


@dataclass(frozen=True, slots=True)
class Address:
    """Where an RLDX server listens."""

    host: str
    port: int

    def __str__(self) -> str:
        """Return it as ZeroMQ takes it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"tcp://{host}:{self.port}"


def parse_address(text: str) -> Address | None:
    """Return the address; None where the text is no address at all (a folder).

    Raises:
        PolicyError: It begins like one and is none.
    """
    if "://" not in text:
        return None
    match = _ADDRESS.fullmatch(text.strip().removesuffix("/"))
    if match is None or not 1 <= int(match["port"]) <= 65535:
        raise PolicyError(
            f"`{text}` is not the address of an RLDX server.", hint="Accepted: `tcp://HOST:PORT`."
        )
    return Address(match["host"].strip("[]"), int(match["port"]))
