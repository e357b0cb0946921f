"""`rpent smith inspect compat`."""

from __future__ import annotations

from typing import Any

import click
from rpent.cli.params import json_option, no_plugin_option, verbose_option

from rpent_robosmith.cli.inspect.wishes import wishes_options


@click.command("compat")
@click.argument("artefacts", metavar="A B [C]", nargs=-1, required=True)
@wishes_options
@click.option("--python", metavar="PATH", help="Interpreter of the worker that makes environments.")
@json_option
@no_plugin_option
@verbose_option
def command(artefacts: tuple[str, ...], python: str | None, as_json: bool, **options: Any) -> int:
    """Compare a policy with a dataset or an environment, a dataset with an environment, or all three.

    Each is inspected once. Exit codes: 0 compatible, 1 not, 2 something cannot be read or compared.
    """
    import json

    from rpent.errors import UsageError
    from rpent.printable import printable

    from rpent_robosmith.cli.inspect.bench import bench_for
    from rpent_robosmith.cli.inspect.lines import compatibility_lines, jsonable
    from rpent_robosmith.cli.inspect.wishes import wishes_of
    from rpent_robosmith.compatibility.compare import compare_all
    from rpent_robosmith.inspect.find import find

    if len(artefacts) not in (2, 3):
        raise UsageError(f"{len(artefacts)} artefacts were given; two or three are compared.")
    wishes = wishes_of(options)
    with bench_for(python) as bench:
        facts = [found.inspect(bench=bench) for found in [find(artefact) for artefact in artefacts]]
    reports = compare_all(facts, wishes)
    compatible = all(report.compatible for report in reports)
    if as_json:
        plain = {
            "version": 1,
            "compatible": compatible,
            "pairs": [report.model_dump(mode="python") for report in reports],
        }
        click.echo(json.dumps(jsonable(plain), indent=2, allow_nan=False))
    else:
        for index, report in enumerate(reports):
            for line in [*([""] if index else []), *compatibility_lines(report)]:
                click.echo(printable(line))
    return 0 if compatible else 1
