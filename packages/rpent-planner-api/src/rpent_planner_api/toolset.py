"""The session's tools as a toolset of pydantic-ai. Validation, order and record are the session's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic_ai import BinaryContent, ToolReturn
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
from pydantic_core import SchemaValidator, core_schema
from rpent.planners.parts import reply_parts
from rpent.runs.pictures import Picture

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pydantic_ai import RunContext
    from rpent.planners.parts import Part
    from rpent.session.session import Session
    from rpent.tools.tool import Tool

_ANYTHING = SchemaValidator(core_schema.any_schema())
"""Lets every argument through: the session validates, so that all planners' models read the same sentence."""
_RETRIES = 1_000_000
"""How often a call may fail is the session's to say."""


class SessionToolset(AbstractToolset[None]):
    """Offers a session's tools; their results carry the session's reply as `metadata`.

    Arguments go to the session as the model wrote them, even text that is no JSON. All tools are sequential.
    """

    def __init__(self, session: Session, *, images: bool = True) -> None:
        self._session = session
        self._images = images

    @property
    def id(self) -> str:
        """Name of the toolset."""
        return "robot"

    async def get_tools(self, ctx: RunContext[None]) -> dict[str, ToolsetTool[None]]:  # noqa: ARG002
        """Return what the session offers now."""
        return {tool.name: self._offered(tool) for tool in self._session.tools}

    async def call_tool(
        self, name: str, tool_args: Any, ctx: RunContext[None], tool: ToolsetTool[None] | None = None
    ) -> ToolReturn[Any]:
        """Call a tool of the session, known or not, and wait for its reply."""
        del tool
        reply = await self._session.acall(name, tool_args, call_id=ctx.tool_call_id)
        return ToolReturn(return_value=content_of(reply_parts(reply, self._images)), metadata=reply)

    def _offered(self, tool: Tool) -> ToolsetTool[None]:
        definition = ToolDefinition(
            name=tool.name,
            description=tool.description,
            parameters_json_schema=dict(tool.schema),
            sequential=True,
        )
        return ToolsetTool(toolset=self, tool_def=definition, max_retries=_RETRIES, args_validator=_ANYTHING)


def content_of(parts: Iterable[Part]) -> str | list[str | BinaryContent]:
    """Return texts and pictures in order; one text where there is no picture."""
    items = [
        BinaryContent(data=part.data, media_type=part.media_type) if isinstance(part, Picture) else part
        for part in parts
    ]
    texts = [item for item in items if isinstance(item, str)]
    return "\n".join(texts) if len(texts) == len(items) else items
