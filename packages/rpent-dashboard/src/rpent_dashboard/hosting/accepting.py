"""From a session's base request and what a person chose to the request of one task."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rpent.planners.config import OF_ONE_MODEL
from rpent.plugins.named import load_named
from rpent.runs.files import plain

from rpent_dashboard.hosting.catalogue import models_of
from rpent_dashboard.hosting.checking import PARTS, check, plain_values, with_values
from rpent_dashboard.hosting.errors import FieldError
from rpent_dashboard.hosting.secrets import shown_values

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpent.run.request import RunRequest
    from rpent.run.resolve import Registry, Resolved


@dataclass(frozen=True, kw_only=True, slots=True)
class Accepted:
    """A task whose values were accepted."""

    request: RunRequest
    values: dict[str, Any]
    """Typed by the robot's model."""
    shown_config: dict[str, Any]
    """The planner's values, without secrets."""
    label: str
    tag: str

    def to_json(self) -> dict[str, Any]:
        """Return what the journal says of it."""
        return {
            "values": self.values,
            "planner": self.request.planner,
            "planner_config": self.shown_config,
            "model": model_of(self.request.planner_config),
            "label": self.label,
            "tag": self.tag,
        }


def accept(
    base: RunRequest,
    values: Mapping[str, Any],
    registry: Registry,
    *,
    planner: str | None = None,
    planner_config: Mapping[str, Any] | None = None,
) -> Accepted:
    """Validate a task as it will run: the models, then the robot's own look at the task.

    Raises:
        FieldError: A value is not accepted; `field` is its place in the task.
        PluginError: A plugin cannot be used.
    """
    planner = planner or base.planner
    request = with_values(base, values)
    request = replace(
        request, planner=planner, planner_config=merged(base, planner, dict(planner_config or {}))
    )
    try:
        resolved = check(request, registry)
    except FieldError as error:
        # A task's own name for the robot's values.
        field = error.field.replace("robot_config.", "values.", 1)
        raise FieldError(error.message, hint=error.hint, field=field) from error
    return _accepted(request, values, resolved)


def merged(base: RunRequest, planner: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return a planner's values: the session's where it is the same one, and over them what was given.

    None takes a value of the session back. Prices of another model than the session's are not kept.
    """
    if planner != base.planner:
        return {name: value for name, value in given.items() if value is not None}
    kept = dict(base.planner_config)
    if "model" in given and given["model"] != kept.get("model"):
        kept = {name: value for name, value in kept.items() if name not in OF_ONE_MODEL}
    return {name: value for name, value in {**kept, **given}.items() if value is not None}


def public_request(request: RunRequest, registry: Registry, values: dict[str, Any]) -> dict[str, Any]:
    """Return a request as plain data without the secrets of its plugins, and without its place."""
    del values["output_dir"]
    robot = registry.get("robots", request.robot)
    for kind, name, part in PARTS:
        chosen = getattr(request, name) or (robot.perceptor if kind == "perceptors" else None)
        given = [part, "perceptor_service_config"] if kind == "perceptors" else [part]
        if chosen not in (None, "none") and any(values[each] for each in given):
            models = models_of(registry.get(kind, chosen))
            values |= {each: shown_values(values[each], *models) for each in given}
    return values


def model_of(planner_config: Mapping[str, Any]) -> str | None:
    """Return the language model, where the planner has one."""
    model = planner_config.get("model")
    return str(model) if model else None


def _accepted(request: RunRequest, values: Mapping[str, Any], resolved: Resolved) -> Accepted:
    robot_model = type(resolved.robot.config)
    planner_model = load_named(resolved.planner_spec.config, f"planner `{request.planner}`")
    shown = shown_values(request.planner_config, planner_model)
    setup = resolved.setup
    return Accepted(
        request=request,
        values=plain_values(robot_model, values, resolved.robot.config),
        shown_config=plain(shown),
        label=setup.instruction or setup.tag,
        tag=setup.tag,
    )
