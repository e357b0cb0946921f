"""`rpent smith envs`: what can be trained in, what is missing for the rest, and what fits a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click
from rpent.cli.params import json_option, verbose_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpent_robosmith.catalog.entry import EnvEntry
    from rpent_robosmith.work.requirements import Lack

JSON_VERSION = 1


MARKS = {"trainable": ("✓", "green"), "untrainable": ("○", "yellow"), "missing": ("✗", "red")}


@dataclass(frozen=True, kw_only=True, slots=True)
class _Line:
    entry: EnvEntry
    missing: Lack | None
    """Why it cannot be made."""
    untrainable: Lack | None
    """Why it cannot be trained in."""
    score: float | None = None
    reason: str = ""

    @property
    def status(self) -> str:
        """A key of `MARKS`."""
        if self.missing is not None:
            return "missing"
        return "trainable" if self.untrainable is None else "untrainable"

    @property
    def lack(self) -> Lack | None:
        """What stands in the way first."""
        return self.missing or self.untrainable


@click.command()
@click.argument("sentence", required=False)
@click.option("--robot", help="Only environments with this kind of robot, or this model: `arm`, `fetch`.")
@click.option("--framework", help="Only environments of this adapter: `gymnasium`.")
@click.option(
    "--tag", "tags", multiple=True, help="Only environments with this tag; several must all be there."
)
@click.option("--available", is_flag=True, help="Only environments that can be made here.")
@json_option
@verbose_option
def command(
    *, sentence: str | None, tags: tuple[str, ...], available: bool, as_json: bool, **given: Any
) -> None:
    """List the environments; with a SENTENCE, those that share a word with it, the best first.

    ✓ can be made and trained in here, ○ can be made, ✗ lacks its framework. What a run would choose for a sentence is
    the first ✓ that reaches the threshold.
    """
    from rpent_robosmith.catalog.load import catalogs

    lines = [
        line
        for line in _lines(sentence, given["robot"], given["framework"])
        if set(tags) <= set(line.entry.tags) and (line.missing is None or not available)
    ]
    failures = [failure for catalog in catalogs() for failure in catalog.failures]
    if as_json:
        _print_json(lines, failures, sentence)
    else:
        _print_table(lines, failures, sentence)


def _lines(sentence: str | None, robot: str | None, framework: str | None) -> list[_Line]:
    from rpent.errors import UsageError

    from rpent_robosmith.catalog.load import entries
    from rpent_robosmith.stages.environment import Usable, narrowed, weigh
    from rpent_robosmith.task import TaskSpec

    task = TaskSpec(sentence=sentence or "", robot=robot, framework=framework)
    usable = Usable(task)
    if sentence is None:
        return [
            _Line(entry=entry, missing=usable.making(entry), untrainable=usable.lack(entry))
            for entry in narrowed(task, list(entries().values()))
        ]
    if not sentence.strip():
        raise UsageError("The sentence is empty.", hint="`rpent smith envs` without one lists everything.")
    return [
        _Line(
            entry=each.scored.entry,
            missing=usable.making(each.scored.entry),
            untrainable=each.lack,
            score=each.scored.score,
            reason=each.match().reason,
        )
        for each in weigh(task)
    ]


def _print_json(lines: Sequence[_Line], failures: Sequence[str], sentence: str | None) -> None:
    import json

    from rpent_robosmith.catalog.search import THRESHOLD

    document: dict[str, Any] = {"version": JSON_VERSION}
    if sentence is not None:
        document |= {"sentence": sentence, "threshold": THRESHOLD}
    document["environments"] = [_json(line) for line in lines]
    document["failures"] = list(failures)
    click.echo(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))


def _json(line: _Line) -> dict[str, Any]:
    found = {
        **line.entry.model_dump(mode="json"),
        "metrics": list(line.entry.metrics),
        "available": line.missing is None,
        "trainable": line.lack is None,
        "missing": line.lack.reason if line.lack else None,
        "remedy": line.lack.remedy if line.lack else None,
    }
    return found if line.score is None else {**found, "score": line.score, "reason": line.reason}


def _print_table(lines: Sequence[_Line], failures: Sequence[str], sentence: str | None) -> None:
    from rpent.printable import printable
    from rpent.suggest import typeable

    if not lines:
        click.echo("No environment fits." if sentence is not None else "No environment is like that.")
    ids = max((len(line.entry.id) for line in lines), default=0)
    robots = max((len(_robot(line.entry)) for line in lines), default=0)
    for line in lines:
        mark, colour = MARKS[line.status]
        score = "" if line.score is None else f"{line.score:4.2f}  "
        text = printable(line.reason or line.entry.description)
        name = f"{line.entry.id:<{ids}}  {_robot(line.entry):<{robots}}"
        click.echo(f"{click.style(mark, fg=colour)} {score}{name}  {text}".rstrip())
    lacks = {(line.status, line.entry.adapter, line.lack) for line in lines if line.lack}
    for status, adapter, lacking in sorted(lacks, key=lambda each: (each[0], each[1], each[2].reason)):
        mark, colour = MARKS[status]
        click.echo(
            f"{click.style(mark, fg=colour)} `{adapter}`: {lacking.reason}: {typeable(lacking.remedy)}"
        )
    for failure in failures:
        click.secho(printable(failure), fg="red", err=True)


def _robot(entry: EnvEntry) -> str:
    known = entry.robot_model in {None, entry.robot}
    return entry.robot if known else f"{entry.robot} ({entry.robot_model})"
