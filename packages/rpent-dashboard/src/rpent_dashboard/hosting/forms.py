"""JSON schemas of config models, for forms; secrets go in and never come back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic.json_schema import GenerateJsonSchema
from rpent.fields import extra_of

from rpent_dashboard.hosting.secrets import secret_fields

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pydantic import BaseModel


class _Lenient(GenerateJsonSchema):
    """A type that JSON has no schema for accepts anything here; the model itself refuses what it does not like."""

    def handle_invalid_for_json_schema(self, schema: Any, error_info: str) -> dict[str, Any]:  # noqa: ARG002
        return {}


def schema_of(
    model: type[BaseModel], *, fields: Iterable[str] | None = None, values: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the schema of a config model.

    Args:
        model: The model; fields that have no command-line option are left out.
        fields: Those to show, in this order; all when None.
        values: What takes the place of the models' defaults.
    """
    schema: dict[str, Any] = model.model_json_schema(schema_generator=_Lenient)
    properties = schema.get("properties", {})
    shown = [name for name in (fields if fields is not None else field_names(model)) if name in properties]
    secret = secret_fields(model)
    schema["properties"] = {name: _property(properties[name], secret=name in secret) for name in shown}
    for name, value in (values or {}).items():
        if name in schema["properties"] and name not in secret:
            schema["properties"][name]["default"] = value
    given = values or {}
    required = [name for name in schema.get("required", ()) if name in shown and name not in given]
    schema.pop("required", None)
    return schema | ({"required": required} if required else {})


def field_names(model: type[BaseModel]) -> list[str]:
    """Return the fields that a user may set."""
    return [name for name, field in model.model_fields.items() if extra_of(field).get("cli", True)]


def _property(schema: Mapping[str, Any], *, secret: bool) -> dict[str, Any]:
    found = dict(schema)
    found.pop("cli", None)
    choices = found.pop("choices", None)
    if choices and "enum" not in found:
        found["enum"] = list(choices)
    if secret:
        found.pop("default", None)
        found |= {"writeOnly": True, "format": "password"}
    return found
