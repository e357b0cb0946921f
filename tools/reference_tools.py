"""The pages of the robots' tools: exactly what a planner is told of each, from the same descriptions and schemas."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from rpent.tools.files import FileTools
from rpent.tools.schema import describe
from rpent.tools.tool import marker_of
from rpent.tools.toolkit import Toolkit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


def tools_page(title: str, robot: str, toolkit: type[Toolkit]) -> str:
    """Every tool of a robot's toolkit and the common ones, with arguments and what each needs."""
    lines = [f"# {title}'s tools\n", f"What a planner may call under `--robot {robot}`, besides `finish`."]
    for owner in (toolkit, FileTools):
        for method in tool_methods(owner):
            lines += ["", *tool_section(method)]
    return "\n".join(lines)


def tool_methods(owner: type) -> Iterator[Callable[..., Any]]:
    """The `@tool` methods that a class offers, bound to no services, in the order of their first definition."""
    unbuilt = object.__new__(owner)
    names = [
        name for cls in reversed(owner.__mro__) for name, member in vars(cls).items() if marker_of(member)
    ]
    for name in dict.fromkeys(names):
        method = getattr(unbuilt, name)
        offered = not isinstance(unbuilt, Toolkit) or unbuilt.available(name)
        if marker_of(method) is not None and offered:
            yield method


def tool_section(method: Callable[..., Any]) -> Iterator[str]:
    """One tool: its description, and a row for each argument."""
    marker = marker_of(method)
    assert marker is not None
    described = describe(method)
    notes = ["read-only"] if marker.readonly else []
    notes += [f"offered with `{need}`" for need in marker.needs]
    yield f"## `{described.name}`{' (' + ', '.join(notes) + ')' if notes else ''}\n"
    yield inspect.cleandoc(described.description)
    properties = described.schema.get("properties", {})
    if properties:
        required = described.schema.get("required", [])
        yield "\n| argument | type | default | meaning |\n|---|---|---|---|"
        for name, schema in properties.items():
            default = "required" if name in required else f"`{schema.get('default')}`"
            meaning = " ".join(str(schema.get("description", "")).split()).replace("|", "\\|")
            yield f"| `{name}` | {kind_of(schema)} | {default} | {meaning} |"


def kind_of(schema: Mapping[str, Any]) -> str:
    """A JSON Schema's type in a few words, bounds included."""
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(kind_of(option) for option in schema["anyOf"])
    kind = str(schema.get("type", "any"))
    if kind == "array":
        items = schema.get("items") or (schema.get("prefixItems") or [{}])[0]
        count = schema.get("maxItems") or len(schema.get("prefixItems", ())) or ""
        return f"{count} {kind_of(items)}s".strip()
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    if low is None and high is None:
        return kind
    return f"{kind}, {'' if low is None else low} to {'' if high is None else high}"
