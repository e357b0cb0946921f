"""From a function's annotations and docstring to a JSON Schema and a converter of arguments."""

from __future__ import annotations

import functools
import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from rpent.errors import ToolError
from rpent.tools.docstring import parse_docstring

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
    """Describe a tool method; cached per function, since the schema does not depend on the instance."""
    return _describe(getattr(method, "__func__", method))


@functools.cache
def _describe(function: Callable[..., Any]) -> Described:
    name = function.__name__
    docstring = parse_docstring(function.__doc__)
    if not docstring.description:
        raise TypeError(f"Tool `{name}` has no docstring; its summary is what the planner reads.")
    model = _model(function, docstring.arguments)
    description = docstring.description
    if docstring.returns:
        description += f"\n\nReturns: {docstring.returns}"
    return Described(name=name, description=description, schema=_schema(model), model=model)


def _model(function: Callable[..., Any], meanings: Mapping[str, str]) -> type[BaseModel]:
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
        hint = hints[parameter.name]
        if meanings.get(parameter.name):
            hint = Annotated[hint, Field(description=meanings[parameter.name])]
        fields[parameter.name] = (hint, default)
    config = ConfigDict(extra="forbid", allow_inf_nan=False, arbitrary_types_allowed=False)
    return create_model(f"{function.__name__}_arguments", __config__=config, **fields)


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
