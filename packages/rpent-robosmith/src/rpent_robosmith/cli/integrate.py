"""`rpent smith integrate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from rpent.cli.params import json_option, no_plugin_option, verbose_option

from rpent_robosmith.cli.inspect.wishes import wishes_options

if TYPE_CHECKING:
    from rpent_robosmith.integrate.graph import State


@click.command("integrate")
@click.argument("policy", metavar="POLICY")
@click.argument("target", metavar="TARGET")
@click.option(
    "--out", required=True, metavar="DIR", type=click.Path(file_okay=False), help="Where the files go."
)
@wishes_options
@click.option(
    "--samples",
    type=click.IntRange(1, 1000),
    default=8,
    show_default=True,
    metavar="N",
    help="Steps of the target that the wrapper is executed on.",
)
@click.option("--no-validate", is_flag=True, help="Generate the wrapper without executing it.")
@click.option(
    "--python", metavar="PATH", help="Interpreter of the workers.  [default: the managed environments]"
)
@click.option("--quiet", is_flag=True, help="Show the result only.")
@json_option
@no_plugin_option
@verbose_option
def command(policy: str, target: str, out: str, quiet: bool, as_json: bool, **options: Any) -> int:
    """Make a policy fit a dataset or an environment: inspect both, compare, generate a wrapper, execute it.

    \b
    rpent smith integrate policy_sac.zip fetch-reach --out adapter
    rpent smith integrate checkpoint/ robot:libero --out adapter

    DIR gets wrapper.py, mapping.json, compatibility.json and report.md. Nothing unsafe is done silently: what
    `--repair` names is done, and stated. Exit codes: 0 compatible and valid, 1 not, 2 something cannot be read.
    """  # noqa: D301  (click's mark for lines that stay as they are)
    from pathlib import Path

    from rpent_robosmith.cli.inspect.bench import bench_for
    from rpent_robosmith.cli.inspect.wishes import wishes_of
    from rpent_robosmith.integrate.graph import Request, integrate

    with bench_for(options["python"]) as bench:
        request = Request(
            policy=policy,
            target=target,
            folder=Path(out),
            bench=bench,
            wishes=wishes_of(options),
            samples=options["samples"],
            validate=not options["no_validate"],
            say=lambda line: None if quiet or as_json else click.echo(line, err=True),
        )
        state = integrate(request)
    _show(state, out, as_json=as_json)
    return 0 if state["outcome"] in {"valid", "unchecked"} else 1


def _show(state: State, out: str, *, as_json: bool) -> None:
    import json

    from rpent.printable import printable

    from rpent_robosmith.cli.inspect.lines import compatibility_lines
    from rpent_robosmith.integrate.files import Checked
    from rpent_robosmith.integrate.report import verdict

    report, seen = state["report"], state["seen"]
    if as_json:
        checked = Checked(report=report, seen=seen, outcome=state["outcome"], target=state["target"])
        click.echo(json.dumps({**checked.to_json(), "files": list(state["files"])}, indent=2))
        return
    for line in compatibility_lines(report):
        click.echo(printable(line))
    if seen is not None:
        click.echo(f"Execution: {seen.status}")
        for stage in seen.stages:
            mark = "ok" if stage.ok else f"{stage.kind}: {stage.error}"
            click.echo(printable(f"  {stage.name}: {stage.count} samples, {mark}"))
    click.echo(verdict(report, state["outcome"]))
    click.echo(f"Written to {out}: {', '.join(state['files'])}")
