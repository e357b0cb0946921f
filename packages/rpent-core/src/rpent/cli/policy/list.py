"""`rpent policy list`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rpent.cli.params import json_option, no_plugin_option, verbose_option

if TYPE_CHECKING:
    from rpent.plugins.index import Entry
    from rpent.specs import EnvironmentSpec


@click.command("list")
@json_option
@no_plugin_option
@verbose_option
def command(as_json: bool) -> None:
    """List the backends that can load or reach a policy, and the environments that run them."""
    import json

    from rpent.plugins import registry

    current = registry.current()
    entries = [
        entry
        for entry in current.index.entries()
        if entry.kind == "policies" and not current.index.is_blocked(entry)
    ]
    rows = [_row(entry) for entry in entries]
    if as_json:
        click.echo(json.dumps({"version": 1, "policies": rows}, indent=2))
    elif not rows:
        click.echo("No policy backend is installed; `rpent-policy-bc` and `rpent-policy-lerobot` are two.")
    else:
        _table(rows)


def _row(entry: Entry) -> dict[str, Any]:
    from rpent.plugins import registry
    from rpent.plugins.failure import LoadFailure

    spec = registry.current().try_entry(entry)
    row = {"name": entry.name, "distribution": entry.distribution, "version": entry.version}
    if isinstance(spec, LoadFailure):
        return row | {"summary": "", "problem": spec.reason, "environments": [], "inspects": False}
    return row | {
        "summary": spec.summary,
        "problem": None,
        "environments": [_environment(each, entry.distribution) for each in spec.environments],
        "inspects": bool(spec.signature),
    }


def _environment(spec: EnvironmentSpec, distribution: str) -> dict[str, str]:
    from rpent.environments.managed import ManagedEnvironment

    managed = ManagedEnvironment(spec, distribution=distribution)
    state = "ready" if managed.is_current() else "outdated" if managed.exists() else "not built"
    return {"name": spec.name, "state": state}


def _table(rows: list[dict[str, Any]]) -> None:
    from rpent.printable import printable

    width = max(len(row["name"]) for row in rows)
    for row in rows:
        text = f"unusable: {row['problem']}" if row["problem"] else row["summary"]
        click.echo(f"{row['name'].ljust(width)}  {printable(text)}")
        places = [f"{each['name']} ({each['state']})" for each in row["environments"]]
        if not row["problem"]:
            click.echo(f"{' ' * width}  environments: {', '.join(places) or 'none of its own'}")
    if any(each["state"] != "ready" for row in rows for each in row["environments"]):
        click.echo("\nBuild an environment with `rpent env sync NAME`.")
