"""`rpent mcp` as MCP clients start it: a child process on standard input and output."""

from __future__ import annotations

import json
import time

import anyio
import pytest
from mcp import Client
from rpent.testing.fake_robot.robot import solution

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend():
    return "asyncio"


async def test_a_client_solves_the_task(stdio, run_dir):
    started = time.monotonic()
    async with Client(stdio()) as client:
        print("hello", time.monotonic() - started)
        assert "put the red cube on the pad" in client.instructions
        tools = [tool.name for tool in (await client.list_tools()).tools]
        print(tools, time.monotonic() - started)
        for name, arguments in solution():
            result = await client.call_tool(name, arguments)
            print(name, result.is_error, [c.type for c in result.content], result.content[0].text[-100:])
        late = await client.call_tool("look", {})
        print(late)
        await anyio.sleep(3)
        late = await client.call_tool("look", {})
        print(late)
    print("left", time.monotonic() - started)
    print(json.loads((run_dir() / "run.json").read_text())["outcome"])
