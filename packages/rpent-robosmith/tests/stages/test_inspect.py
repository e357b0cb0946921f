"""Inspect: facts in the state, and what cannot be judged is refused before anything is trained."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from rpent.errors import UsageError
from rpent_robosmith.catalog.load import find
from rpent_robosmith.stages import inspect
from rpent_robosmith.task import TaskSpec
from rpent_robosmith.workflow.state import RunState


class Said(list):
    """A listener that remembers."""

    say = list.append

    def progress(self, label, done, total, note=""):
        """Show nothing."""


@pytest.fixture
def workshop(bench):
    return SimpleNamespace(listener=Said(), bench=bench)


def state_of(entry):
    return RunState(run_id="r", task=TaskSpec(sentence="x"), entry=entry)


def test_facts_are_in_the_state_and_hold_no_time(workshop):
    first = inspect.run(state_of(find("pendulum")), workshop)
    assert first.facts.env_id == "Pendulum-v1"
    assert first.facts.steps_per_s == 0.0
    assert inspect.run(state_of(find("pendulum")), workshop) == first
    assert "3 numbers seen, 1 number to act" in workshop.listener[0]


def test_a_success_that_cannot_be_judged_is_refused(workshop):
    entry = find("Other-v1").model_copy(update={"env_id": "Pendulum-v1"})
    with pytest.raises(UsageError, match="Success in `Pendulum-v1` cannot be judged") as caught:
        inspect.run(state_of(entry), workshop)
    assert "--criterion" in caught.value.hint
