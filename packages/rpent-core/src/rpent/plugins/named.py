"""What a spec names by an import string, loaded with an error that says whose spec is wrong."""

from __future__ import annotations

from typing import Any

from rpent.errors import PluginError, RpentError, clause
from rpent.specs import load_object


def load_named(import_string: str, what: str) -> Any:
    """Import what a spec names; `what` says whose it is, as in "robot `libero`".

    Raises:
        PluginError: It cannot be imported.
    """
    try:
        return load_object(import_string)
    except RpentError:
        raise
    except Exception as error:
        raise PluginError(
            f"The {what} names `{import_string}`, which cannot be imported: {clause(error, named=True)}",
            hint=f"See `rpent doctor {what.partition('`')[2].rstrip('`')}`.",
        ) from error
