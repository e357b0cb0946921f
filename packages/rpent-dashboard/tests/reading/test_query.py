from typing import Any

import pytest
from rpent_dashboard.reading.query import Query, facets, matching, ordered
from rpent_dashboard.reading.rows import Row


def row(name: str, **values: Any) -> Row:
    return Row(key=name, name=name, planners=(values.get("planner", "flash"),), **values)


ROWS = [
    row(
        "a",
        robot="libero",
        suite="goal",
        task="1",
        planner="flash",
        outcome="success",
        cost_usd=2.0,
        created=3.0,
    ),
    row("b", robot="libero", suite="spatial", planner="api", model="m/1", outcome="failure", cost_usd=1.0),
    row("c", robot="fake", planner="api", model="m/2", outcome="running", created=1.0, session="s"),
]


def names(query: Query) -> str:
    return "".join(found.name for found in ordered(matching(ROWS, query), query))


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, "acb"),
        ({"robot": ["libero"]}, "ab"),
        ({"robot": ["libero", "fake"]}, "acb"),
        ({"robot": ["libero"], "planner": ["api"]}, "b"),
        ({"outcome": ["running"]}, "c"),
        ({"task": ["1"]}, "a"),
        ({"session": ["s"]}, "c"),
        ({"robot": ["nothing"]}, ""),
        ({"robot": []}, "acb"),
    ],
)
def test_filters(filters: dict, expected: str) -> None:
    assert names(Query(filters=filters)) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("LIBERO", "ab"), ("libero m/1", "b"), ("  ", "acb"), ("<x>", "")]
)
def test_every_word_has_to_occur(text: str, expected: str) -> None:
    assert names(Query(q=text)) == expected


@pytest.mark.parametrize(
    ("sort", "order", "expected"),
    [("created", "asc", "cab"), ("cost", "desc", "abc"), ("cost", "asc", "bac"), ("duration", "desc", "abc")],
)
def test_what_lacks_a_value_comes_last(sort: Any, order: Any, expected: str) -> None:
    assert names(Query(sort=sort, order=order)) == expected


def test_a_facet_counts_what_the_other_filters_let_through() -> None:
    counted = facets(ROWS, Query(filters={"robot": ["libero"]}))
    assert counted["robot"] == [{"value": "libero", "count": 2}, {"value": "fake", "count": 1}]
    assert counted["planner"] == [{"value": "api", "count": 1}, {"value": "flash", "count": 1}]
    assert counted["model"] == [{"value": "m/1", "count": 1}]


def test_a_run_counts_for_every_planner_that_worked_on_it() -> None:
    resumed = Row(key="d", name="d", planner="flash", planners=("flash", "api"))
    assert matching([resumed], Query(filters={"planner": ["api"]})) == [resumed]
    assert [found["value"] for found in facets([resumed], Query())["planner"]] == ["api", "flash"]
