"""The routes of a local model server."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NoReturn

from rpent.testing.models import listing
from rpent.testing.models.anthropic import Anthropic
from rpent.testing.models.chat import Chat
from rpent.testing.models.checks import conversation_problem
from rpent.testing.models.exchange import HTTPExchange
from rpent.testing.models.request import Request
from rpent.testing.models.responses import Responses
from rpent.testing.models.wire import Problem, Wire

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent.testing.models.script import Fault, Reply
    from rpent.testing.models.server import ModelServer

WIRES: tuple[Wire, ...] = (Anthropic(), Responses(), Chat())
COUNT_TOKENS = "/v1/messages/count_tokens"


class RefusedError(Exception):
    """The request is answered with an error."""

    def __init__(self, problem: Problem, headers: dict[str, str] | None = None) -> None:
        super().__init__(problem.message)
        self.problem = problem
        self.headers = headers or {}


class Handler(HTTPExchange):
    """Answers one connection of a `ModelServer`."""

    models: ModelServer

    def do_HEAD(self) -> None:  # noqa: N802
        """Say that the server is there."""
        self._exchange(lambda: self.send_json(200, {}))

    def do_GET(self) -> None:  # noqa: N802
        """List the models, or show one."""
        self._exchange(self._get)

    def do_POST(self) -> None:  # noqa: N802
        """Answer a request to a model."""
        self._exchange(self._post)

    def _exchange(self, answer: Any) -> None:
        entry = self.begin()
        self.models.log.append(entry)
        try:
            answer()
        except (BrokenPipeError, ConnectionResetError):
            entry.note = "client closed mid-response"
        except RefusedError as refused:
            entry.note = refused.problem.message
            self.send_json(refused.problem.status, self._wire().error(refused.problem), refused.headers)
        except Exception as error:  # noqa: BLE001  (a test's own function, or a request nobody foresaw)
            self.models.note(f"{entry.method} {entry.path}: {type(error).__name__}: {error}")
            entry.note = str(error)
            self.close_connection = True

    def _wire(self) -> Wire:
        path = self.path.partition("?")[0]
        for wire in WIRES:
            if path in {wire.path, f"{wire.path}/count_tokens"}:
                return wire
        return WIRES[0] if listing.is_anthropic(self.exchange.headers) else WIRES[-1]

    def _get(self) -> None:
        path = self.path.partition("?")[0]
        if path != "/v1/models" and not path.startswith("/v1/models/"):
            self._unknown_path()
        self._check_key()
        anthropic = listing.is_anthropic(self.exchange.headers)
        name = path.removeprefix("/v1/models").removeprefix("/")
        if not name:
            self.send_json(200, listing.models(self.models.models, anthropic=anthropic))
            return
        self._check_model(name)
        self.send_json(200, listing.model(name, anthropic=anthropic))

    def _post(self) -> None:
        body = self.read_body()
        path = self.path.partition("?")[0]
        if path not in {COUNT_TOKENS, *(wire.path for wire in WIRES)}:
            self._unknown_path()
        self._check_key()
        request = self._read(body)
        self._check_model(request.model, side=not request.tools)
        if path == COUNT_TOKENS:
            self.send_json(200, {"input_tokens": self.models.tokens_counted})
            return
        reply, fault = self.models.reply(request)
        self._answer(reply, fault, request)

    def _read(self, body: bytes) -> Request:
        """Read a request, as strictly as the providers do."""
        try:
            data = json.loads(body)
            if not data:  # asks whether there is such a route, and is no mistake
                raise RefusedError(Problem(400, "invalid_request_error", "The request is empty."))
            request = Request(
                wire=self._wire().name,
                path=self.path,
                headers=self.exchange.headers,
                body=data,
                model=data.get("model", ""),
                stream=bool(data.get("stream")),
            )
            self._wire().read(request)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            self._invalid(f"{type(error).__name__}: {error}")
        if problem := conversation_problem(request):
            self._invalid(problem)
        return request

    def _invalid(self, message: str) -> NoReturn:
        self.models.note(f"{self.path}: {message}")
        raise RefusedError(Problem(400, "invalid_request_error", message))

    def _answer(self, reply: Reply, fault: Fault | None, request: Request) -> None:
        self.models.pause(reply.delay_s)
        wire = self._wire()
        if fault is not None and fault.drop_after is None:
            self._fail(fault, request)
        elif request.stream:
            self._stream(wire.events(reply, request), reply, fault, request)
        elif fault is not None:
            self.exchange.note = "dropped before the body"
        else:
            if reply.during is not None:
                reply.during(request)
            if reply.slow_s:  # as late as the last word of the stream would be
                self.models.pause(reply.slow_s * sum(map(_is_delta, wire.events(reply, request))))
            self.send_json(200, wire.whole(reply, request))

    def _fail(self, fault: Fault, request: Request) -> None:
        wire = self._wire()
        problem = wire.problem(fault, request.model)
        usual = fault.meaning in wire.in_stream
        if request.stream and (usual if fault.in_stream is None else fault.in_stream):
            self.exchange.note = problem.message
            self.begin_stream()
            for event in wire.error_events(problem, request):
                self.send_event(event)
            self.end_stream()
            return
        after = {} if fault.retry_after is None else {"retry-after": f"{fault.retry_after:g}"}
        raise RefusedError(problem, after)

    def _stream(self, events: Iterator[bytes], reply: Reply, fault: Fault | None, request: Request) -> None:
        during = reply.during
        self.begin_stream()
        for index, event in enumerate(events):
            if fault is not None and index == fault.drop_after:
                self.exchange.note = f"dropped after {index} events"
                if fault.clean:
                    self.end_stream()
                return
            self.send_event(event)
            if not _is_delta(event):
                continue
            if during is not None:
                during(request)
                during = None
            self.models.pause(reply.slow_s)
        self.end_stream()

    def _check_key(self) -> None:
        headers, key = self.exchange.headers, self.models.key
        given = headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ")
        if key is not None and given != key:
            raise RefusedError(self._wire().words["key"])

    def _check_model(self, name: str, *, side: bool = False) -> None:
        known = self.models.models
        if not known or name in known or (side and name.startswith("claude-")):
            return
        usual = self._wire().words["model"]
        message = usual.message.format(model=name)
        raise RefusedError(Problem(usual.status, usual.type, message, usual.code))

    def _unknown_path(self) -> NoReturn:
        raise RefusedError(Problem(404, "not_found_error", f"Not found: {self.command} {self.path}"))


def _is_delta(event: bytes) -> bool:
    return b"delta" in event
