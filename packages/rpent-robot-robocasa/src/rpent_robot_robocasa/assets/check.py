"""Whether a run will find its kitchen assets, asked on the agent's side before anything is started."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast, get_args

from rpent.errors import RpentError
from rpent.specs import CheckResult

from rpent_robot_robocasa.assets.locate import Choice, locate
from rpent_robot_robocasa.assets.package import managed_package

if TYPE_CHECKING:
    from rpent_robot_robocasa.config import EnvServerConfig


def check(config: EnvServerConfig) -> None:
    """Look for the assets that an env server would be started with.

    A folder is looked into by the server itself; so are the assets of a simulator outside the managed environment.

    Raises:
        EnvironmentSetupError: They are missing, incomplete or of another version.
    """
    package = managed_package() if config.assets in get_args(Choice) else None
    if package is not None:
        locate(cast("Choice", config.assets), version=package.version)


def diagnosis() -> CheckResult:
    """Tell which kitchen assets a run would use, for `rpent doctor`."""
    package = managed_package()
    if package is None:
        return CheckResult(status="skip", message="The simulator is not in its managed environment.")
    try:
        found = locate("auto", version=package.version)
    except RpentError as error:
        return CheckResult(status="warn", message=error.message, remedy=error.hint or "")
    return CheckResult(
        status="ok", message=f"A run uses the {found.kind} kitchen assets in `{found.folder}`."
    )
