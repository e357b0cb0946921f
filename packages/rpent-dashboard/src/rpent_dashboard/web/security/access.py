"""The token that opens the dashboard, and the cookie and the CSRF value that come of it."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets

_COOKIE = re.compile(r"([A-Za-z0-9_-]{32})\.([0-9a-f]{64})")


class Access:
    """Knows who has shown the token.

    A browser's cookie is a random id and a MAC over it under the token. So nothing is kept about sessions: a cookie
    holds as long as the token does. Without a token file each process has a token of its own, and a restart
    closes the door; with one, a page that is open goes on after a restart.

    Args:
        token: What opens the dashboard.
        port: Where it listens; cookies do not tell ports apart, so their name does.
    """

    def __init__(self, token: str, port: int) -> None:
        self.cookie_name = f"rpent_dashboard_{port}"
        self._token = token.encode()
        self._key = hashlib.sha256(b"rpent-dashboard\0" + self._token).digest()

    def opens(self, token: str) -> bool:
        """Return whether this is the token."""
        return hmac.compare_digest(token.encode(), self._token)

    def new_cookie(self) -> str:
        """Return the value of a cookie for somebody who has shown the token."""
        session = secrets.token_urlsafe(24)
        return f"{session}.{self._mac('session', session)}"

    def session_of(self, cookie: str) -> str | None:
        """Return the id in a cookie that this dashboard gave out; None for anything else."""
        found = _COOKIE.fullmatch(cookie)
        if found is None or not hmac.compare_digest(found[2], self._mac("session", found[1])):
            return None
        return found[1]

    def csrf_of(self, session: str) -> str:
        """Return what a session's state-changing requests carry in their header."""
        return self._mac("csrf", session)

    def csrf_holds(self, session: str, value: str) -> bool:
        """Return whether a request of the session carries the right header."""
        return hmac.compare_digest(value.encode(), self.csrf_of(session).encode())

    def _mac(self, purpose: str, session: str) -> str:
        return hmac.new(self._key, f"{purpose}\0{session}".encode(), hashlib.sha256).hexdigest()
