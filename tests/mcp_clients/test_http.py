"""`rpent mcp --http`, and the planner `mcp` of `rpent run`: a run that waits for clients on a port."""

from __future__ import annotations

import re
import signal
import stat
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from rpent.testing.fake_robot.robot import solution

pytestmark = pytest.mark.anyio


class Waiting:
    """A process that waits for clients."""

    def __init__(self, command, environment):
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self.process = subprocess.Popen(command, env=environment, text=True, **pipes)
        self.said = []
        for line in self.process.stderr:
            self.said.append(line)
            if found := re.search(r"served at (http://\S+) \(token file: (.*)\)", line):
                self.url, self.token_file = found.groups()
                break

    def end(self):
        out, err = self.process.communicate(timeout=40)
        return self.process.returncode, out, "".join(self.said) + err


@pytest.fixture
def waiting(environment):
    started = []

    def start(command):
        started.append(Waiting(command, environment))
        return started[-1]

    yield start
    for one in started:
        one.process.kill()
        one.process.communicate()


async def drive(waiting, calls, token=None):
    token = token or Path(waiting.token_file).read_text().strip()
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(waiting.url, http_client=http)) as client,
    ):
        assert "put the red cube on the pad" in client.instructions
        return [await client.call_tool(name, arguments) for name, arguments in calls]


async def test_a_client_solves_the_task(waiting, command, recorded, tmp_path):
    one = waiting(command("--http", "127.0.0.1:0"))
    results = await drive(one, [("briefing", {}), *solution()])
    assert not any(result.is_error for result in results)
    code, out, err = one.end()
    assert code == 0
    assert "benchmark: success" in out
    assert recorded.outcome()["planner_status"] == "success"
    assert stat.S_IMODE((tmp_path / "cache" / "rpent" / "mcp.token").stat().st_mode) == 0o600
    token = (tmp_path / "cache" / "rpent" / "mcp.token").read_text().strip()
    everything = "".join(path.read_text() for path in recorded.path.rglob("*.json*"))
    assert token not in everything + out + err
    assert str(tmp_path / "cache") not in (recorded.path / "events.jsonl").read_text()


async def test_a_client_may_go_and_another_come(waiting, command, recorded, tmp_path):
    (tmp_path / "token").write_text("s3cret\n")
    one = waiting(command("--http", "127.0.0.1:0", "--mcp-token-file", str(tmp_path / "token")))
    with pytest.raises(Exception):  # noqa: B017, PT011  (the SDK's own)
        await drive(one, [("look", {})], token="wrong")
    await drive(one, solution()[:3])
    await drive(one, solution()[3:])
    assert one.end()[0] == 0
    assert recorded.manifest()["counts"]["turns"] == len(solution())


async def test_an_interrupted_run_goes_on_with_resume(waiting, command, recorded):
    one = waiting(command("--http", "127.0.0.1:0"))
    await drive(one, solution()[:4])
    one.process.send_signal(signal.SIGINT)
    assert one.end()[0] == 130
    again = waiting([sys.executable, "-m", "rpent", "resume", str(recorded.path)])
    (briefing, *_) = await drive(again, [("briefing", {}), *solution()[4:]])
    assert "You move cubes with tools" in briefing.content[0].text
    assert again.end()[0] == 0
    assert recorded.outcome()["benchmark_success"] is True


async def test_it_is_a_planner_of_rpent_run_too(waiting, recorded, tmp_path):
    options = ["--robot", "fake", "--planner", "mcp", "--http", "127.0.0.1:0", "--no-video"]
    runs = ["--output-dir", str(tmp_path / "runs")]
    one = waiting([sys.executable, "-m", "rpent", "run", *options, *runs])
    await drive(one, solution())
    assert one.end()[0] == 0
    assert recorded.manifest()["planner"]["name"] == "mcp"


async def test_other_hosts_are_warned_about(waiting, command):
    one = waiting(command("--http", "0.0.0.0:0"))
    one.url = one.url.replace("0.0.0.0", "127.0.0.1")
    await drive(one, [("finish", {"status": "stuck"})])
    code, _out, err = one.end()
    assert code == 1
    assert "reachable from other machines" in err


def test_a_port_that_is_taken_is_said_before_anything_starts(waiting, command, run_cli, tmp_path):
    one = waiting(command("--http", "127.0.0.1:0"))
    address = one.url.removeprefix("http://").removesuffix("/mcp")
    runs = tmp_path / "other"
    result = run_cli("mcp", "--robot", "fake", "--output-dir", str(runs), "--http", address)
    assert result.exit_code == 3
    assert f"cannot listen on `{address}`" in result.stderr
    assert not runs.exists()
