"""What the commands of `rpent smith diag` share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from rpent.cli.params import json_option, no_plugin_option, verbose_option

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpent_robosmith.data import Data
    from rpent_robosmith.diagnose.analysis import Analysis
    from rpent_robosmith.diagnose.records import Bounds

F = TypeVar("F", bound="Callable[..., Any]")

_OPTIONS = (
    click.option(
        "--env",
        metavar="ENV",
        help="The environment whose action bounds count: an entry of a catalog, or a Gymnasium id.  "
        "[default: the bounds that the dataset declares]",
    ),
    click.option("--episodes", type=click.IntRange(1), metavar="N", help="Read only the first N episodes."),
    click.option(
        "--pictures",
        type=click.IntRange(0),
        metavar="N",
        default=10,
        show_default=True,
        help="Look at the pictures of the first N episodes.",
    ),
    click.option(
        "--html",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Write a report with plots, one file.",
    ),
    click.option("--python", metavar="PATH", help="Interpreter of the worker that makes the environment."),
    json_option,
    no_plugin_option,
    verbose_option,
)


def diag_options(function: F) -> F:
    """Add what all of them take."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def bounds_of(env: str | None, python: str | None) -> Bounds | None:
    """Return the action's bounds in an environment, by making it; None where none is named.

    Raises:
        UsageError: Its action has no bounds.
    """
    if env is None:
        return None
    from rpent.errors import UsageError

    from rpent_robosmith.diagnose.records import Bounds
    from rpent_robosmith.inspect.find import find
    from rpent_robosmith.work.bench import ProcessBench

    facts = find(env, ("environment",)).inspect(bench=ProcessBench(python=python))
    action = next(iter(facts.action.values()), None)
    if action is None or action.kind != "vector" or not action.low or len(action.low) != len(action.high):
        raise UsageError(f"The actions of `{env}` have no bounds: they are no vector of numbers.")
    return Bounds(low=action.low, high=action.high, source=f"`{env}`")


def analysed(
    path: str, bounds: Bounds | None, episodes: int | None, pictures: int, *, quiet: bool
) -> Analysis:
    """Open and analyse a dataset, with progress on standard error.

    Raises:
        UsageError: It is damaged, or no dataset.
    """
    from rpent_robosmith.cli.listening import terminal
    from rpent_robosmith.datasets.open import open_dataset
    from rpent_robosmith.diagnose.analysis import analyse

    listener = terminal(quiet=quiet)
    try:
        with open_dataset(path) as reader:
            return analyse(
                reader,
                path,
                bounds=bounds,
                episodes=episodes,
                pictures=pictures,
                told=lambda done, total: listener.progress(path, done, total, "episodes"),
            )
    finally:
        listener.close()


def plain_json(data: Data) -> str:
    """Return a record as one JSON document; NaN becomes null."""
    import json

    from rpent.runs.files import plain

    return json.dumps(plain(data.model_dump()), indent=2, ensure_ascii=False)


def write_html(path: Path, page: str) -> None:
    """Write a report.

    Raises:
        UsageError: The file cannot be written.
    """
    from rpent.errors import UsageError

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"`{path}` cannot be written: {error.strerror or error}.") from None
    click.echo(f"Written: {path}", err=True)
