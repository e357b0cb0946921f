"""Which values of a config model are secrets: they go in, and are neither shown nor recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args, get_origin

from pydantic import BaseModel, Secret, SecretBytes, SecretStr

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECRETS = (Secret, SecretBytes, SecretStr)


def secret_fields(model: type[BaseModel]) -> set[str]:
    """Return the fields that hold a secret, also somewhere inside, by each of their names."""
    found = {name: field for name, field in model.model_fields.items() if _secret(field.annotation, {model})}
    return {*found, *(field.alias for field in found.values() if field.alias)}


def shown_values(values: Mapping[str, Any], *models: type[BaseModel]) -> dict[str, Any]:
    """Return values without those that are a secret of one of the models."""
    hidden = set[str]().union(*map(secret_fields, models))
    return {
        name: value
        for name, value in values.items()
        if name not in hidden and not isinstance(value, _SECRETS)
    }


def _secret(annotation: Any, seen: set[Any]) -> bool:
    kind = get_origin(annotation) or annotation
    if isinstance(kind, type) and issubclass(kind, _SECRETS):
        return True
    if isinstance(kind, type) and issubclass(kind, BaseModel) and kind not in seen:
        inner = {*seen, kind}
        return any(_secret(field.annotation, inner) for field in kind.model_fields.values())
    return any(_secret(argument, seen) for argument in get_args(annotation))
