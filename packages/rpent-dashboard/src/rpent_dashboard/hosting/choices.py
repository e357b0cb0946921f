"""What a field accepts: from the robot's own list, else from its model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent.fields import accepted_values, bounds_of, without_none
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
    listed = [True, False] if annotation is bool else accepted_values(annotation, info)
    return [Choice(value=option) for option in listed] or _span(info, annotation) or _usual(info, value)


def _span(info: FieldInfo, annotation: Any) -> list[Choice]:
    bounds = bounds_of(info) if annotation is int else {}
    if not all(isinstance(bounds.get(name), int) for name in ("min", "max")):
        return []
    low = bounds["min"] + bounds.get("min_open", False)
    high = bounds["max"] - bounds.get("max_open", False)
    return [Choice(value=number) for number in range(low, high + 1)] if high - low < MAX_SPAN else []


def _usual(info: FieldInfo, value: Any) -> list[Choice]:
    """Return the value that holds when nothing is typed, as an example."""
    usual = value if value is not None else None if info.is_required() else info.default
    return [] if usual is None or isinstance(usual, dict | list | tuple) else [Choice(value=usual)]
