"""Values without secrets, as they are shown and recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent.secret_fields import SECRETS, secret_fields

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import BaseModel

__all__ = ["secret_fields", "shown_values"]


def shown_values(values: Mapping[str, Any], *models: type[BaseModel]) -> dict[str, Any]:
    """Return values without those that are a secret of one of the models."""
    hidden = set[str]().union(*map(secret_fields, models))
    return {
        name: value for name, value in values.items() if name not in hidden and not isinstance(value, SECRETS)
    }
