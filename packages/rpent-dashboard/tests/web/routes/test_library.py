from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def runs(serve: Any, make_run: Callable[..., Path]) -> Any:
    for number in range(4):
        changes = {"created": 1_790_000_000.0 + number, "usage": {"cost_usd": 1.0 / (1 + number)}}
        changes |= {"outcome": None} if number == 3 else {}
        events = [] if number == 3 else "usual"
        make_run(f"run{number}", manifest={**changes, "robot": {"name": f"robot{number % 2}"}}, events=events)
    return serve


def names(served: Any, **options: Any) -> list[str]:
    answer = served.client.get("/api/runs", params=options)
    assert answer.status_code == 200, answer.text
    return [run["name"] for run in answer.json()["runs"]]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, ["run3", "run2", "run1", "run0"]),
        ({"offset": 1, "limit": 2}, ["run2", "run1"]),
        ({"order": "asc"}, ["run0", "run1", "run2", "run3"]),
        ({"sort": "cost"}, ["run0", "run1", "run2", "run3"]),
        ({"robot": "robot1"}, ["run3", "run1"]),
        ({"robot": ["robot0", "robot1"], "outcome": "success"}, ["run2", "run1", "run0"]),
        ({"outcome": "interrupted"}, ["run3"]),
        ({"q": "run1 CUBE"}, ["run1"]),
        ({"q": "<script>"}, []),
        ({"robot": ""}, ["run3", "run2", "run1", "run0"]),
    ],
)
def test_which_runs_are_listed(runs: Any, options: dict, expected: list[str]) -> None:
    assert names(runs, **options) == expected


def test_what_can_be_filtered_by(runs: Any) -> None:
    found = runs.client.get("/api/runs", params={"robot": "robot0", "limit": 0}).json()
    assert (found["total"], found["runs"], found["problem"]) == (2, [], "")
    assert found["facets"]["robot"] == [{"value": "robot0", "count": 2}, {"value": "robot1", "count": 2}]
    assert found["facets"]["outcome"] == [{"value": "success", "count": 2}]


@pytest.mark.parametrize(
    "options", [{"sort": "name"}, {"order": "up"}, {"limit": -1}, {"limit": 10**6}, {"offset": "x"}]
)
def test_what_is_not_asked_well_is_refused(runs: Any, options: dict) -> None:
    answer = runs.client.get("/api/runs", params=options)
    assert answer.status_code == 422
    assert answer.json()["error"]["field"] == next(iter(options))


def test_a_new_run_is_told(serve: Any, make_run: Callable[..., Path]) -> None:
    with serve.client.stream("GET", "/api/library/stream") as answer:
        lines = answer.iter_lines()
        assert next(line for line in lines if line.startswith("event")) == "event: changed"
        make_run()
        assert next(line for line in lines if line.startswith("event")) == "event: changed"
