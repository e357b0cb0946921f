"""`rpent policy inspect`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rpent.cli.options import field_name, given
from rpent.cli.params import PluginChoice, json_option, no_plugin_option, verbose_option
from rpent.cli.scouting import scouted
from rpent.cli.sectioned import SECTIONS, SectionedCommand, sections_of
from rpent.cli.sections import Section, flags_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rpent.policies.fit import Fit
    from rpent.policies.inspection import Inspection
    from rpent.policies.signature import Signature

_MAX_CELL = 100


class InspectCommand(SectionedCommand):
    """A command that takes the options of the backend that was named: some say how a checkpoint is read."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Find the backend, add its options, then parse."""
        _, typed = scouted(self, ctx, args)
        if (backend := typed.get("backend")) is not None:
            from rpent.cli.served_policy import backend_options

            taken = flags_of(self.params) | {"--help", "-h", "--checkpoint"}
            options = [
                option
                for option in backend_options(backend, taken=taken)
                if field_name(option) != "checkpoint"
            ]
            title = f"Options of the policy `{backend}`"
            ctx.meta[SECTIONS] = [Section(kind="policies", name=backend, title=title, options=options)]
        return super().parse_args(ctx, args)

    def more(self, ctx: click.Context) -> str:
        """Say that a backend has options."""
        return "" if sections_of(ctx) else "A backend has options of its own: add --backend NAME."


@click.command("inspect", cls=InspectCommand)
@click.argument("checkpoint")
@click.option(
    "--backend",
    type=PluginChoice("policies"),
    help="What reads the checkpoint.  [default: the only backend that accepts it]",
)
@click.option(
    "--robot",
    type=PluginChoice("robots"),
    help="The robot to put it beside.  [default: all that are installed]",
)
@click.option("--layout", metavar="NAME", help="One of the robot's layouts.  [default: the one that fits]")
@json_option
@no_plugin_option
@verbose_option
@click.pass_context
def command(
    ctx: click.Context, /, checkpoint: str, robot: str | None, layout: str | None, **options: Any
) -> int:
    """Show what a checkpoint takes and gives, which layout of a robot fits it, and what becomes of each part.

    No weight is loaded, and no environment is needed. Exit codes: 0 it fits, 3 it does not or cannot be read.
    """
    import json

    from rpent.errors import ExitCode
    from rpent.policies.inspection import inspect
    from rpent.printable import printable

    values = {
        name: value for section in sections_of(ctx) for name, value in given(ctx, section.options).items()
    }
    found = inspect(checkpoint, backend=options["backend"], values=values, robot=robot, layout=layout)
    if options["as_json"]:
        click.echo(json.dumps(found.to_json(), indent=2))
    else:
        for line in lines(found):
            click.echo(printable(line))
    return ExitCode.SUCCESS if found.ok else ExitCode.INFRASTRUCTURE


def lines(found: Inspection) -> Iterator[str]:
    """Yield what is printed."""
    guessed = " (the only one that reads it)" if found.guessed else ""
    named = [("checkpoint", found.checkpoint), ("backend", found.backend + guessed)]
    yield from _table([*named, *_facts(found.signature)])
    yield ""
    yield "Takes and gives"
    yield from _table(list(_parts(found.signature)), indent=2)
    for chosen, every in found.fits:
        yield ""
        yield from _fit(chosen, every)
    if not found.fits:
        yield ""
        yield "No installed robot says what it offers a policy."


def _facts(signature: Signature) -> Iterator[tuple[str, str]]:
    yield "family", signature.family
    for name in ("robot", "layout"):
        if (value := getattr(signature, name)) is not None:
            yield f"for {name}", value
    if signature.parameters is not None:
        yield "parameters", f"{signature.parameters:,}"
    for name, value in signature.details.items():
        yield str(name), str(value)


def _parts(signature: Signature) -> Iterator[tuple[str, ...]]:
    for name, view in signature.cameras.items():
        size = f"{view.height} x {view.width}" if view.height and view.width else "any size"
        yield "camera", name, size
    for name, length in signature.state.items():
        yield "state", name, str(length)
    for name, length in signature.action.items():
        yield "action", name, str(length)
    steps = "" if signature.chunk_length is None else f"{signature.chunk_length} "
    unknown = "; how many, its server knows" if signature.chunk_length is None else ""
    carried = "all" if signature.execute_steps is None else str(signature.execute_steps)
    rate = f", {signature.control_rate_hz:g} Hz" if signature.control_rate_hz else ""
    yield "chunk", f"{steps}actions, {carried} carried out{rate}{unknown}"
    if signature.observation_steps > 1:
        steps = (
            f": of the control steps {', '.join(map(str, signature.history))} and now"
            if signature.history
            else ""
        )
        yield "memory", f"sees {signature.observation_steps} observations{steps}"


def _fit(chosen: Fit, every: Sequence[Fit]) -> Iterator[str]:
    from rpent.policies.mapping import mapping

    robot, name = chosen.embodiment.robot, chosen.layout.name
    nearest = len(every) > 1 and all(len(chosen.differences) <= len(each.differences) for each in every)
    verdict = "fits" if chosen.ok else f"does not fit{'; this is the nearest' if nearest else ''}"
    yield f"Robot `{robot}`, layout `{name}`: {verdict}"
    arrow = {"camera": "<-", "state": "<-", "action": "->"}
    yield from _table(
        [(row.kind, row.policy, f"{arrow[row.kind]} {row.robot}", row.how) for row in mapping(chosen)],
        indent=2,
    )
    for difference in chosen.differences:
        yield f"  ✗ {_cell(str(difference), 3 * _MAX_CELL)}"
    yield f"Layouts of `{robot}`"
    yield from _table(
        [
            (each.layout.name, "fits" if each.ok else f"{len(each.differences)} differ", each.layout.summary)
            for each in every
        ],
        indent=2,
    )


def _table(rows: Sequence[tuple[str, ...]], *, indent: int = 0) -> Iterator[str]:
    """Yield rows in columns; what a checkpoint says may be long, and may hold line breaks."""
    cells = [[_cell(text) for text in row] for row in rows]
    columns = max((len(row) for row in cells), default=0)
    widths = [
        max((len(row[column]) for row in cells if column < len(row) - 1), default=0)
        for column in range(columns)
    ]
    for row in cells:
        padded = [text.ljust(width) for text, width in zip(row, widths, strict=False)]
        yield (" " * indent + "  ".join(padded)).rstrip()


def _cell(text: str, limit: int = _MAX_CELL) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"
