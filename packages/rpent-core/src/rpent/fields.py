"""What a field of a config model accepts: for the command line's options, and for forms and completion elsewhere."""

from __future__ import annotations

import types
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo


def without_none(annotation: Any) -> Any:
    """Return an annotation without `None`; `str` for a union of several types."""
    if get_origin(annotation) in {Union, types.UnionType}:
        members = [member for member in get_args(annotation) if member is not type(None)]
        return members[0] if len(members) == 1 else str
    return annotation


def accepted_values(annotation: Any, field: FieldInfo) -> list[Any]:
    """Return what a field accepts, where that is a list: a `Literal`, an enum, `json_schema_extra["choices"]`.

    Args:
        annotation: The field's, without `None`; or that of one of its items.
        field: The field.
    """
    if get_origin(annotation) is Literal:
        return list(get_args(annotation))
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return [member.value for member in annotation]
    return list(extra_of(field).get("choices", ()))


def bounds_of(field: FieldInfo) -> dict[str, Any]:
    """Return `min` and `max` of a number, as far as it has them; `min_open`, `max_open`: the bound itself is out."""
    bounds: dict[str, Any] = {}
    for constraint in field.metadata:
        for name, key, is_open in (
            ("ge", "min", False),
            ("gt", "min", True),
            ("le", "max", False),
            ("lt", "max", True),
        ):
            value = getattr(constraint, name, None)
            if value is not None:
                bounds[key] = value
                if is_open:
                    bounds[f"{key}_open"] = True
    return bounds


def extra_of(field: FieldInfo) -> dict[str, Any]:
    """Return what a field says in `json_schema_extra`."""
    return dict(field.json_schema_extra) if isinstance(field.json_schema_extra, dict) else {}
