"""Values from the browser become a request that can run, or an error about one field."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError
from rpent.config import build_config, check_incomplete
from rpent.errors import PluginError, UsageError
from rpent.plugins.index import label
from rpent.plugins.named import load_named
from rpent.run.request import Limits
from rpent.run.resolve import resolve

from rpent_dashboard.hosting.errors import FieldError
from rpent_dashboard.hosting.secrets import secret_fields

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pydantic import BaseModel
    from rpent.run.request import RunRequest
    from rpent.run.resolve import Registry, Resolved

PARTS = (
    ("robots", "robot", "robot_config"),
    ("planners", "planner", "planner_config"),
    ("policies", "policy", "policy_config"),
    ("perceptors", "perceptor", "perceptor_config"),
)


def check(request: RunRequest, registry: Registry) -> Resolved:
    """Resolve a request; nothing is started.

    Raises:
        FieldError: A value is not accepted, or a plugin cannot be used; `field` is its place in the request.
        RpentError: Something else keeps it from running.
    """
    for kind, name, part in PARTS:
        _check_part(kind, name, part, request, registry)
    try:
        return resolve(request, registry)
    except FieldError:
        raise
    except UsageError as error:
        raise FieldError(error.message, hint=error.hint, field=_place(error, request, registry)) from error


def check_base(request: RunRequest, registry: Registry) -> None:
    """Check what a session's tasks have in common; a value that each task brings may be missing.

    Raises:
        FieldError: As `check`.
        RpentError: As `check`.
    """
    _plugin("robots", "robot", request, registry)
    spec, what = registry.get("robots", request.robot), f"robot `{request.robot}`"
    model = load_named(spec.config, what)
    absent = frozenset(spec.dashboard.task_fields or model.model_fields)
    try:
        check_incomplete(model, request.robot_config, what=what, absent=absent)
    except UsageError as error:
        raise FieldError(error.message, hint=error.hint, field=_field(error)).inside(
            "robot_config"
        ) from error
    required = {name for name, field in model.model_fields.items() if field.is_required()}
    if required <= set(request.robot_config):
        check(request, registry)
        return
    for kind, name, part in PARTS[1:]:
        _check_part(kind, name, part, request, registry)


def _check_part(kind: str, name: str, part: str, request: RunRequest, registry: Registry) -> None:
    chosen = getattr(request, name)
    if chosen is None or chosen == "none":
        return
    _plugin(kind, name, request, registry)
    config_of(kind, chosen, getattr(request, part), registry, part)


def _plugin(kind: str, name: str, request: RunRequest, registry: Registry) -> None:
    try:
        registry.get(kind, getattr(request, name))
    except PluginError as error:
        raise FieldError(error.message, hint=error.hint, field=name) from error


def config_of(
    kind: str, name: str, values: Mapping[str, Any], registry: Registry, part: str
) -> BaseModel | None:
    """Validate the values of a plugin's config model; None where it has none.

    Raises:
        FieldError: One is not accepted; `field` begins with `part`.
        PluginError: The plugin cannot be used.
    """
    spec, what = registry.get(kind, name), f"{label(kind)} `{name}`"
    if not spec.config:
        return None
    model = load_named(spec.config, what)
    try:
        config: BaseModel = build_config(model, values, what=what)
    except UsageError as error:
        raise FieldError(error.message, hint=error.hint, field=_field(error)).inside(part) from error
    return config


def limits_of(values: Mapping[str, Any]) -> Limits:
    """Validate budgets.

    Raises:
        FieldError: One is not accepted, or there is no such budget.
    """
    unknown = [name for name in values if name not in Limits.__dataclass_fields__]
    if unknown:
        raise FieldError(f"There is no limit `{unknown[0]}`.", field=f"limits.{unknown[0]}")
    try:
        limits: Limits = TypeAdapter(Limits).validate_python(dict(values))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = str(first["loc"][0]) if first["loc"] else ""
        message = f"`{name}` is `{first['input']}`: {first['msg'][0].lower()}{first['msg'][1:]}."
        raise FieldError(message, field=f"limits.{name}") from error
    except UsageError as error:
        name = next((n for n in values if f"`{n}`" in error.message), "")
        raise FieldError(error.message, hint=error.hint, field=f"limits.{name}") from error
    return limits


def plain_values(model: type[BaseModel], values: Mapping[str, Any], config: BaseModel) -> dict[str, Any]:
    """Return given values as a validated config has them, as plain data; secrets are left out."""
    secret = secret_fields(model)
    dumped = config.model_dump(mode="json", exclude=secret)
    return {name: dumped[name] for name in values if name in dumped}


def with_values(request: RunRequest, values: Mapping[str, Any]) -> RunRequest:
    """Return the request with other values of the robot's config."""
    return replace(request, robot_config={**request.robot_config, **values})


def _field(error: UsageError) -> str:
    cause = error.__cause__
    if isinstance(cause, ValidationError):
        places = cause.errors(include_url=False)[0]["loc"]
        return ".".join(str(place) for place in places[:1])
    found = re.search(r"has no option `([^`]+)`", error.message)
    return found.group(1) if found else ""


def _place(error: UsageError, request: RunRequest, registry: Registry) -> str:
    """Return the field that resolving a request with accepted values complained of, where it can be told."""
    if isinstance(error.__cause__, ValidationError) and request.perceptor_service_config:
        return f"perceptor_config.{_field(error)}"
    for kind, name, part in PARTS:
        field = _told(error, getattr(request, name), registry, kind)
        if field:
            return f"{part}.{field}"
    field = _guess(error.message, request.robot_config)
    return f"robot_config.{field}" if field else ""


def _told(error: UsageError, name: str | None, registry: Registry, kind: str) -> str:
    """Return the plugin's field whose option, such as `--task`, a complaint names first."""
    if name is None or name == "none":
        return ""
    config = registry.get(kind, name).config
    fields = load_named(config, f"{label(kind)} `{name}`").model_fields if config else {}
    said = re.findall(r"(?<![\w-])--([a-z][a-z0-9-]*)", f"{error.message} {error.hint or ''}")
    return next((field for option in said if (field := option.replace("-", "_")) in fields), "")


def _guess(message: str, values: Mapping[str, Any]) -> str:
    """Return the field whose name or value a robot's own complaint puts in backticks, where it is one."""
    said = set(re.findall(r"`([^`]+)`", message))
    named = _one(name for name in values if name in said)
    return named or _one(name for name, value in values.items() if str(value) in said)


def _one(names: Iterable[str]) -> str:
    found = list(names)
    return found[0] if len(found) == 1 else ""
