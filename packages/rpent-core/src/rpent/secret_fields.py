"""Which fields of a config model hold secrets: they are neither shown nor recorded."""

from __future__ import annotations

from typing import Any, get_args, get_origin

from pydantic import BaseModel, Secret, SecretBytes, SecretStr

SECRETS = (Secret, SecretBytes, SecretStr)


def secret_fields(model: type[BaseModel]) -> set[str]:
    """Return the fields that hold a secret, also somewhere inside, by each of their names."""
    found = {name: field for name, field in model.model_fields.items() if _secret(field.annotation, {model})}
    return {*found, *(field.alias for field in found.values() if field.alias)}


def _secret(annotation: Any, seen: set[Any]) -> bool:
    kind = get_origin(annotation) or annotation
    if isinstance(kind, type) and issubclass(kind, SECRETS):
        return True
    if isinstance(kind, type) and issubclass(kind, BaseModel) and kind not in seen:
        inner = {*seen, kind}
        return any(_secret(field.annotation, inner) for field in kind.model_fields.values())
    return any(_secret(argument, seen) for argument in get_args(annotation))
