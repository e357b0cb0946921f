"""`rpent plugins show`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rpent.cli.params import json_option
from rpent.suggest import typeable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent.plugins.records import PluginRecord


def matching(name: str) -> list[PluginRecord]:
    """Return the records of a name, a distribution or a `distribution:name`, of every kind.

    Raises:
        UsageError: Nothing of that name is installed.
    """
    from rpent.cli.plugins.list import collect
    from rpent.errors import UsageError
    from rpent.suggest import did_you_mean

    records = collect(kind=None, load=False, alone=False)
    found = [
        record for record in records if name in {record.name, record.distribution, record.qualified_name}
    ]
    if not found:
        names = {record.name for record in records} | {record.distribution for record in records}
        raise UsageError(
            f"No plugin is named `{name}`{did_you_mean(name, names)}",
            hint="`rpent plugins list` shows what is installed.",
        )
    from rpent.plugins.check import check

    return check(found)


def facts(record: PluginRecord) -> Iterator[tuple[str, str]]:
    """Yield what is known of a plugin, as label and text."""
    yield "distribution", f"{record.distribution} {record.version}"
    yield "module", record.module
    yield "status", record.status
    if record.error:
        yield "problem", f"{record.error.reason} (phase: {record.error.phase})"
    yield "remedy", typeable(record.remedy)
    yield "summary", record.summary
    yield "qualified name", record.qualified_name
    yield "hooks", ", ".join(record.hooks)
    yield "plugin API", str(record.plugin_api or "")
    yield "docs", record.docs_url
    yield "source", f"{record.source_path or ''}{' (editable)' if record.editable else ''}"
    if record.output:
        yield "prints", record.output.strip().splitlines()[0]


def service_facts(spec: Any) -> Iterator[tuple[str, str]]:
    """Yield the services of a spec and where they run."""
    from rpent.specs import services_of

    for service in services_of(spec):
        place = (
            f"managed environment `{service.environment.name}`" if service.environment else "this interpreter"
        )
        where = f"runs in {place}" if service.factory else f"attached to by `--{service.name}-endpoint`"
        yield (
            f"service {service.name}",
            f"{service.summary or service.factory} Scope {service.scope}; {where}.",
        )


def print_options(record: PluginRecord, spec: Any) -> None:
    """Print the options that a plugin's config model gives."""
    from rpent.cli.frontends import KIND as FRONTENDS
    from rpent.cli.options import options_from_model
    from rpent.plugins.named import load_named

    if not getattr(spec, "config", None):
        return
    model = load_named(spec.config, f"plugin `{record.name}`")
    ctx = click.Context(click.Command("show"))
    options = options_from_model(model, prefix=spec.name if record.kind == FRONTENDS else "")
    rows = [row for option in options if (row := option.get_help_record(ctx))]
    formatter = click.HelpFormatter(width=100)
    with formatter.section("Options"):
        formatter.write_dl(rows)
    click.echo(formatter.getvalue(), nl=False)


@click.command("show")
@click.argument("name")
@json_option
@click.pass_context
def command(ctx: click.Context, name: str, as_json: bool) -> None:
    """Show one plugin: where it comes from, its services and options, and what is wrong with it.

    NAME is what the user types (`libero`), a distribution, or `distribution:name`.
    """
    from rpent.plugins import registry
    from rpent.plugins.index import label
    from rpent.plugins.records import envelope

    records = matching(name)
    if as_json:
        import json

        click.echo(json.dumps(envelope(records), indent=2))
        return
    for record in records:
        click.secho(f"{label(record.kind)} {record.name}", bold=True)
        spec = (
            registry.get(record.kind, record.qualified_name)
            if record.status in {"available", "conflict"}
            else None
        )
        for title, text in (*facts(record), *service_facts(spec)):
            if text:
                click.echo(f"  {title:<14}  {text}")
        if record.error and record.error.trace and ctx.find_root().obj and ctx.find_root().obj.verbose:
            click.echo(record.error.trace)
        print_options(record, spec)
