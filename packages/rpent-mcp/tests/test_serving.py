"""A session over streamable HTTP: what arrives, what is refused, and what is left afterwards."""

from __future__ import annotations

import base64
import io
import threading
from contextlib import asynccontextmanager, suppress

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from PIL import Image
from rpent.errors import ServiceError
from rpent.runs.events import ToolCalled, ToolReturned, read_events
from rpent.testing.sessions import fake_session
from rpent_mcp.serving import serve_http, serve_tools

pytestmark = pytest.mark.anyio
FAR = {"xyz": [0.3, 0.3, 0.3]}


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
def session(tmp_path):
    with fake_session(tmp_path) as session:
        yield session


@pytest.fixture
def slow_session(tmp_path):
    with fake_session(tmp_path, step_time_s=0.1) as session:
        yield session


@pytest.fixture
def served(session):
    with serve_tools(session) as served:
        yield served


@asynccontextmanager
async def connected(served, mode="auto"):
    headers = {"Authorization": f"Bearer {served.token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(served.url, http_client=http), mode=mode) as client,
    ):
        yield client


def events_of(session, kind):
    return [event for event in read_events(session.recorder.directory.events) if isinstance(event, kind)]


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_tools_are_the_sessions_own(session, served, mode):
    async with connected(served, mode) as client:
        listed = (await client.list_tools()).tools
    assert {tool.name: tool.input_schema for tool in listed} == {t.name: t.schema for t in session.tools}
    assert [tool.description for tool in listed] == [tool.description for tool in session.tools]
    # A client may run tools that are marked as read-only at the same time.
    assert all(tool.annotations is None for tool in listed)


async def test_a_picture_stands_behind_its_caption(session, served):
    async with connected(served) as client:
        result = await client.call_tool("look", {"size": 64})
    data, caption, picture = result.content
    assert data.text == '{"camera":"top","size":64}'
    assert caption.text.startswith("top, 64x64")
    assert Image.open(io.BytesIO(base64.b64decode(picture.data))).size == (64, 64)
    assert picture.mime_type == "image/jpeg"
    assert not result.is_error


@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("nope", {}, "There is no tool `nope`"),
        ("move_to", {"xyz": "far"}, "`xyz`"),
        ("move_to", None, "`xyz` is missing"),
    ],
)
async def test_a_mistake_is_an_error_that_can_be_read(session, served, name, arguments, sentence):
    async with connected(served) as client:
        result = await client.call_tool(name, arguments)
    assert result.is_error
    assert sentence in result.content[0].text
    assert [event.executed for event in events_of(session, ToolReturned)] == [False]


@pytest.mark.parametrize("arguments", [[1, 2], "size=64", 7])
async def test_arguments_that_are_no_object_are_the_sessions_matter(session, served, arguments):
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {
            "name": "look",
            "arguments": arguments,
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    }
    headers = {
        "Authorization": f"Bearer {served.token}",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": "look",
    }
    async with httpx2.AsyncClient() as http:
        answer = (await http.post(served.url, json=call, headers=headers)).json()
    assert answer["result"]["isError"]
    assert "JSON" in answer["result"]["content"][0]["text"]
    assert [event.name for event in events_of(session, ToolCalled)] == ["look"]


async def test_calls_at_once_are_carried_out_in_their_order(slow_session):
    targets = [[0.05 * number, 0.0, 0.2] for number in range(1, 5)]
    with serve_tools(slow_session) as served:
        async with connected(served) as client, anyio.create_task_group() as tasks:
            for xyz in targets:
                tasks.start_soon(client.call_tool, "move_to", {"xyz": xyz})
                await anyio.sleep(0.15)
    called = events_of(slow_session, ToolCalled)
    returned = events_of(slow_session, ToolReturned)
    assert [event.arguments["xyz"] for event in called] == targets
    assert [event.call_id for event in returned] == [event.call_id for event in called]
    assert all(before.time <= after.time for before, after in zip(returned, called[1:], strict=False))


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_client_that_gives_up_cancels_the_tool(slow_session, mode):
    with serve_tools(slow_session) as served:
        async with connected(served, mode) as client:
            with anyio.move_on_after(0.6):
                await client.call_tool("move_to", FAR)
            result = await client.call_tool("look", {"size": 64})
    assert not result.is_error
    moved, looked = events_of(slow_session, ToolReturned)
    assert (moved.name, moved.cancelled, moved.executed) == ("move_to", True, True)
    assert looked.ok
    assert slow_session.ended is None


async def refused(served, **headers):
    async with httpx2.AsyncClient() as http:
        return (await http.post(served.url, json={}, headers=headers)).status_code


async def test_only_the_token_opens_it(session, served):
    good = f"Bearer {served.token}"
    assert await refused(served) == 401
    assert await refused(served, Authorization="Bearer wrong") == 401
    assert await refused(served, Authorization=served.token) == 401
    assert await refused(served, Authorization=good, Host="evil.example") == 421
    assert await refused(served, Authorization=good, Origin="http://evil.example") == 403
    # It is let in, and only what it sends is wrong.
    assert await refused(served, Authorization=good) == 400
    assert served.token not in repr(served)
    assert events_of(session, ToolCalled) == []


async def test_it_stops_in_the_middle_of_a_call_and_leaves_no_thread(tmp_path):
    with fake_session(tmp_path, step_time_s=0.5) as session:
        serving = serve_tools(session)
        served = serving.__enter__()
        with suppress(Exception):  # the client does not like it
            async with connected(served, "legacy") as client, anyio.create_task_group() as tasks:
                tasks.start_soon(client.call_tool, "move_to", FAR)
                await anyio.sleep(0.5)
                await anyio.to_thread.run_sync(serving.__exit__, None, None, None)
        assert [thread for thread in threading.enumerate() if thread.name == "rpent-mcp"] == []
        assert [event.cancelled for event in events_of(session, ToolReturned)] == [True]
        with pytest.raises(httpx2.ConnectError):
            await refused(served)


def test_an_address_that_is_taken_is_one_sentence(session, served):
    from rpent_mcp.server import build_server

    port = int(served.url.split(":")[2].split("/")[0])
    with (
        pytest.raises(ServiceError, match=f"cannot listen on `127.0.0.1:{port}`"),
        serve_http(build_server(session, name="robot"), token="t", port=port),
    ):
        pass
