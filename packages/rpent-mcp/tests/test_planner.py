"""The distribution passes the contracts of every plugin and, with a client that is told what to call, of a planner."""

from __future__ import annotations

import threading

import anyio
from mcp import Client
from rpent.testing.planner_contract import PlannerContract
from rpent.testing.plugin_contract import PluginContract
from rpent_mcp.bridge import Bridge, bridged
from rpent_mcp.config import McpConfig
from rpent_mcp.planner import McpPlanner
from rpent_mcp.runserver import run_server


class TestPlugin(PluginContract):
    distribution = "rpent-mcp"


class DrivenPlanner:
    """The planner, with a client in this process that makes the calls, one after the other."""

    def __init__(self, calls):
        self.bridge = Bridge()
        self.calls = calls
        with bridged(self.bridge):
            self.planner = McpPlanner(McpConfig())

    def run(self, session):
        client = threading.Thread(target=anyio.run, args=(self._drive,), daemon=True)
        client.start()
        self.planner.run(session)
        client.join(30)

    async def _drive(self):
        async with Client(run_server(self.bridge, name="robot", instructions="")) as client:
            for name, arguments in self.calls:
                result = await client.call_tool(name, arguments)
                if "The session is over" in result.content[0].text:
                    return


class TestPlanner(PlannerContract):
    def planner(self, calls, tmp_path):
        return DrivenPlanner(calls)


def test_the_users_messages_reach_the_clients_model(tmp_path):
    from rpent.testing.sessions import fake_session

    bridge, replies = Bridge(), []

    async def drive():
        async with Client(run_server(bridge, name="robot", instructions="")) as client:
            session.send("Mind the vase.")
            replies.append(await client.call_tool("look", {}))
            replies.append(await client.call_tool("look", {}))
            await client.call_tool("finish", {"status": "stuck"})

    with fake_session(tmp_path) as session:
        client = threading.Thread(target=anyio.run, args=(drive,))
        client.start()
        bridge.follow(session)
        client.join(30)
    assert '"user_messages":["Mind the vase."]' in replies[0].content[0].text
    assert "vase" not in replies[1].content[0].text
