"""The desk where calls wait, and results as Claude Code takes them."""

from __future__ import annotations

import anyio
from mcp import types as mcp
from rpent.runs.pictures import Picture
from rpent.session.reply import ToolReply
from rpent_planner_claude_code.tools import Desk, full_name, plain_name, text_result, tool_result

PICTURE = Picture(name="top", caption="top, now", data=b"jpeg", width=1, height=1)


def test_a_call_waits_for_its_own_result() -> None:
    got: list[str] = []

    async def wait(desk: Desk, call_id: str | None) -> None:
        result = await desk.result(call_id)
        got.append(result.content[0].text)  # type: ignore[union-attr]

    async def main() -> None:
        desk = Desk()
        async with anyio.create_task_group() as tasks:
            for call_id in ("b", "a"):
                tasks.start_soon(wait, desk, call_id)
            await anyio.sleep(0)
            desk.give("a", text_result("A"))
            await anyio.sleep(0.01)
            desk.give("b", text_result("B"))
        desk.give("c", text_result("C"))
        desk.give("d", text_result("D"))
        await wait(desk, None)
        await wait(desk, None)

    anyio.run(main)
    assert got == ["A", "B", "C", "D"]


def test_captions_and_pictures() -> None:
    result = tool_result(ToolReply(ok=True, text="{}", images=[PICTURE]), images=True)
    assert [type(content) for content in result.content] == [
        mcp.TextContent,
        mcp.TextContent,
        mcp.ImageContent,
    ]
    assert "top, now" in result.content[1].text  # type: ignore[union-attr]


def test_an_error_with_pictures_keeps_them() -> None:
    """Of a result marked as an error, Claude Code passes on the first text only."""
    assert not tool_result(ToolReply(ok=False, text="{}", images=[PICTURE]), images=True).is_error
    assert tool_result(ToolReply(ok=False, text="{}"), images=True).is_error


def test_names() -> None:
    assert plain_name(full_name("look")) == "look"
    assert plain_name("mcp__mine__look") == "mcp__mine__look"
