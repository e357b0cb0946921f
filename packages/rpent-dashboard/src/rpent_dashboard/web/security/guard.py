"""What a request must show before anything of the dashboard sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import Headers

from rpent_dashboard.web.refusals import RefusedError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from rpent_dashboard.web.security.access import Access
    from rpent_dashboard.web.security.names import Names

CSRF_HEADER = "X-RPent-CSRF"
SAFE_METHODS = frozenset({"GET", "HEAD"})
MAX_TARGET_BYTES = 8192
MAX_HEAD_BYTES = 16 * 1024
_OWN_FETCHES = frozenset({"", "same-origin", "none"})
_PUBLIC_PREFIX = "/static/"


class Guard:
    """Refuses what comes by another name, from another page, or without the cookie."""

    def __init__(self, app: ASGIApp, *, access: Access, names: Names) -> None:
        self._app = app
        self._access = access
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the request, then pass it on with its session in `scope["state"]["session"]`."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        headers = Headers(scope=scope)
        local_address = (scope.get("server") or ("",))[0].removeprefix("::ffff:")  # IPv4 at an IPv6 socket
        self._check_target(scope)
        self._check_name(headers, local_address)
        self._check_page(scope, headers, local_address)
        session = self._access.session_of(cookie(headers, self._access.cookie_name))
        if session is None and scope["path"] != "/" and not scope["path"].startswith(_PUBLIC_PREFIX):
            raise RefusedError(
                401,
                "This dashboard is open only to whoever has its token.",
                hint="Open the address that was printed when it started.",
            )
        if scope["method"] not in SAFE_METHODS:
            self._check_change(headers, session)
        scope.setdefault("state", {})["session"] = session
        return await self._app(scope, receive, send)

    def _check_target(self, scope: Scope) -> None:
        path = scope["path"]
        size = len(scope.get("raw_path") or path) + len(scope.get("query_string", b""))
        if size > MAX_TARGET_BYTES:
            raise RefusedError(414, f"The address is longer than {MAX_TARGET_BYTES} bytes.")
        if sum(len(name) + len(value) for name, value in scope["headers"]) > MAX_HEAD_BYTES:
            raise RefusedError(431, f"The headers are longer than {MAX_HEAD_BYTES} bytes.")
        if not path.startswith("/") or not path.isprintable():
            raise RefusedError(400, "The address holds what no address of the dashboard does.")

    def _check_name(self, headers: Headers, local_address: str) -> None:
        if not self._names.allow_host(headers.get("Host", ""), local_address):
            raise RefusedError(
                421,
                "The dashboard does not answer to this name and port.",
                hint="Start it with `--allowed-host NAME[:PORT]` where it is reached through a proxy or a tunnel.",
            )

    def _check_page(self, scope: Scope, headers: Headers, local_address: str) -> None:
        """Refuse what a page of another origin sends; a link to the front page may be anywhere."""
        origin = headers.get("Origin")
        if origin is not None and not self._names.allow_origin(origin, local_address):
            raise RefusedError(403, "The request comes from a page of another origin.")
        is_link = scope["path"] == "/" and headers.get("Sec-Fetch-Mode", "navigate") == "navigate"
        if headers.get("Sec-Fetch-Site", "") not in _OWN_FETCHES and not is_link:
            raise RefusedError(403, "The request comes from a page of another site.")

    def _check_change(self, headers: Headers, session: str | None) -> None:
        if session is None or not self._access.csrf_holds(session, headers.get(CSRF_HEADER, "")):
            raise RefusedError(
                403, f"The header `{CSRF_HEADER}` is missing or wrong.", hint="Reload the page."
            )


def cookie(headers: Headers, name: str) -> str:
    """Return a cookie of a request; empty where there is none, or several of the name."""
    found = [
        value.strip()
        for header in headers.getlist("Cookie")
        for key, _, value in (pair.partition("=") for pair in header.split(";"))
        if key.strip() == name
    ]
    return found[0] if len(found) == 1 else ""
