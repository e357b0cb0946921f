"""`rpent plugins list`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rpent.cli.params import json_option
from rpent.suggest import typeable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpent.plugins.records import PluginRecord

FAULTY = {"broken", "incompatible", "conflict"}
COLOURS = {"available": "green", "disabled": "yellow", "unloaded": None}
QUICK_TIMEOUT_S, CHECK_TIMEOUT_S = 10.0, 30.0


def collect(*, kind: str | None, load: bool, alone: bool) -> list[PluginRecord]:
    """Return the records of a kind (None: of all), loaded in another process where `load` says so."""
    from rpent.plugins import registry
    from rpent.plugins.check import check

    records = [record for record in registry.records() if kind in (None, record.kind)]
    if not load:
        return records
    return check(records, timeout_s=CHECK_TIMEOUT_S if alone else QUICK_TIMEOUT_S, alone=alone)


def check_kind(kind: str | None) -> None:
    """Refuse a kind that is neither core's nor that of an installed entry point.

    Raises:
        UsageError: There is no such kind.
    """
    from rpent.errors import UsageError
    from rpent.plugins import registry
    from rpent.plugins.index import KIND_LABELS
    from rpent.suggest import did_you_mean, listing

    kinds = [*KIND_LABELS, *(found for found in registry.current().index.kinds() if found not in KIND_LABELS)]
    if kind is not None and kind not in kinds:
        raise UsageError(f"There is no kind `{kind}`{did_you_mean(kind, kinds)} Kinds: {listing(kinds)}.")


def describe(record: PluginRecord) -> str:
    """Return what stands in the last column: the summary, or what is wrong."""
    parts = [record.error.reason if record.error else record.summary]
    if record.output:
        parts.append("It prints when it is imported.")
    if record.import_ms is not None:
        parts.append(f"({record.import_ms:.0f} ms, {record.modules_added} modules)")
    return " ".join(part for part in parts if part)


def table(records: Sequence[PluginRecord]) -> None:
    """Print the records by kind, and what mends the faulty ones."""
    rows = [(record, f"{record.distribution} {record.version}") for record in records]
    name_width = max((len(record.name) for record in records), default=0)
    origin_width = max((len(origin) for _, origin in rows), default=0)
    kind = None
    for record, origin in rows:
        if record.kind != kind:
            kind = record.kind
            click.secho(kind, bold=True)
        status = click.style(f"{record.status:<12}", fg=COLOURS.get(record.status, "red"))
        click.echo(
            f"  {record.name:<{name_width}}  {origin:<{origin_width}}  {status}  {describe(record)}".rstrip()
        )
        if record.remedy:
            click.echo(f"  {'':<{name_width}}  {'':<{origin_width}}  {'':<12}  → {typeable(record.remedy)}")


def requirements(records: Sequence[PluginRecord]) -> None:
    """Print each distribution once, as a line of a requirements file."""
    lines = {record.distribution: requirement(record) for record in records}
    for _, line in sorted(lines.items()):
        click.echo(line)


def requirement(record: PluginRecord) -> str:
    """Return a distribution's line: its version, or the folder that it was installed from."""
    if record.source_path is None:
        return f"{record.distribution}=={record.version}"
    return (
        f"-e {record.source_path}"
        if record.editable
        else f"{record.distribution} @ file://{record.source_path}"
    )


@click.command("list")
@click.option(
    "--kind", metavar="KIND", help="Only `robots`, `planners`, `transports`, `perceptors`, `commands`, ..."
)
@click.option(
    "--check", "alone", is_flag=True, help="Load each plugin in a process of its own and measure it."
)
@click.option(
    "--load/--no-load", default=True, help="Without loading: names and versions only.  [default: load]"
)
@click.option("--strict", is_flag=True, help="Exit with 3 when a plugin cannot be used.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "requirements"]),
    default="table",
    show_default=True,
    help="`requirements` prints what pip or uv needs to install the same distributions again.",
)
@json_option
def command(*, kind: str | None, alone: bool, load: bool, strict: bool, form: str, as_json: bool) -> int:
    """List what is installed, and what is wrong with it.

    Plugins are loaded in another process, so this works with every one of them broken.
    """
    from rpent.errors import ExitCode

    check_kind(kind)
    if form == "requirements":
        requirements(collect(kind=kind, load=False, alone=False))
        return ExitCode.SUCCESS
    records = collect(kind=kind, load=load or alone, alone=alone)
    if as_json or form == "json":
        import json

        from rpent.plugins.records import envelope

        click.echo(json.dumps(envelope(records), indent=2))
    else:
        table(records)
    faulty = any(record.status in FAULTY for record in records)
    return ExitCode.INFRASTRUCTURE if strict and faulty else ExitCode.SUCCESS
