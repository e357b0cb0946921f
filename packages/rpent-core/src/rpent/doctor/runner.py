"""Collect the checks of core and of every plugin, run each in a guard, and mend what can be mended."""

from __future__ import annotations

import time
import traceback
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from rpent.errors import UsageError
from rpent.plugins import registry
from rpent.specs import CheckResult, DoctorCheck
from rpent.suggest import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

SCHEMA = 1
"""The version of the JSON form; fields are only ever added to it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """What one check found."""

    check: DoctorCheck
    result: CheckResult
    seconds: float
    mended: bool = False

    def row(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "name": self.check.name,
            "summary": self.check.summary,
            **asdict(self.result),
            "seconds": round(self.seconds, 3),
            "fixable": self.check.fix is not None,
            "mended": self.mended,
        }


def collect() -> list[DoctorCheck]:
    """Return the checks of every plugin that can be loaded, core's first.

    A plugin that cannot be loaded here has a check of its own among core's, which says why.
    """
    from rpent.doctor.plugins import loadable_modules  # noqa: PLC0415

    checks: list[DoctorCheck] = []
    loader = registry.current().loader
    modules = list(loadable_modules())
    for impl in loader.manager.hook.rpent_doctor_checks.get_hookimpls():
        if impl.plugin in modules:
            checks += _from_hook(impl.plugin_name, impl.function)
    return sorted(checks, key=lambda check: "/" in check.name)


def select(checks: Sequence[DoctorCheck], names: Sequence[str]) -> list[DoctorCheck]:
    """Return the checks that the names stand for: a check (`gl`), a group (`plugins`), a plugin (`libero`).

    Raises:
        UsageError: A name stands for none.
    """
    if not names:
        return list(checks)
    from rpent.doctor.plugins import distributions_of  # noqa: PLC0415

    for name in names:
        if not _matching(checks, {name} | distributions_of([name])):
            known = {part for check in checks for part in (check.name, *check.name.split("/"))}
            raise UsageError(
                f"No check or plugin is named `{name}`{did_you_mean(name, known)}",
                hint="`rpent doctor --list` shows all.",
            )
    return _matching(checks, set(names) | distributions_of(names))


def run_all(checks: Iterable[DoctorCheck], *, fix: bool = False) -> Iterator[Report]:
    """Run each check; with `fix`, mend what failed and check again."""
    for check in checks:
        report = run_one(check)
        if fix and report.result.status in {"fail", "warn"} and check.fix is not None:
            report = mend(report)
        yield report


def run_one(check: DoctorCheck) -> Report:
    """Run one check; whatever it raises is its result."""
    start = time.perf_counter()
    try:
        result = check.run()
    except Exception as error:  # noqa: BLE001  (one broken check must not hide the others)
        at = traceback.extract_tb(error.__traceback__)[-1]
        result = CheckResult(
            status="fail",
            message=f"The check raised {type(error).__name__} at `{at.name}`, line {at.lineno}: {error}",
            remedy="Report it to the authors of the check.",
        )
    return Report(check=check, result=result, seconds=time.perf_counter() - start)


def mend(report: Report) -> Report:
    """Run the check's fix and check again."""
    assert report.check.fix is not None
    try:
        report.check.fix()
    except Exception as error:  # noqa: BLE001  (reported; the other checks go on)
        message = f"{report.result.message} The fix failed: {getattr(error, 'message', error)}"
        failed = CheckResult(status="fail", message=message, remedy=report.result.remedy)
        return Report(check=report.check, result=failed, seconds=report.seconds)
    again = run_one(report.check)
    mended = again.result.status in {"ok", "skip"}
    return Report(
        check=report.check, result=again.result, seconds=report.seconds + again.seconds, mended=mended
    )


def envelope(reports: Sequence[Report]) -> dict[str, Any]:
    """Return the versioned JSON form of what was found."""
    counts = dict.fromkeys(("ok", "warn", "fail", "skip"), 0)
    for report in reports:
        counts[report.result.status] += 1
    return {"schema": SCHEMA, "counts": counts, "checks": [report.row() for report in reports]}


def _matching(checks: Sequence[DoctorCheck], names: set[str]) -> list[DoctorCheck]:
    return [check for check in checks if {check.name, *check.name.split("/")} & names]


def _from_hook(plugin: str, hook: Any) -> list[DoctorCheck]:
    try:
        return list(hook() or ())
    except Exception as error:  # noqa: BLE001  (a plugin's checks must not hide the others)
        result = CheckResult(
            status="fail", message=f"Its checks cannot be listed: {type(error).__name__}: {error}"
        )
        return [DoctorCheck(name=f"checks/{plugin}", summary="The plugin's own checks.", run=lambda: result)]
