"""Is there an interpreter for every service of the installed plugins?"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from rpent.doctor.plugins import usable
from rpent.errors import RpentError
from rpent.specs import CheckResult, DoctorCheck, services_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent.specs import EnvironmentSpec

KINDS = ("robots", "perceptors", "policies")


def environments() -> Iterator[tuple[EnvironmentSpec, str]]:
    """Yield every managed environment that an installed plugin declares, with its distribution, each once."""
    seen = set()
    for entry, spec in usable(*KINDS):
        for service in services_of(spec):
            if service.environment and service.environment.name not in seen:
                seen.add(service.environment.name)
                yield service.environment, entry.distribution


def check_environment(environment: EnvironmentSpec, distribution: str) -> CheckResult:
    """Choose the interpreter as a run would, and say which one it is."""
    from rpent.environments.interpreter import choose  # noqa: PLC0415
    from rpent.environments.managed import ManagedEnvironment  # noqa: PLC0415

    sync = f"rpent env sync {environment.name}"
    managed = ManagedEnvironment(environment, distribution=distribution)
    if managed.exists() and not managed.is_current():
        return CheckResult(
            status="warn", message=f"It was built from older data than `{distribution}` ships.", remedy=sync
        )
    try:
        interpreter = choose(environment, python=None, distribution=distribution)
    except RpentError as error:
        return CheckResult(status="warn", message=error.message, remedy=sync)
    place = "the managed environment" if managed.exists() else "this interpreter"
    return CheckResult(status="ok", message=f"Its services run in {place} ({interpreter.python}).")


def sync_environment(environment: EnvironmentSpec, distribution: str) -> None:
    """Build it, as `rpent env sync` does."""
    from rpent.environments.managed import ManagedEnvironment  # noqa: PLC0415

    ManagedEnvironment(environment, distribution=distribution).sync(
        say=lambda line: click.echo(line, err=True)
    )


def checks() -> list[DoctorCheck]:
    """Return one check for each managed environment."""
    return [
        DoctorCheck(
            name=f"env/{environment.name}",
            summary=f"The services of `{distribution}` have an interpreter.",
            run=partial(check_environment, environment, distribution),
            fix=partial(sync_environment, environment, distribution),
        )
        for environment, distribution in environments()
    ]
