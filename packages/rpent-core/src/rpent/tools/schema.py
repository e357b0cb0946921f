"""From a function's annotations and docstring to a JSON Schema and a converter of arguments."""

from __future__ import annotations

import functools
import inspect
from dataclasses import dataclass
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from rpent.errors import ToolError
from rpent.tools.docstring import parse_docstring
from rpent.tools.tool import OneOf

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True, slots=True)
class Described:
    """What a planner is told about a tool, and how its arguments are converted."""

    name: str
    description: str
    schema: Mapping[str, Any]
    model: type[BaseModel]

    def convert(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Convert schema-valid arguments to what the annotations promise (tuples, enums, models).

        Raises:
            ToolError: A constraint that JSON Schema cannot express does not hold.
        """
        try:
            values = self.model.model_validate(arguments)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(str(part) for part in first["loc"])
            raise ToolError(f"`{place}`: {first['msg']}.") from None
        return {name: getattr(values, name) for name in values.model_fields_set}


def describe(method: Callable[..., Any]) -> Described:
    """Describe a tool method; cached, since the schema depends on the function and the toolkit's class alone."""
    owner: type = type(getattr(method, "__self__", None))
    return _describe(getattr(method, "__func__", method), owner)


@functools.cache
def _describe(function: Callable[..., Any], owner: type) -> Described:
    name = function.__name__
    docstring = parse_docstring(function.__doc__)
    if not docstring.description:
        raise TypeError(f"Tool `{name}` has no docstring; its summary is what the planner reads.")
    model = _model(function, owner, docstring.arguments)
    description = docstring.description
    if docstring.returns:
        description += f"\n\nReturns: {docstring.returns}"
    return Described(name=name, description=description, schema=_schema(model), model=model)


def _model(function: Callable[..., Any], owner: type, meanings: Mapping[str, str]) -> type[BaseModel]:
    hints = get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind in {parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY}:
            raise TypeError(
                f"Tool `{function.__name__}` may not take `{parameter}`: a planner names arguments."
            )
        if parameter.name not in hints:
            raise TypeError(f"Tool `{function.__name__}`: parameter `{parameter.name}` has no annotation.")
        default = ... if parameter.default is inspect.Parameter.empty else parameter.default
        hint = _of_owner(hints[parameter.name], owner)
        if meanings.get(parameter.name):
            hint = Annotated[hint, Field(description=meanings[parameter.name])]
        fields[parameter.name] = (hint, default)
    config = ConfigDict(extra="forbid", allow_inf_nan=False, arbitrary_types_allowed=False)
    return create_model(f"{function.__name__}_arguments", __config__=config, **fields)


def _of_owner(hint: Any, owner: type) -> Any:
    """Replace `OneOf` by the choices of the toolkit's class, also beside `None`."""
    if get_origin(hint) in {Union, UnionType}:
        return Union[tuple(_of_owner(option, owner) for option in get_args(hint))]  # noqa: UP007  (made at run time)
    for note in getattr(hint, "__metadata__", ()):
        if isinstance(note, OneOf):
            return Literal[tuple(getattr(owner, note.attribute))]
    return hint


def _schema(model: type[BaseModel]) -> Mapping[str, Any]:
    schema = model.model_json_schema()
    slim: dict[str, Any] = _slim(schema)
    slim.pop("description", None)
    slim.setdefault("properties", {})
    return slim


def _slim(node: Any, *, names: bool = False) -> Any:
    """Leave out what only costs tokens: titles, and `null` beside a default of null."""
    if isinstance(node, list):
        return [_slim(item) for item in node]
    if not isinstance(node, dict):
        return node
    slim = {
        key: _slim(value, names=key in {"properties", "$defs"})
        for key, value in node.items()
        if names or key != "title"
    }
    options = slim.get("anyOf")
    if not names and isinstance(options, list) and slim.get("default", ...) is None:
        kept = [option for option in options if option != {"type": "null"}]
        if len(kept) == 1:
            del slim["anyOf"], slim["default"]
            return {**kept[0], **slim}
        slim["anyOf"] = kept
        del slim["default"]
    return slim
