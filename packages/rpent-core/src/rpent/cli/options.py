"""Click options from a pydantic model: name, type, choices, bounds, default, help, environment variable."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, get_args, get_origin

import click

from rpent.fields import accepted_values, bounds_of, extra_of, without_none

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

_SEQUENCES = (list, tuple, set, frozenset)
_DEFAULT = "  [default: "


class JsonValue(click.ParamType):  # type: ignore[type-arg]
    """A value that is given as JSON (a mapping, a nested model)."""

    name = "json"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Parse the text."""
        try:
            return json.loads(value) if isinstance(value, str) else value
        except json.JSONDecodeError as error:
            self.fail(f"`{value}` is not JSON: {error}.", param, ctx)


def options_from_model(
    model: type[BaseModel],
    *,
    env_prefix: str | None = None,
    taken: frozenset[str] = frozenset(),
    rename: str = "",
    prefix: str = "",
) -> list[click.Option]:
    """Return one option for each field of a config model, in the model's order.

    A field with `Field(json_schema_extra={"cli": False})` gets none; `{"choices": [...]}` there lists what a
    string field accepts, for the help and for completion. An option that was not given is absent from the
    values (see `given`), so that the model's own default holds.

    Args:
        model: The pydantic model.
        env_prefix: `RPENT_LIBERO` makes the field `suite` readable from `RPENT_LIBERO_SUITE`.
        taken: Options that are spoken for; a field of that name becomes `--{rename}-{field}`.
        rename: The prefix for those: `planner`.
        prefix: Stands before every field: `dashboard` makes `--dashboard-port` of `port`.
    """
    return [
        _option(name, field, env_prefix, _Naming(taken, rename, prefix))
        for name, field in model.model_fields.items()
        if extra_of(field).get("cli", True)
    ]


def as_recorded(options: list[click.Option], values: Mapping[str, Any]) -> None:
    """Make options those of a recorded run: what is not typed stays as it was, whatever the environment says.

    Args:
        options: From `options_from_model`.
        values: The recorded configuration, by field name.
    """
    for option in options:
        option.required, option.envvar, option.show_envvar = False, None, False
        value = values.get(field_name(option))
        recorded = "" if value in (None, "") else f"  [recorded: {_shown(value)}]"
        option.help = (option.help or "").partition(_DEFAULT)[0] + recorded


def given(ctx: click.Context, options: list[click.Option]) -> dict[str, Any]:
    """Return the values that the user gave for `options`, by field name; defaults are left to the model."""
    values = {}
    for option in options:
        source = ctx.get_parameter_source(str(option.name))
        if source not in {None, click.core.ParameterSource.DEFAULT}:
            value = ctx.params[str(option.name)]
            values[field_name(option)] = list(value) if isinstance(value, tuple) else value
    return values


def field_name(option: click.Option) -> str:
    """Return the model field that an option was made from."""
    return str(getattr(option, "rpent_field", option.name))


def option_name(option: click.Option) -> str:
    """Return an option as the user types it: `--max-episode-steps`."""
    return option.opts[0]


@dataclass(frozen=True, slots=True)
class _Naming:
    """How fields become flags."""

    taken: frozenset[str]
    rename: str
    prefix: str

    def flag(self, name: str) -> str:
        words = [self.prefix] * bool(self.prefix) + [name.replace("_", "-")]
        flag = f"--{'-'.join(words)}"
        return f"--{self.rename}-{flag[2:]}" if flag in self.taken else flag


def _option(name: str, field: FieldInfo, env_prefix: str | None, naming: _Naming) -> click.Option:
    flag = naming.flag(field.alias or name)
    annotation = without_none(field.annotation)
    attributes = _attributes(annotation, field)
    declaration = f"{flag}/--no-{flag[2:]}" if annotation is bool else flag
    required = field.is_required()
    option = click.Option(
        [declaration, flag[2:].replace("-", "_")],
        help=_help(field),
        required=required,
        envvar=f"{env_prefix}_{name.upper()}" if env_prefix else None,
        show_envvar=bool(env_prefix),
        **attributes,
    )
    option.rpent_field = name  # type: ignore[attr-defined]
    return option


def _attributes(annotation: Any, field: FieldInfo) -> dict[str, Any]:
    """Return the click type of a field, and whether it may be repeated."""
    origin = get_origin(annotation) or annotation
    if annotation is bool:
        return {}
    if origin in _SEQUENCES and get_args(annotation):
        item = next(argument for argument in get_args(annotation) if argument is not Ellipsis)
        return {"type": _type(without_none(item), field), "multiple": True}
    return {"type": _type(annotation, field)}


def _type(annotation: Any, field: FieldInfo) -> click.ParamType:  # type: ignore[type-arg]
    if choices := accepted_values(annotation, field):
        return ValueChoice({str(value): value for value in choices})
    origin = get_origin(annotation) or annotation
    if annotation is int:
        bounds = bounds_of(field)
        return click.IntRange(**bounds) if bounds else click.INT
    if annotation is float:
        bounds = bounds_of(field)
        return click.FloatRange(**bounds) if bounds else click.FLOAT
    if isinstance(origin, type) and issubclass(origin, PurePath):
        return click.Path()
    if origin is dict or hasattr(origin, "model_fields"):
        return JsonValue()
    return click.STRING


class ValueChoice(click.Choice):  # type: ignore[type-arg]
    """A choice whose values need not be strings (`Literal[1, 2]`)."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__(list(values))
        self.values = dict(values)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value that the text stands for."""
        if value not in self.values:
            from rpent.suggest import did_you_mean

            accepted = ", ".join(f"`{name}`" for name in self.values)
            self.fail(
                f"`{value}` is not accepted{did_you_mean(str(value), self.values)} Accepted: {accepted}.",
                param,
                ctx,
            )
        return self.values[value]


def _help(field: FieldInfo) -> str:
    text = (field.description or "").strip()
    if field.is_required() or field.default_factory is not None or field.default in (None, ""):
        return text
    return f"{text}{_DEFAULT}{_shown(field.default)}]"


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, _SEQUENCES):
        return ", ".join(str(item) for item in value) or "none"
    return str(value.value if isinstance(value, Enum) else value)
