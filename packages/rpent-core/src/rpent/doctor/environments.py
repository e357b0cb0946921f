"""Is there an interpreter for every service of the installed plugins?"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from rpent.doctor.plugins import usable
from rpent.errors import RpentError
from rpent.specs import CheckResult, DoctorCheck

if TYPE_CHECKING:
    from rpent.environments.catalog import DeclaredEnvironment


def environments() -> list[DeclaredEnvironment]:
    """Return every managed environment that an installed plugin declares, each once."""
    from rpent.environments.catalog import KINDS, environments_in  # noqa: PLC0415

    return list(environments_in(usable(*KINDS)).values())


def check_environment(declared: DeclaredEnvironment) -> CheckResult:
    """Choose the interpreter as a run would, and say which one it is."""
    from rpent.environments.interpreter import choose  # noqa: PLC0415

    environment, managed = declared.spec, declared.managed
    sync = f"rpent env sync {environment.name}"
    if managed.exists() and not managed.is_current():
        return CheckResult(
            status="warn",
            message=f"It was built from older data than `{declared.distribution}` ships.",
            remedy=sync,
        )
    if not declared.default and not managed.exists():
        return CheckResult(
            status="skip", message=f"Not built; its services prefer another. `{sync}` builds it."
        )
    try:
        interpreter = choose(environment, python=None, distribution=declared.distribution)
    except RpentError as error:
        return CheckResult(status="warn", message=error.message, remedy=sync)
    place = "the managed environment" if managed.exists() else "this interpreter"
    return CheckResult(status="ok", message=f"Its services run in {place} ({interpreter.python}).")


def sync_environment(declared: DeclaredEnvironment) -> None:
    """Build it, as `rpent env sync` does."""
    declared.managed.sync(say=lambda line: click.echo(line, err=True))


def checks() -> list[DoctorCheck]:
    """Return one check for each managed environment."""
    return [
        DoctorCheck(
            name=f"env/{declared.spec.name}",
            summary=f"The services of {_listed(declared)} have an interpreter.",
            run=partial(check_environment, declared),
            fix=partial(sync_environment, declared),
        )
        for declared in environments()
    ]


def _listed(declared: DeclaredEnvironment) -> str:
    return ", ".join(f"`{name}`" for name in (declared.distribution, *declared.sharing))
