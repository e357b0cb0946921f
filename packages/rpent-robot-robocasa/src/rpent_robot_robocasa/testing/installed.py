"""Whether the real simulator can be started here, for tests marked `sim`.

Where it cannot, a test is skipped, or fails where `RPENT_STRICT_ROBOCASA=1`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NoReturn

import pytest
from rpent.errors import RpentError

if TYPE_CHECKING:
    from pathlib import Path

STRICT_VARIABLE = "RPENT_STRICT_ROBOCASA"


def missing(reason: str) -> NoReturn:
    """Skip the test for this reason, or let it fail."""
    if os.environ.get(STRICT_VARIABLE) == "1":
        pytest.fail(reason)
    pytest.skip(reason)


def simulator_python() -> Path:
    """Return the interpreter that has the simulator; skips the test where its environment is not built or too old."""
    from rpent.environments.catalog import declared_environment  # noqa: PLC0415

    managed = declared_environment("robocasa").managed
    if not managed.is_current():
        state = "out of date" if managed.exists() else "not built"
        missing(f"The environment `robocasa` is {state} (`rpent env sync robocasa`).")
    return managed.python


def placeholder_assets() -> Path:
    """Return the folder of the placeholder assets; skips the test where they are not made."""
    from rpent_robot_robocasa.assets.locate import locate  # noqa: PLC0415

    try:
        return locate("placeholder").folder
    except RpentError as error:
        missing(f"{error.message} ({error.hint})")


def require_simulator() -> None:
    """Skip the test where the managed environment or the placeholder assets are missing."""
    simulator_python()
    placeholder_assets()
