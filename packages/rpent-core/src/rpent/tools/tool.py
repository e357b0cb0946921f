"""The `@tool` decorator, and the `Tool` that a session offers to a planner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rpent.tools.result import ToolResult

MARKER = "__rpent_tool__"

Function = TypeVar("Function", bound="Callable[..., Any]")


@dataclass(frozen=True, slots=True)
class OneOf:
    """For `Annotated[str, OneOf("cameras")]`: the parameter accepts what this attribute of the toolkit's class lists.

    So tools that robots share offer each robot's own names.
    """

    attribute: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolMarker:
    """What the decorator notes on a function."""

    readonly: bool
    recipe: bool
    needs: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Tool:
    """A tool as the session sees it."""

    name: str
    description: str
    schema: Mapping[str, Any]
    """JSON Schema of the arguments: an object that allows no other properties."""
    readonly: bool
    """True: changes nothing in the world, so that no state is captured after it."""
    handler: Callable[..., ToolResult]
    """Takes the converted arguments by keyword."""
    recipe: bool = True
    """Whether the call belongs in the recipe; read-only tools that later calls depend on say so."""
    convert: Callable[[Mapping[str, Any]], dict[str, Any]] = dict
    """Schema-valid arguments → what the handler's annotations promise; raises `ToolError`."""


@overload
def tool(function: Function, /) -> Function: ...
@overload
def tool(
    *, readonly: bool = False, recipe: bool | None = None, needs: str | tuple[str, ...] = ()
) -> Callable[[Function], Function]: ...
def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    readonly: bool = False,
    recipe: bool | None = None,
    needs: str | tuple[str, ...] = (),
) -> Any:
    """Mark a method as a tool.

    Every parameter has an annotation (with `Annotated[float, Field(ge=0)]` for limits) and a line under
    `Args:`. The method returns a `ToolResult` and raises `ToolError` for what the planner can mend.

    Args:
        function: The method, when the decorator is used without parentheses.
        readonly: The tool changes nothing in the world; no state is captured after the call.
        recipe: Whether calls belong in the recipe; by default those that are not read-only do. A read-only
            tool whose result later calls refer to (`segment`) sets it.
        needs: Services (or `perceptor`, `memory`, `memory_drafts`) without which the tool is not offered.
    """

    def mark(target: Function) -> Function:
        required = (needs,) if isinstance(needs, str) else tuple(needs)
        setattr(
            target,
            MARKER,
            ToolMarker(readonly=readonly, recipe=not readonly if recipe is None else recipe, needs=required),
        )
        return target

    return mark if function is None else mark(function)


def marker_of(member: object) -> ToolMarker | None:
    """Return what `@tool` noted on a function or bound method, or None."""
    found = getattr(member, MARKER, None)
    return found if isinstance(found, ToolMarker) else None


def build_tool(method: Callable[..., ToolResult]) -> Tool:
    """Make a `Tool` from a bound `@tool` method.

    Raises:
        TypeError: The method is not marked, or a parameter has no annotation.
    """
    from rpent.tools.schema import describe  # noqa: PLC0415  (pydantic is needed only here)

    marker = marker_of(method)
    if marker is None:
        raise TypeError(f"`{method!r}` has no `@tool` decorator.")
    described = describe(method)
    return Tool(
        name=described.name,
        description=described.description,
        schema=described.schema,
        readonly=marker.readonly,
        handler=method,
        recipe=marker.recipe,
        convert=described.convert,
    )
