"""What a field accepts: from the robot's own list, else from its model."""

from __future__ import annotations

import types
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin

from rpent.specs import Choice

from rpent_dashboard.hosting.robots_choices import ask

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import BaseModel
    from pydantic.fields import FieldInfo
    from rpent.specs import DashboardSpec

MAX_SPAN = 64
"""Whole numbers between bounds are listed where there are at most so many."""


def choices_of(
    spec: DashboardSpec, model: type[BaseModel], field: str, values: Mapping[str, Any]
) -> list[Choice]:
    """Return what a field accepts when the other fields have these values; empty where that is no list."""
    known = {name: info.default for name, info in model.model_fields.items() if not info.is_required()}
    listed = ask(spec.choices, field, {**known, **values}) if spec.choices else []
    return listed or _of_model(model.model_fields[field], values.get(field))


def _of_model(info: FieldInfo, value: Any) -> list[Choice]:
    annotation = without_none(info.annotation)
    extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
    if get_origin(annotation) is Literal:
        return [Choice(value=option) for option in get_args(annotation)]
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return [Choice(value=member.value) for member in annotation]
    if annotation is bool:
        return [Choice(value=True), Choice(value=False)]
    listed = extra.get("choices")
    if isinstance(listed, list):
        return [Choice(value=option) for option in listed]
    return _span(info, annotation) or _usual(info, value)


def _span(info: FieldInfo, annotation: Any) -> list[Choice]:
    low, high = _bounds(info)
    if annotation is not int or low is None or high is None or high - low >= MAX_SPAN:
        return []
    return [Choice(value=number) for number in range(low, high + 1)]


def _bounds(info: FieldInfo) -> tuple[int | None, int | None]:
    found: dict[str, int] = {}
    for constraint in info.metadata:
        for name, key, by in (("ge", "low", 0), ("gt", "low", 1), ("le", "high", 0), ("lt", "high", -1)):
            if isinstance(bound := getattr(constraint, name, None), int):
                found[key] = bound + by
    return found.get("low"), found.get("high")


def _usual(info: FieldInfo, value: Any) -> list[Choice]:
    """Return the value that holds when nothing is typed, as an example."""
    usual = value if value is not None else None if info.is_required() else info.default
    return [] if usual is None or isinstance(usual, dict | list | tuple) else [Choice(value=usual)]


def without_none(annotation: Any) -> Any:
    """Return an annotation without `None`."""
    if get_origin(annotation) in {Union, types.UnionType}:
        members = [member for member in get_args(annotation) if member is not type(None)]
        return members[0] if len(members) == 1 else str
    return annotation
