"""`rpent mcp` as MCP clients start it: a child process on standard input and output."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import anyio
import psutil
import pytest
from mcp import Client, MCPError
from rpent.testing.fake_robot.robot import solution

pytestmark = pytest.mark.anyio
SLOW = ("--step-time-s", "0.2")
FAR = {"xyz": [0.3, 0.3, 0.3]}


def text_of(result):
    return "\n".join(block.text for block in result.content if block.type == "text")


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_client_solves_the_task(stdio, recorded, mode):
    async with Client(stdio(), mode=mode) as client:
        for name, arguments in solution():
            result = await client.call_tool(name, arguments)
            assert not result.is_error, text_of(result)
        assert "over" in text_of(result)
        # Complete when the last reply comes: a client may kill the process then.
        outcome = recorded.manifest()["outcome"]
        # The process stays: a client takes a server that goes by itself for one that crashed.
        late = await client.call_tool("look", {})
        assert late.is_error
        assert "The session is over" in text_of(late)
    assert outcome["benchmark_success"] is True
    assert (outcome["planner_status"], outcome["reason"]) == ("success", "finished")
    run = recorded.manifest()
    assert run["planner"]["name"] == "mcp"
    assert run["counts"]["turns"] == len(solution())


async def test_what_a_model_has_to_know_reaches_it(stdio):
    async with Client(stdio()) as client:
        said = client.instructions
        assert "put the red cube on the pad" in said[:500]  # some clients cut the rest off
        assert "You move cubes with tools" in said
        names = [tool.name for tool in (await client.list_tools()).tools]
        briefing = await client.call_tool("briefing", {})
        (prompt,) = (await client.list_prompts()).prompts
        messages = (await client.get_prompt(prompt.name)).messages
        await client.call_tool("move_to", {"xyz": [0.1, 0.1, 0.2]})
        again = await client.call_tool("briefing", {})
        with pytest.raises(MCPError, match="There is no prompt `nope`"):
            await client.get_prompt("nope")
    assert names[0] == "briefing"
    assert "You move cubes with tools" in text_of(briefing)
    assert "put the red cube on the pad" in text_of(briefing)
    assert [block.type for block in briefing.content] == ["text", "text", "image"]
    assert [message.content for message in messages] == briefing.content
    assert '"step":1' in text_of(again)


async def test_a_briefing_costs_nothing(stdio, recorded):
    async with Client(stdio("--max-tool-calls", "1")) as client:
        for _ in range(3):
            assert not (await client.call_tool("briefing", {})).is_error
        assert not (await client.call_tool("look", {})).is_error
        over = await client.call_tool("look", {})
    assert "The budget of 1 tool calls is used up" in text_of(over)
    assert [event.name for event in recorded.events("tool_called")] == ["look"]


async def test_each_call_is_a_turn_also_of_calls_at_once(stdio, recorded):
    async with Client(stdio()) as client, anyio.create_task_group() as tasks:
        await client.list_tools()
        for size in (64, 65, 66):
            tasks.start_soon(client.call_tool, "look", {"size": size})
            await anyio.sleep(0)
    kinds = ("turn", "tool_called", "tool_returned")
    assert [event.type for event in recorded.events(*kinds)] == [*kinds] * 3
    called = recorded.events("tool_called")
    assert [event.turn for event in called] == [1, 2, 3]
    sizes = [event.arguments["size"] for event in called]
    assert sizes == [64, 65, 66]


async def test_a_turn_limit_ends_the_run(stdio, recorded):
    async with Client(stdio("--max-turns", "2")) as client:
        for _ in range(2):
            await client.call_tool("look", {})
        over = await client.call_tool("look", {})
    assert "The budget of 2 turns is used up" in text_of(over)
    assert recorded.outcome()["reason"] == "turn_limit"


async def test_a_time_limit_ends_a_motion(stdio, recorded):
    async with Client(stdio(*SLOW, "--time-limit-s", "1.5")) as client:
        result = await client.call_tool("move_to", FAR)
        assert "cancelled" in text_of(result)
        assert "The session is over" in text_of(await client.call_tool("look", {}))
    assert recorded.outcome()["reason"] == "time_limit"


async def test_a_client_that_gives_up_cancels_the_motion(stdio, recorded):
    async with Client(stdio(*SLOW)) as client:
        await client.list_tools()
        with anyio.move_on_after(0.5):
            await client.call_tool("move_to", FAR)
        result = await client.call_tool("finish", {"status": "stuck", "summary": "Enough."})
        assert not result.is_error
    assert recorded.events("tool_returned")[0].cancelled
    assert recorded.outcome()["planner_status"] == "stuck"


class Raw:
    """A client by hand: it can leave in the middle, and sees every byte."""

    def __init__(self, command, environment):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self.process = subprocess.Popen(command, env=environment, text=True, **pipes)
        self._id = 0

    def send(self, method, **params):
        self._id += 1
        message = {"jsonrpc": "2.0", "id": self._id, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def ask(self, method, **params):
        self.send(method, **params)
        return json.loads(self.process.stdout.readline())

    def greet(self):
        info = {"name": "raw", "version": "1"}
        answer = self.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=info)
        note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        self.process.stdin.write(json.dumps(note) + "\n")
        return answer

    def end(self, timeout_s=40):
        out, err = self.process.communicate(timeout=timeout_s)
        return self.process.returncode, out, err


@pytest.fixture
def raw(command, environment):
    clients = []

    def start(*options):
        clients.append(Raw(command(*options), environment))
        return clients[-1]

    yield start
    for client in clients:
        client.process.kill()
        for stream in (client.process.stdin, client.process.stdout, client.process.stderr):
            with suppress(OSError):
                stream.close()
        client.process.wait()


def family_of(client):
    return psutil.Process(client.process.pid).children(recursive=True)


def test_a_client_that_leaves_ends_the_run(raw, recorded):
    client = raw(*SLOW)
    client.greet()
    client.ask("tools/list")
    family = family_of(client)
    assert family
    client.send("tools/call", name="move_to", arguments=FAR)
    client.ask("ping")
    code, out, _err = client.end()
    assert code == 130
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in out.splitlines())
    outcome = recorded.outcome()
    assert (outcome["reason"], outcome["detail"]) == ("interrupted", "The MCP client left.")
    assert recorded.events("tool_returned")[0].cancelled
    psutil.wait_procs(family, timeout=20)
    assert not [process for process in family if process.is_running()]


def test_a_client_that_leaves_while_the_robot_starts_ends_the_run(raw, recorded):
    client = raw()
    client.greet()
    code, _out, _err = client.end()
    assert code == 130
    outcome = recorded.outcome()
    assert (outcome["reason"], outcome["detail"]) == ("interrupted", "The MCP client left.")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_run_though_the_client_stays(raw, recorded, number):
    client = raw()
    client.greet()
    client.ask("tools/list")
    family = family_of(client)
    client.process.send_signal(number)
    assert client.process.wait(40) == 130
    assert recorded.outcome()["reason"] == "interrupted"
    psutil.wait_procs(family, timeout=20)
    assert not [process for process in family if process.is_running()]


def test_a_server_that_is_killed_leaves_a_run_to_go_on_with(raw, recorded, environment):
    client = raw()
    client.greet()
    client.ask("tools/call", name="move_to", arguments={"xyz": [0.1, 0.1, 0.2]})
    family = family_of(client)
    client.process.kill()
    psutil.wait_procs(family, timeout=20)
    assert not [process for process in family if process.is_running()]
    resume = subprocess.Popen(
        [sys.executable, "-m", "rpent", "resume", str(recorded.path)],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        said = next(line for line in resume.stderr if "MCP clients are served" in line)
        assert re.search(r"http://127\.0\.0\.1:\d+/mcp", said)
    finally:
        resume.send_signal(signal.SIGINT)
        resume.communicate(timeout=40)
    assert recorded.outcome()["reason"] == "interrupted"


def test_standard_output_belongs_to_the_protocol(raw):
    client = raw()
    answer = client.greet()
    assert answer["result"]["serverInfo"]["name"] == "fake"
    answer = client.ask("tools/call", name="finish", arguments={"status": "stuck"})
    assert answer["result"]["content"][0]["type"] == "text"
    code, out, err = client.end()
    assert (code, out) == (1, "")
    assert "benchmark:" in err
    assert "planner mcp" in err


def test_lines_that_are_no_messages_harm_nobody(raw):
    client = raw()
    client.greet()
    client.process.stdin.write("hello\n{\n[]\n")
    answers = [client.ask("tools/list")]
    while answers[-1].get("result") is None:
        answers.append(json.loads(client.process.stdout.readline()))
    assert "tools" in answers[-1]["result"]


def test_a_robot_that_does_not_start_is_said_and_ends_it(raw, recorded):
    client = raw("--env-endpoint", "127.0.0.1:1", "--token", "t")
    client.greet()
    answer = client.ask("tools/list")
    assert "The robot did not start" in answer["error"]["message"]
    code, out, err = client.end()
    assert (code, out) == (3, "")
    assert "hint:" in err
    assert recorded.outcome()["reason"] == "infrastructure"


def test_standard_input_is_not_for_the_robots_processes(raw):
    client = raw()
    client.greet()
    client.ask("tools/list")
    pids = [client.process.pid, *(process.pid for process in family_of(client))]
    assert len(pids) > 1
    assert {str(Path(f"/proc/{pid}/fd/0").readlink()) for pid in pids} == {os.devnull}
