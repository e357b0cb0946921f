"""The robot's tools, in plain sight of every model.

For the models of its own catalogue Codex hides MCP tools behind a search tool, or behind a JavaScript tool that
calls them (`code mode`). A catalogue in which no entry asks for that makes it list them as it does for models that
it does not know. A paragraph in the instructions names them besides, should a later catalogue hide them again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rpent.tools.tool import Tool

SERVER = "robot"
NAMESPACE = f"mcp__{SERVER}"
_REMOVED = ("tool_mode", "multi_agent_version", "multi_agent_reasoning_effort", "upgrade", "availability_nux")
_REPLACED: Mapping[str, Any] = {
    "use_responses_lite": False,
    "supports_search_tool": False,
    "apply_patch_tool_type": None,
    "experimental_supported_tools": [],
    "include_skills_usage_instructions": False,
    "include_plugin_usage_instructions": False,
    "include_apps_usage_instructions": False,
}


def open_catalog(models: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a catalogue of the same models without what hides tools or adds Codex's own."""
    return {"models": [_opened(model) for model in models]}


def _opened(model: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in model.items() if name not in _REMOVED}
    return kept | {name: value for name, value in _REPLACED.items() if name in model}


def named_tools(tools: Sequence[Tool]) -> str:
    """Return a paragraph that names the tools and their arguments."""
    names = ", ".join(f"`{tool.name}({', '.join(tool.schema.get('properties', {}))})`" for tool in tools)
    return (
        f"Your only tools are those of the MCP server `{SERVER}`: {names}. There is no shell, no file system and no"
        f" web. Where they are not listed as tools, they are `tools.{NAMESPACE}__NAME` in `exec`."
    )
