"""Arguments of a tool call, checked against the schema that the planner was shown."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rpent.encodable import encodable
from rpent.errors import ToolError
from rpent.suggest import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jsonschema import ValidationError
    from jsonschema.protocols import Validator

    from rpent.tools.tool import Tool

_WORDS = {
    "number": "a number",
    "integer": "a whole number",
    "string": "a text",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_BOUNDS = {
    "minimum": "at least",
    "maximum": "at most",
    "exclusiveMinimum": "above",
    "exclusiveMaximum": "below",
    "multipleOf": "a multiple of",
}


MAX_CHARACTERS = 1_000_000
"""Of the arguments of one call: they are kept in the events and shown again."""
MAX_DEPTH = 20
_TOO_DEEP = f"The arguments are nested more than {MAX_DEPTH} levels deep."


def parse_arguments(arguments: Mapping[str, Any] | str | None) -> dict[str, Any]:
    """Return the arguments as an object; a model may send them as JSON text.

    Raises:
        ToolError: The text is not a JSON object.
    """
    if arguments is None or arguments == "":
        return {}
    if isinstance(arguments, (str, bytes)):
        if len(arguments) > MAX_CHARACTERS:
            raise _too_long(len(arguments))
        try:
            arguments = json.loads(arguments)
        except ValueError as error:
            raise ToolError(f"The arguments are not valid JSON: {error}.") from None
        except RecursionError:
            raise ToolError(_TOO_DEEP) from None
    if not isinstance(arguments, Mapping):
        raise ToolError('The arguments must be a JSON object, such as {"name": value}.')
    if _deeper_than(arguments, MAX_DEPTH):
        raise ToolError(_TOO_DEEP)
    if (length := _characters(arguments)) > MAX_CHARACTERS:
        raise _too_long(length)
    cleaned: dict[str, Any] = encodable(dict(arguments))
    return cleaned


def is_json_object(text: str) -> bool:
    """Whether arguments as a model wrote them are a JSON object, or nothing: what SDKs pass on to a tool."""
    try:
        return not text.strip() or isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _characters(value: Any) -> int:
    """Return how many characters an argument holds; anything that is no text counts as one."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return sum(_characters(key) + _characters(entry) for key, entry in value.items())
    if isinstance(value, (list, tuple)):
        return sum(map(_characters, value))
    return 1


def _too_long(length: int) -> ToolError:
    return ToolError(f"The arguments have {length} characters; at most {MAX_CHARACTERS} are accepted.")


def checked_arguments(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Validate and convert the arguments of a call.

    An explicit null for an optional argument counts as leaving it out. NaN and infinities are refused
    everywhere.

    Raises:
        ToolError: One sentence on the first thing that is wrong, with what is accepted.
    """
    required = tool.schema.get("required", ())
    given = {key: value for key, value in arguments.items() if value is not None or key in required}
    place = _not_finite(given, "")
    if place:
        raise ToolError(f"`{place}` must be a finite number; NaN and infinities are refused.", argument=place)
    error = _first_error(tool, given)
    if error is not None:
        wrong = f"Wrong arguments for `{tool.name}`: {_sentence(error, tool)}"
        raise ToolError(wrong, hint=_usage(tool), argument=_argument(error, tool))
    return tool.convert(given)


def _deeper_than(value: Any, depth: int) -> bool:
    if not isinstance(value, (Mapping, list, tuple)):
        return False
    children = value.values() if isinstance(value, Mapping) else value
    return depth == 0 or any(_deeper_than(child, depth - 1) for child in children)


def _not_finite(value: Any, place: str) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return place
    children: Iterable[tuple[str, Any]] = ()
    if isinstance(value, Mapping):
        children = ((f"{place}.{key}" if place else str(key), item) for key, item in value.items())
    elif isinstance(value, (list, tuple)):
        children = ((f"{place}[{index}]", item) for index, item in enumerate(value))
    return next(filter(None, (_not_finite(item, where) for where, item in children)), "")


def _first_error(tool: Tool, arguments: Mapping[str, Any]) -> ValidationError | None:
    from jsonschema.exceptions import relevance  # noqa: PLC0415  (only sessions need it)

    errors = list(_validator(json.dumps(tool.schema)).iter_errors(_as_json(arguments)))
    return max(errors, key=relevance) if errors else None


@lru_cache(maxsize=256)
def _validator(schema: str) -> Validator:
    from jsonschema import Draft202012Validator  # noqa: PLC0415

    return Draft202012Validator(json.loads(schema))


def _as_json(value: Any) -> Any:
    """Let callers in Python pass tuples and numpy values where JSON has lists and numbers."""
    if isinstance(value, Mapping):
        return {key: _as_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_json(item) for item in value]
    return value.tolist() if hasattr(value, "tolist") else value


def _place(error: ValidationError) -> str:
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path)
    return "".join(parts).lstrip(".")


def _known(error: ValidationError, tool: Tool) -> list[str]:
    return list((error.schema if error.absolute_path else tool.schema).get("properties", {}))


def _argument(error: ValidationError, tool: Tool) -> str:
    """Return the argument that an error is about, as a path."""
    place, kind = _place(error), str(error.validator)
    inner = ""
    if kind == "required":
        inner = next(item for item in error.validator_value if item not in error.instance)
    elif kind == "additionalProperties":
        inner = next(key for key in error.instance if key not in _known(error, tool))
    return f"{place}.{inner}".strip(".")


def _sentence(error: ValidationError, tool: Tool) -> str:
    name, kind, accepted = _argument(error, tool), str(error.validator), error.validator_value
    if kind == "required":
        return f"`{name}` is missing."
    if kind == "additionalProperties":
        known, unknown = _known(error, tool), name.removeprefix(_place(error)).removeprefix(".")
        return f"there is no argument `{unknown}`{did_you_mean(unknown, known)}"
    return f"`{name}` is {_shown(error.instance)}; it must be {_accepted(kind, accepted, error)}."


def _accepted(kind: str, accepted: Any, error: ValidationError) -> str:  # noqa: PLR0911
    if kind == "type":
        return " or ".join(
            _WORDS.get(word, word) for word in ([accepted] if isinstance(accepted, str) else accepted)
        )
    if kind in {"enum", "const"}:
        return "one of " + ", ".join(
            json.dumps(value) for value in (accepted if kind == "enum" else [accepted])
        )
    if kind in _BOUNDS:
        return f"{_BOUNDS[kind]} {accepted:g}"
    if kind in {"minItems", "maxItems"}:
        return f"a list of {'at least' if kind == 'minItems' else 'at most'} {accepted} values"
    if kind in {"minLength", "maxLength"}:
        return f"a text of {'at least' if kind == 'minLength' else 'at most'} {accepted} characters"
    if kind in {"anyOf", "oneOf"}:
        options = [_option(option) for option in accepted]
        return " or ".join(dict.fromkeys(filter(None, options))) or "another value"
    return f"valid ({error.message})"


def _option(schema: Mapping[str, Any]) -> str:
    if "enum" in schema or "const" in schema:
        values = schema.get("enum", [schema.get("const")])
        return "one of " + ", ".join(json.dumps(value) for value in values)
    if "prefixItems" in schema or schema.get("type") == "array":
        count = schema.get("minItems")
        return f"a list of {count} values" if count and count == schema.get("maxItems") else "a list"
    return _WORDS.get(str(schema.get("type", "")), "")


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _usage(tool: Tool) -> str:
    required = set(tool.schema.get("required", ()))
    names = [name if name in required else f"{name}?" for name in tool.schema.get("properties", {})]
    return f"`{tool.name}` takes: {', '.join(names) or 'no arguments'}."
