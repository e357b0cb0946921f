"""The sentence becomes a complete spec, in the stage's hands: nothing stated is lost, nothing unmeasurable gets in."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from rpent.errors import UsageError
from rpent_robosmith.agents.api import NoUsage
from rpent_robosmith.agents.intake_rules import RuleIntake
from rpent_robosmith.reports import Usage
from rpent_robosmith.stages.environment import Usable
from rpent_robosmith.stages.intake import described
from rpent_robosmith.stages.intake import run as run_intake
from rpent_robosmith.task import Budget, Criterion, TaskSpec
from rpent_robosmith.work.requirements import Lack
from rpent_robosmith.workflow.state import RunState


class Willful(NoUsage):
    """An agent that changes everything."""

    def read(self, task: TaskSpec, environments: Any) -> TaskSpec:
        """Return another task."""
        del environments
        return TaskSpec(
            sentence="another",
            environment="ant",
            criteria=(Criterion(metric="success_rate", operator=">=", threshold=0.1),),
            budget=Budget(minutes=1, total_steps=7),
            margin=0.0,
            notes=("A note.",),
            seed=task.seed,
        )


def run(agent: Any, sentence: str, **given: Any) -> tuple[RunState, list[str]]:
    """Run the stage; returns the state and what was said."""
    said: list[str] = []
    workshop: Any = SimpleNamespace(
        intake=agent, rewards=NoUsage(), decisions=NoUsage(), listener=SimpleNamespace(say=said.append)
    )
    state = RunState(run_id="x", task=TaskSpec(sentence=sentence, **given))
    return run_intake(state, workshop), said


@pytest.fixture(autouse=True)
def plugins(plugin_environment: None) -> None:
    """What is installed."""


def test_a_sentence_becomes_a_spec() -> None:
    state, said = run(RuleIntake(), "balance the pole on CartPole with 90 % success, or use `acrobot`")
    assert state.task.environment == "cartpole"
    assert [str(item) for item in state.task.criteria] == ["success_rate >= 0.9"]
    assert said == ["The sentence names several environments: `cartpole` is taken, not `acrobot`."]
    assert state.usage == Usage()
    assert state.next_node == "intake"


def test_what_was_stated_stays_whatever_an_agent_does() -> None:
    state, said = run(
        Willful(),
        "balance",
        environment="cartpole",
        budget=Budget(minutes=30),
        margin=0.3,
        stated=("environment", "budget.minutes", "margin"),
    )
    assert (state.task.sentence, state.task.environment, state.task.margin) == ("balance", "cartpole", 0.3)
    assert state.task.budget == Budget(minutes=30, total_steps=7)
    assert state.task.stated == ("environment", "budget.minutes", "margin")
    assert said == ["A note."]


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("CartPole with mean_joy >= 3", "`cartpole` has no metric `mean_joy`"),
        ("CartPole with 150 % success", "can never hold"),
        ("swing up in Pendulum-v1, keep mean_pole_angle <= 1", "`pendulum` has no metric `mean_pole_angle`"),
    ],
)
def test_what_no_evaluation_could_show_is_refused(sentence: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        run(RuleIntake(), sentence)


def test_environments_of_another_robot_are_taken_only_where_they_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Usable, "lack", lambda self, entry: None)
    lines = described(TaskSpec(sentence="x", robot="arm"))
    assert lines["reacher"].endswith("Robot: arm (reacher). Framework: gymnasium.")
    assert lines["ant"].endswith("Only where it is named.")


def test_what_lacks_a_framework_is_taken_only_where_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    lacking = Lack(reason="it needs mujoco", remedy="pip install mujoco")
    monkeypatch.setattr(Usable, "lack", lambda self, entry: lacking if entry.id == "reacher" else None)
    lines = described(TaskSpec(sentence="x"))
    assert lines["reacher"].endswith("Only where it is named.")
    assert not lines["ant"].endswith("Only where it is named.")
