"""From plain values to a validated configuration, with one sentence where a value is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from rpent.errors import UsageError
from rpent.suggest import did_you_mean, listing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import BaseModel
    from pydantic_core import ErrorDetails

M = TypeVar("M", bound="BaseModel")


def env_prefix(name: str) -> str:
    """Return how the environment variables of a plugin's options begin: `RPENT_LIBERO` (and `_SUITE`)."""
    return f"RPENT_{name}".upper().replace("-", "_").replace("+", "_")


def build_config(
    model: type[M],
    values: Mapping[str, Any],
    *,
    what: str,
    names: Mapping[str, str] | None = None,
) -> M:
    """Validate `values` against a plugin's config model.

    Args:
        model: The pydantic model.
        values: Field values; absent fields take their defaults.
        what: Whose configuration it is, for the message: `` robot `libero` ``.
        names: Field → what the user calls it: the option `--max-episode-steps` on the command line.

    Raises:
        UsageError: A value is not accepted, is missing, or belongs to no field.
    """
    names = names or {}
    from pydantic import ValidationError  # noqa: PLC0415  (not for `rpent run --help`)

    _check_names(model, values, what, names)
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        raise UsageError(_sentences(error.errors(include_url=False), what, names, model)) from error


def check_incomplete(
    model: type[BaseModel],
    values: Mapping[str, Any],
    *,
    what: str,
    absent: frozenset[str],
    names: Mapping[str, str] | None = None,
) -> None:
    """Validate values of which some are still to come.

    Args:
        model: As in `build_config`.
        values: As in `build_config`.
        what: As in `build_config`.
        absent: The fields that may be missing although the model requires them.
        names: As in `build_config`.

    Raises:
        UsageError: A value is not accepted, belongs to no field, or another field is missing.
    """
    names = names or {}
    from pydantic import ValidationError  # noqa: PLC0415

    _check_names(model, values, what, names)
    try:
        model.model_validate(dict(values))
    except ValidationError as error:
        fields = {field.alias or name for name, field in model.model_fields.items() if name in absent}
        wrong = [
            details
            for details in error.errors(include_url=False)
            if not (details["type"] == "missing" and details["loc"] and details["loc"][0] in fields)
        ]
        if wrong:
            raise UsageError(_sentences(wrong, what, names, model)) from error


def _check_names(
    model: type[BaseModel], values: Mapping[str, Any], what: str, names: Mapping[str, str]
) -> None:
    unknown = [name for name in values if name not in _accepted(model)]
    if unknown:
        suggestion = did_you_mean(unknown[0], model.model_fields)
        raise UsageError(
            f"The {what} has no option `{names.get(unknown[0], unknown[0])}`{suggestion}",
            hint=f"Options: {listing(model.model_fields)}.",
        )


def _accepted(model: type[BaseModel]) -> set[str]:
    aliases = {field.alias for field in model.model_fields.values() if field.alias}
    return {*model.model_fields, *aliases}


def _sentences(
    errors: list[ErrorDetails], what: str, names: Mapping[str, str], model: type[BaseModel]
) -> str:
    from rpent.secret_fields import secret_fields  # noqa: PLC0415  (it needs pydantic)

    secret = secret_fields(model)
    return " ".join(_sentence(details, what, names, secret) for details in errors[:3])


def _sentence(details: ErrorDetails, what: str, names: Mapping[str, str], secret: set[str]) -> str:
    # A validator's own ValueError is already a sentence written for the user.
    cause = details.get("ctx", {}).get("error")
    text = str(cause) if isinstance(cause, ValueError) else details["msg"]
    text = text.rstrip(".") + "."
    if not details["loc"]:
        return text[0].upper() + text[1:]
    name = names.get(str(details["loc"][0]), str(details["loc"][0]))
    if details["type"] == "missing":
        return f"The {what} needs `{name}`."
    if isinstance(cause, ValueError) or str(details["loc"][0]) in secret:
        return f"`{name}`: {text}"
    return f"`{name}` is `{details['input']}`: {text[0].lower() + text[1:]}"
