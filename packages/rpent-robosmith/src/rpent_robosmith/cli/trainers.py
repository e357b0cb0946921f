"""`rpent smith trainers`: the algorithms, where they act, and what is missing for those that cannot be used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click
from rpent.cli.params import json_option, verbose_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpent_robosmith.specs import TrainerSpec
    from rpent_robosmith.work.requirements import Lack

JSON_VERSION = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class _Line:
    spec: TrainerSpec
    distribution: str
    lack: Lack | None


@click.command()
@click.argument("algorithm", required=False)
@json_option
@verbose_option
def command(*, algorithm: str | None, as_json: bool) -> None:
    """List the trainers and their algorithms; with an ALGORITHM, the hyperparameters that it accepts."""
    lines, failures = _lines()
    if algorithm is not None:
        _show_algorithm(algorithm, lines, as_json=as_json)
    elif as_json:
        _print_json({"trainers": [_json(line) for line in lines], "failures": failures})
    else:
        _print_table(lines, failures)


def _lines() -> tuple[list[_Line], list[str]]:
    from rpent.errors import PluginError
    from rpent.plugins import registry

    from rpent_robosmith.work.interpreter import missing
    from rpent_robosmith.work.requirements import needs_lack

    lines, failures = [], []
    for name in registry.names("trainers"):
        try:
            spec = registry.get("trainers", name)
        except PluginError as error:
            failures.append(error.message)
            continue
        absent = missing(spec.needs.modules, spec.environments)
        lack = needs_lack(spec.needs, spec.environments) if absent else None
        owner = registry.current().resolve("trainers", name).distribution
        lines.append(_Line(spec=spec, distribution=owner, lack=lack))
    return lines, failures


def _json(line: _Line) -> dict[str, Any]:
    return {
        "name": line.spec.name,
        "summary": line.spec.summary,
        "distribution": line.distribution,
        "available": line.lack is None,
        "missing": None if line.lack is None else {"reason": line.lack.reason, "remedy": _typed(line.lack)},
        "algorithms": [
            {
                "name": algorithm.name,
                "summary": algorithm.summary,
                "action_spaces": list(algorithm.action_spaces),
                "paradigm": algorithm.paradigm,
            }
            for algorithm in line.spec.algorithms
        ],
        "docs_url": line.spec.docs_url or None,
    }


def _print_json(content: dict[str, Any]) -> None:
    import json

    click.echo(
        json.dumps({"version": JSON_VERSION, **content}, indent=2, ensure_ascii=False, allow_nan=False)
    )


def _print_table(lines: Sequence[_Line], failures: Sequence[str]) -> None:
    from rpent.printable import printable

    for line in lines:
        mark, colour = ("✓", "green") if line.lack is None else ("✗", "red")
        head = f"{click.style(mark, fg=colour)} {click.style(printable(line.spec.name), bold=True)}"
        click.echo(f"{head}  {printable(line.spec.summary)}")
        for algorithm in line.spec.algorithms:
            where = " and ".join(algorithm.action_spaces)
            what = "" if algorithm.paradigm == "rl" else ", from demonstrations"
            click.echo(f"    {printable(algorithm.name):<8} {printable(algorithm.summary)} ({where}{what})")
        if line.lack is not None:
            click.echo(f"    {line.lack.reason}: {_typed(line.lack)}")
    for failure in failures:
        click.echo(click.style(f"✗ {printable(failure)}", fg="red"))
    click.echo(
        "\n`rpent smith trainers ALGORITHM` shows its hyperparameters (`--hyperparameter NAME=VALUE`)."
    )


def _show_algorithm(name: str, lines: Sequence[_Line], *, as_json: bool) -> None:
    from rpent.errors import UsageError
    from rpent.suggest import did_you_mean, listing

    from rpent_robosmith.training.hyperparameters import ACCEPTED
    from rpent_robosmith.training.plan import SETTINGS, USUAL

    known = {algorithm.name: line for line in lines for algorithm in line.spec.algorithms}
    if name not in known:
        raise UsageError(
            f"`{name}` is no algorithm of the installed trainers{did_you_mean(name, known)}",
            hint=f"There are {listing(known)}.",
        )
    usual = USUAL[name].hyperparameters if name in USUAL else {}
    accepted = {key: item.says for key, item in sorted(ACCEPTED.get(name, {}).items())}
    if as_json:
        rows = {key: {"accepts": says, "usual": usual.get(key)} for key, says in accepted.items()}
        document = {"trainer": known[name].spec.name, "algorithm": name, "hyperparameters": rows}
        _print_json({**document, "settings": dict(SETTINGS)})
        return
    click.echo(f"`{name}`, by `{known[name].spec.name}`\n")
    for key, says in accepted.items():
        shown = f", usually {usual[key]}" if key in usual else ""
        click.echo(f"  {key:<30} {says}{shown}")
    if not accepted:
        click.echo("  its trainer says itself which hyperparameters it accepts")
    click.echo("\nof every training:\n")
    for key, says in SETTINGS.items():
        click.echo(f"  {key:<30} {says}")


def _typed(lack: Lack) -> str:
    from rpent.suggest import typeable

    return typeable(lack.remedy)
