"""Addresses of model servers: usable by every client, and without a secret, since they stand in the run's record."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit


def checked_address(url: str) -> str:
    """Return the address of a server as it was given.

    Raises:
        ValueError: No client could use it, or it holds what a record must not show.
    """
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or not url.isprintable() or " " in url:
        raise ValueError("an address is `http://HOST[:PORT][/PATH]`, or the same with `https`")
    if parts.username is not None or parts.query or parts.fragment:
        raise ValueError(
            "an address with a user name, a password or a query would show them in the run's record; "
            "give the key in the planner's environment variable"
        )
    return url


def shown_address(url: str) -> str:
    """Return an address without what may be secret in it, for a message."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment=""))
