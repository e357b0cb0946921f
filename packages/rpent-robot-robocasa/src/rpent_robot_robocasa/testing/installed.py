"""Whether the real simulator can be started here, for tests marked `sim`."""

from __future__ import annotations

import os

import pytest
from rpent.errors import RpentError

STRICT_VARIABLE = "RPENT_STRICT_ROBOCASA"


def require_simulator() -> None:
    """Skip the test where the managed environment or its kitchen assets are missing.

    With `RPENT_STRICT_ROBOCASA=1` it fails instead.
    """
    reason = _missing()
    if reason and os.environ.get(STRICT_VARIABLE) == "1":
        pytest.fail(reason)
    if reason:
        pytest.skip(reason)


def _missing() -> str:
    from rpent.environments.catalog import declared_environment  # noqa: PLC0415

    from rpent_robot_robocasa.assets.locate import locate  # noqa: PLC0415

    try:
        managed = declared_environment("robocasa").managed
        if not managed.is_current():
            state = "out of date" if managed.exists() else "not built"
            return f"The environment `robocasa` is {state} (`rpent env sync robocasa`)."
        locate("auto")
    except RpentError as error:
        return f"{error.message} ({error.hint})"
    return ""
