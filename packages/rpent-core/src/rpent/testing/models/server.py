"""A model provider on the loopback: three wire protocols, one script."""

from __future__ import annotations

import threading
from http.server import ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self

from rpent.testing.models.handler import Handler
from rpent.testing.models.script import Reply, Script

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rpent.testing.models.exchange import Exchange
    from rpent.testing.models.request import Request
    from rpent.testing.models.script import Fault


class ModelServer:
    """Plays a model to a real client.

    Args:
        script: One reply for each request that offers tools; others (a session's title, a summary) are
            answered by themselves and take no step. Or a function of the request.
        models: The models there are; empty: whatever is asked for.
        key: The key that is wanted; None: none is.

    Attributes:
        requests: The requests that offered tools, in order of arrival; also those that met a fault.
        all_requests: Those that offered no tools too.
        problems: What was wrong with requests (a provider would have refused them), and what the script's
            `expect` found. A test asserts that it is empty.
        log: Every HTTP exchange.

    Example::

        with ModelServer([Reply(calls=[Call("look")])]) as server:
            client = openai.OpenAI(base_url=f"{server.url}/v1", api_key=server.key)
    """

    def __init__(
        self,
        script: Sequence[Reply] | Callable[[Request], Reply],
        *,
        models: Sequence[str] = ("test-model",),
        key: str | None = "test-key",
    ) -> None:
        self.script = Script(script)
        self.models = tuple(models)
        self.key = key
        self.tokens_counted = 100
        """What `count_tokens` answers."""
        self.requests: list[Request] = []
        self.all_requests: list[Request] = []
        self.problems: list[str] = []
        self.log: list[Exchange] = []
        self._stopping = threading.Event()
        handler = type("BoundHandler", (Handler,), {"models": self})
        self._http = _Server(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(
            target=self._http.serve_forever, args=(0.05,), name="models", daemon=True
        )

    @property
    def url(self) -> str:
        """Return `http://127.0.0.1:PORT`; OpenAI's clients want `/v1` behind it."""
        return f"http://127.0.0.1:{self._http.server_port}"

    @property
    def last(self) -> Request:
        """Return the last request that offered tools."""
        return self.requests[-1]

    @property
    def pictures_seen(self) -> list[bytes]:
        """Return each picture that a request brought, once, in order of its first arrival."""
        seen = {picture: None for request in list(self.requests) for picture in request.pictures}
        return list(seen)

    def reply(self, request: Request) -> tuple[Reply, Fault | None]:
        """Take note of a request; return the script's reply, and the fault in its place."""
        self.all_requests.append(request)
        if not request.tools:
            return Reply(text="ok"), None
        if request.wants_summary:
            return Reply(text="<summary>The conversation so far.</summary>"), None
        self.requests.append(request)
        reply, fault = self.script.next(request)
        self._check(reply, request)
        return reply, fault

    def note(self, problem: str) -> None:
        """Record a problem."""
        self.problems.append(problem)

    def pause(self, seconds: float) -> None:
        """Wait, but not longer than the server runs."""
        if seconds > 0:
            self._stopping.wait(seconds)

    def start(self) -> Self:
        """Start to answer."""
        self._thread.start()
        return self

    def close(self) -> None:
        """Stop; replies that are under way end."""
        self._stopping.set()
        if self._thread.is_alive():
            self._http.shutdown()
            self._thread.join()
        self._http.server_close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check(self, reply: Reply, request: Request) -> None:
        if reply.expect is None:
            return
        try:
            if reply.expect(request) is False:
                self.note(f"request {len(self.requests)} is not as expected")
        except Exception as error:  # noqa: BLE001  (an assertion of the test)
            self.note(f"request {len(self.requests)}: {type(error).__name__}: {error}")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away between two requests is no error."""
