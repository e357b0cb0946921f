"""What can be launched: the installed robots, planners, policies and perceptors, with the schemas of their options."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rpent.encodable import encodable
from rpent.errors import RpentError
from rpent.plugins.named import load_named
from rpent.run.request import Limits
from rpent.runs.files import plain
from rpent.specs import PerceptorSpec

from rpent_dashboard.hosting.forms import field_names, schema_of

if TYPE_CHECKING:
    from pydantic import BaseModel
    from rpent.run.resolve import Registry
    from rpent.specs import DashboardSpec


class Catalogue:
    """Describes plugins; each is asked once."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._known: dict[tuple[str, str], dict[str, Any]] = {}

    def launch(self) -> dict[str, Any]:
        """Return what the launch page shows, except for the models of earlier runs."""
        kinds = ("robots", "planners", "policies", "perceptors")
        return {**{kind: self.of_kind(kind) for kind in kinds}, "limits": asdict(Limits())}

    def of_kind(self, kind: str) -> list[dict[str, Any]]:
        """Describe the plugins of a kind, the unusable ones with their problem."""
        return [self.describe(kind, name) for name in dict.fromkeys(self._registry.names(kind))]

    def describe(self, kind: str, name: str) -> dict[str, Any]:
        """Describe a plugin."""
        key = (kind, name)
        if key not in self._known:
            self._known[key] = encodable(plain(self._described(kind, name)))
        return self._known[key]

    def _described(self, kind: str, name: str) -> dict[str, Any]:
        described: dict[str, Any] = {"name": name, "summary": "", "schema": None, "problem": ""}
        try:
            spec = self._registry.get(kind, name)
            described["summary"] = spec.summary
            if kind == "planners":
                described["uses_model"] = spec.uses_model
            model = load_named(spec.config, f"`{name}`") if spec.config else None
            schemas = [schema_of(found) for found in models_of(spec)]
            described["schema"] = merged(schemas) if schemas else None
            if kind == "robots":
                described["dashboard"] = dashboard_json(spec.dashboard, model)
            if kind == "perceptors":
                described["robots"] = list(spec.robots)
        except RpentError as error:
            described["problem"] = " ".join(filter(None, (error.message, error.hint)))
        except Exception as error:  # noqa: BLE001  (one bad plugin hides no other)
            described["problem"] = f"Its options cannot be read: {type(error).__name__}: {error}"
        return described


def models_of(spec: Any) -> list[type[BaseModel]]:
    """Return the config models that a plugin's user fills: its own, and that of a perceptor's service."""
    service = getattr(spec, "service", None) if isinstance(spec, PerceptorSpec) else None
    named = [spec.config, service.config if service is not None else None]
    return [load_named(config, f"`{spec.name}`") for config in dict.fromkeys(named) if config]


def merged(schemas: list[dict[str, Any]]) -> dict[str, Any]:
    """Return one schema with the properties of several; a service that already runs needs none of its own."""
    first, *others = schemas
    properties = {name: value for schema in reversed(schemas) for name, value in schema["properties"].items()}
    definitions = {name: value for schema in schemas for name, value in schema.get("$defs", {}).items()}
    return {**first, "properties": properties, **({"$defs": definitions} if others and definitions else {})}


def dashboard_json(spec: DashboardSpec, model: type[BaseModel] | None) -> dict[str, Any]:
    """Return what a robot says of itself to a dashboard, as plain data."""
    fields = list(spec.task_fields) or (field_names(model) if model is not None else [])
    return {
        "task_fields": fields,
        "frames": [asdict(frame) | {"label": frame.label or frame.camera} for frame in spec.frames],
        "primitives": list(spec.primitives),
        "service_labels": dict(spec.service_labels),
    }
