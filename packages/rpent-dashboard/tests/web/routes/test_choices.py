"""What a robot's fields accept, before there is a session."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from rpent.testing.registry import FakeRegistry
from rpent_dashboard.hosting.host import Host

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def ask(serve_with: Callable[..., Any], tmp_path: Path) -> Callable[..., Any]:
    """Ask for choices of the fake robot."""
    served = serve_with(hosted=Host(tmp_path / "runs", registry=FakeRegistry()))

    def get(**query: str) -> Any:
        return served.client.get("/api/launch/choices", params={"robot": "fake", **query})

    return get


def test_the_robots_own_choices_have_labels(ask):
    choices = ask(field="task", values=json.dumps({"seed": 3})).json()
    assert choices[1] == {"value": 1, "label": "put the green cube on the pad"}
    assert len(choices) == 3


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"field": "no_such"}, "field"),
        ({"field": "task", "values": "[1]"}, "values"),
        ({"field": "task", "values": "{"}, "values"),
    ],
)
def test_what_is_no_question_is_refused_in_one_sentence(ask, query, field):
    answer = ask(**query)
    assert answer.status_code == 422
    assert answer.json()["error"]["field"] == field


def test_an_unknown_robot_is_named(ask):
    answer = ask(robot="no_such_robot", field="task")
    assert 400 <= answer.status_code < 500
    assert "no_such_robot" in answer.json()["error"]["message"]


def test_a_dashboard_that_starts_nothing_has_none(serve):
    answer = serve.client.get("/api/launch/choices", params={"robot": "fake", "field": "task"})
    assert answer.status_code == 409
