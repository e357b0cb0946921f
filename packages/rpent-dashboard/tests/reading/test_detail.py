"""What the page of a run needs before its events, whatever stands in run.json and in the events."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from rpent_dashboard.reading.detail import detail_of
from rpent_dashboard.reading.library import Library
from rpent_dashboard.reading.query import Query
from rpent_dashboard.reading.single import whole_event
from rpent_dashboard.web.answers import json_answer

MakeRun = Callable[..., Path]
ODD = (None, True, 10**400, "\ud800", [[1]], {"a": 1})


def places(value: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where in plain data a value stands."""
    if before:
        yield before
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in pairs:
        yield from places(item, (*before, key))


def changed(value: Any, place: tuple[Any, ...], new: Any) -> Any:
    """The same data with another value at a place."""
    value = copy.deepcopy(value)
    inner = value
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = new
    return value


def read(run: Path) -> tuple[dict[str, Any], list[Any]]:
    """What a run's files hold."""
    lines = (run / "events.jsonl").read_text().splitlines()
    return json.loads((run / "run.json").read_text()), [json.loads(line) for line in lines]


def described(run: Path, manifest: dict[str, Any] | None, events: list[Any]) -> dict[str, Any]:
    """Write a run and return its row as the library has it; its page's needs are asked for too."""
    (run / "run.json").unlink(missing_ok=True)
    if manifest is not None:
        (run / "run.json").write_text(json.dumps(manifest))
    (run / "events.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))
    library = Library(run.parent)
    json_answer(detail_of(run, library.row(run)))
    page = library.page(Query(), 0, 10)
    json_answer(page)
    (row,) = page["runs"]
    return dict(row)


def test_any_value_in_run_json(make_run: MakeRun) -> None:
    run = make_run(
        manifest={"policy": {"name": "p"}, "privileged_perceptors": ["p"], "problems": ["x"], "attempts": []}
    )
    manifest, events = read(run)
    for place in places(manifest):
        for odd in ODD:
            row = described(run, changed(manifest, place, odd), events)
            assert row["state"] in {"ended", "interrupted", "damaged"}, (place, odd)


@pytest.mark.parametrize("with_manifest", [False, True])
def test_any_value_in_the_events(make_run: MakeRun, with_manifest: bool) -> None:
    run = make_run(manifest={"outcome": None})
    manifest, events = read(run)
    for place in places(events):
        for odd in ODD:
            row = described(run, manifest if with_manifest else None, changed(events, place, odd))
            assert isinstance(row["robot"], str | None), (place, odd)


@pytest.mark.parametrize("depth", [100, 200, 250, 300, 500, 900, 5000])
def test_one_event_that_is_nested_deeply(tmp_path: Path, depth: int) -> None:
    line = b'{"type": "x", "a":' + b"[" * depth + b"]" * depth + b"}"
    (tmp_path / "events.jsonl").write_bytes(line + b"\n")
    whole = whole_event(tmp_path, 0).replace(b" ", b"")
    assert whole.startswith((b'{"type":"x"', b'{"type":"broken"'))
