"""`/api/session`: the session of this process, steered."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from sse_starlette import EventSourceResponse, ServerSentEvent

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from rpent_dashboard.hosting.control import Control
    from rpent_dashboard.web.surroundings import Surroundings


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class OpenBody(_Body):
    """What the launch page sends."""

    robot: str
    planner: str
    robot_config: dict[str, Any] = {}
    planner_config: dict[str, Any] = {}
    perceptor: str | None = None
    perceptor_config: dict[str, Any] = {}
    policy: str | None = None
    policy_config: dict[str, Any] = {}
    endpoints: dict[str, str] = {}
    limits: dict[str, Any] = {}
    video: bool = True
    memory: bool = False


class NameBody(_Body):
    """An earlier session."""

    name: str


class TaskBody(_Body):
    """A task, as a command or as values."""

    command: str | None = Field(None, max_length=4000)
    values: dict[str, Any] = {}
    planner: str | None = None
    planner_config: dict[str, Any] | None = None


class MessageBody(_Body):
    """A message to the planner."""

    text: str = Field(min_length=1, max_length=20_000)
    interrupt: bool = False


class CallBody(_Body):
    """A call of a tool."""

    name: str
    arguments: dict[str, Any] = {}


def router(surroundings: Surroundings) -> APIRouter:
    """Return the routes; without a host there is no session, and none can be opened."""
    routes = APIRouter(prefix="/api/session")
    control = None if surroundings.host is None else _control(surroundings.host)
    _add_reading(routes, control)
    if control is not None:
        _add_lifecycle(routes, control)
        _add_tasks(routes, control)
        _add_steering(routes, control)
    return routes


def _control(host: Any) -> Control:
    from rpent_dashboard.hosting.control import Control  # noqa: PLC0415  (only where something is executed)

    return Control(host)


def _add_reading(routes: APIRouter, control: Control | None) -> None:
    @routes.get("")
    def session() -> dict[str, Any]:
        if control is None:
            return {"session": None, "earlier": []}
        return {"session": control.state(), "earlier": control.host.earlier()}

    @routes.get("/stream")
    async def stream() -> EventSourceResponse:
        return EventSourceResponse(_states(control), ping=15, headers={"Cache-Control": "no-store"})

    @routes.get("/complete")
    def complete(text: str, cursor: int) -> dict[str, Any]:
        if control is None:
            return {"start": cursor, "end": cursor, "options": []}
        return control.complete(text[:4000], cursor)

    @routes.get("/tools")
    def tools() -> list[dict[str, Any]]:
        return [] if control is None else control.tools()


async def _states(control: Control | None) -> AsyncIterator[ServerSentEvent]:
    """Yield the session whenever it changed; a slow client misses states, never the last one."""
    if control is None:
        yield ServerSentEvent(data="null", event="session", id="0")
        yield ServerSentEvent(data="{}", event="end")  # it stays so
        return
    version, last = -1, ""
    while True:
        version = await control.host.changes.after(version)
        data = json.dumps(control.state())
        if data != last:
            last = data
            yield ServerSentEvent(data=data, event="session", id=str(version))


def _add_lifecycle(routes: APIRouter, control: Control) -> None:
    @routes.post("", status_code=201)
    def open_session(body: OpenBody) -> dict[str, Any] | None:
        control.host.open_from(body.model_dump())
        return control.state()

    @routes.post("/continue")
    def continue_session(body: NameBody) -> dict[str, Any] | None:
        control.host.continue_(body.name)
        return control.state()

    @routes.post("/close", status_code=202)
    def close_session() -> dict[str, Any] | None:
        control.host.session  # noqa: B018  (refused without one)
        control.host.close(wait=False)
        return control.state()


def _add_tasks(routes: APIRouter, control: Control) -> None:
    @routes.post("/tasks", status_code=202)
    def queue(body: TaskBody) -> dict[str, Any]:
        if body.command is not None:
            return control.command(body.command, body.planner, body.planner_config)
        return control.queue(body.values, body.planner, body.planner_config)

    @routes.delete("/tasks/{task_id}")
    def withdraw(task_id: str) -> dict[str, Any]:
        return control.host.session.withdraw(task_id).to_json()

    @routes.post("/tasks/{task_id}/stop", status_code=202)
    def stop(task_id: str) -> dict[str, Any]:
        return control.host.session.stop(task_id).to_json()

    @routes.post("/tasks/{task_id}/again", status_code=202)
    def again(task_id: str) -> dict[str, Any]:
        return control.host.session.again(task_id).to_json()


def _add_steering(routes: APIRouter, control: Control) -> None:
    @routes.post("/messages", status_code=202)
    def message(body: MessageBody) -> dict[str, Any]:
        return control.message(body.text, interrupt=body.interrupt)

    @routes.post("/interrupt", status_code=202)
    def interrupt(_request: Request) -> dict[str, Any]:
        control.interrupt()
        return {}

    @routes.post("/calls")
    def call(body: CallBody) -> dict[str, Any]:
        return control.call(body.name, body.arguments)
