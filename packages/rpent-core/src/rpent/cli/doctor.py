"""`rpent doctor`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rpent.cli.params import json_option
from rpent.suggest import typeable

if TYPE_CHECKING:
    from rpent.doctor.runner import Report

COLOURS = {"ok": "green", "warn": "yellow", "fail": "red", "skip": None}
MARKS = {"ok": "ok", "warn": "warn", "fail": "FAIL", "skip": "skip"}


def print_report(report: Report, width: int) -> None:
    """Print one line on a check, and the command that mends it on a line of its own."""
    status = report.result.status
    mark = click.style(f"{MARKS[status]:<4}", fg=COLOURS[status])
    note = " (mended)" if report.mended else ""
    click.echo(f"{mark}  {report.check.name:<{width}}  {report.result.message}{note}")
    if status in {"warn", "fail"} and report.result.remedy:
        click.echo(f"{'':<4}  {'':<{width}}  → {typeable(report.result.remedy)}")


@click.command("doctor")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--fix", is_flag=True, help="Mend what can be mended, then check again.")
@click.option("--list", "list_only", is_flag=True, help="Only list the checks.")
@json_option
def command(names: tuple[str, ...], fix: bool, list_only: bool, as_json: bool) -> int:
    """Check this installation: Python, plugins, rendering, environments, ports, keys.

    NAME picks checks (`gl`), or those of a plugin or group (`libero`, `plugins`). Each fault comes with the
    command that mends it. Exit code 3 when a check fails.
    """
    from rpent.doctor.runner import collect, envelope, run_all, select
    from rpent.errors import ExitCode

    checks = select(collect(), names)
    width = max((len(check.name) for check in checks), default=0)
    if list_only:
        for check in checks:
            click.echo(f"{check.name:<{width}}  {check.summary}")
        return ExitCode.SUCCESS
    reports = []
    for report in run_all(checks, fix=fix):
        reports.append(report)
        if not as_json:
            print_report(report, width)
    if as_json:
        import json

        click.echo(json.dumps(envelope(reports), indent=2))
    failed = any(report.result.status == "fail" for report in reports)
    return ExitCode.INFRASTRUCTURE if failed else ExitCode.SUCCESS
