"""An MCP client drives LIBERO: `rpent mcp` as a child process, on standard input and output."""

from __future__ import annotations

import base64
import io
import json
import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters
from PIL import Image

pytestmark = [pytest.mark.sim, pytest.mark.anyio]
TASK = ("--robot", "libero", "--suite", "libero_object_swap", "--task", "2", "--seed", "0")


def data_of(result):
    return json.loads(result.content[0].text)


async def test_a_client_sees_the_scene_and_grasps(tmp_path: Path) -> None:
    options = ["--output-dir", str(tmp_path / "runs"), "--no-video"]
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "rpent", "mcp", *TASK, *options], cwd=tmp_path
    )
    async with Client(server, read_timeout_seconds=200) as client:
        assert "salad dressing" in client.instructions[:800]
        briefing = await client.call_tool("briefing", {})
        pictures = [block for block in briefing.content if block.type == "image"]
        assert pictures
        assert Image.open(io.BytesIO(base64.b64decode(pictures[0].data))).size[0] >= 128
        found = data_of(await client.call_tool("segment", {"prompt": "salad dressing"}))
        grasp = await client.call_tool("grasp", {"segment_id": found["candidates"][0]["id"]})
        assert data_of(grasp)["held"] is True
        assert [block for block in grasp.content if block.type == "image"]
        done = await client.call_tool(
            "finish", {"status": "stuck", "summary": "Only the grasp was asked for."}
        )
        assert not done.is_error
    (run_dir,) = [path for path in (tmp_path / "runs").iterdir() if path.is_dir()]
    run = json.loads((run_dir / "run.json").read_text())
    assert (run["outcome"]["planner_status"], run["outcome"]["reason"]) == ("stuck", "finished")
    assert run["counts"]["turns"] == 3
