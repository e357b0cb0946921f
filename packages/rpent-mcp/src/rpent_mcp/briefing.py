"""What a client's model has to know before its first call.

Clients differ in what they show a model of a server: all show its tools, many its instructions (some only the
first 2,000 characters), some offer its prompts to the user. So the instructions begin with the task, and a tool
returns the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.session.reply import ToolReply
from rpent.tools.result import ToolResult  # noqa: TC002  (the schema is made from the annotations)
from rpent.tools.tool import build_tool, tool

if TYPE_CHECKING:
    from rpent.robot import Prompts

NAME = "briefing"


class _Briefing:
    @tool(readonly=True)
    def briefing(self) -> ToolResult:
        """Read this first: how the robot is driven, the task, and what its cameras see now.

        It costs no turn and moves nothing. Call it again whenever you lost the picture.
        """
        raise NotImplementedError("The bridge answers this call.")


TOOL = build_tool(_Briefing().briefing)
"""Offered besides the session's own tools."""


def instructions(prompts: Prompts) -> str:
    """Return what clients tell their model about the server: the task first, since some cut the rest off."""
    return (
        f"You drive a robot through the tools of this server.\n\n{prompts.user.strip()}\n\n"
        f"Call `{NAME}` first: it returns the guide to this robot, the task and pictures of the scene. "
        f"End with `finish`.\n\n{prompts.system.strip()}"
    )


def reply(prompts: Prompts, seen: ToolReply) -> ToolReply:
    """Return the prompts with the latest observation and its pictures."""
    text = f"{prompts.system.strip()}\n\n{prompts.user.strip()}\n\nThe latest observation:\n{seen.text}"
    return ToolReply(ok=True, images=seen.images, text=text)
