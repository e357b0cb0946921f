"""Scout: what is named is taken, what fits is found, what is missing is said, what fits nothing is refused."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from rpent.errors import EnvironmentSetupError, UsageError
from rpent_robosmith.catalog.load import find
from rpent_robosmith.measures import Success
from rpent_robosmith.reports import Decision
from rpent_robosmith.stages import environment
from rpent_robosmith.task import Criterion, TaskSpec
from rpent_robosmith.work.requirements import Lack
from rpent_robosmith.workflow.state import RunState

EXAMPLE = Path(__file__).parents[2] / "examples" / "arm-reach.yaml"


class Said(list):
    """A listener that remembers."""

    say = list.append


@pytest.fixture
def said():
    return Said()


@pytest.fixture
def lacking(monkeypatch):
    """Adapters that are said to be missing; nothing is missing else, whatever is installed here."""
    missing: set[str] = set()

    def lack(entry, *, python=None):
        if entry.adapter in missing:
            return Lack(reason=f"it needs `{entry.adapter}`", remedy=f"pip install {entry.adapter}")
        return None

    monkeypatch.setattr(environment, "lack", lack)
    monkeypatch.setattr(environment, "choose", lambda *_, **__: None)
    return missing


@pytest.fixture
def scout(said, lacking):
    def run(sentence="", **fields):
        state = fields.pop("state", None) or RunState(run_id="r", task=TaskSpec(sentence=sentence, **fields))
        return environment.run(state, SimpleNamespace(listener=said))

    return run


def test_a_sentence_chooses_and_keeps_what_was_weighed(scout, said):
    state = scout("swing the pendulum up and keep it upright")
    assert state.entry.id == "pendulum"
    assert (state.matches[0].entry, state.matches[0].score, state.matches[0].reason) == ("pendulum", 1.0, "")
    assert state.matches[0].score > state.matches[1].score
    assert "`pendulum`" in said[0]


def test_what_is_named_is_taken_whatever_the_sentence_says(scout):
    assert scout("swing the pendulum up", environment="cartpole").entry.id == "cartpole"
    assert scout("drive", environment="MountainCar-v0").entry.id == "mountain-car"


def test_tags_of_an_intake_find_what_a_sentence_in_another_language_means(scout):
    assert scout("das Pendel aufschwingen", tags=("swing", "pendulum")).entry.id == "pendulum"


@pytest.mark.parametrize("sentence", ["a drone hovers over a pond", "make it better", "  "])
def test_what_fits_nothing_is_refused(scout, sentence):
    with pytest.raises(UsageError, match="No environment fits") as caught:
        scout(sentence)
    assert "--environment" in caught.value.hint


def test_near_misses_are_shown_and_not_taken(scout):
    with pytest.raises(UsageError, match=r"Near misses: `lunar-lander` \(0.32: it has no drone"):
        scout("a drone lands on the moon")


def test_a_framework_that_is_missing_is_never_chosen(scout, lacking, said):
    lacking.add("gymnasium-robotics")
    state = scout("reach the goal with the gripper")
    assert state.entry.adapter != "gymnasium-robotics"
    lost = next(match for match in state.matches if match.entry == "fetch-reach")
    assert not lost.available
    assert lost.reason == "it needs `gymnasium-robotics`: pip install gymnasium-robotics"
    assert any("`fetch-reach` fits better" in line and "pip install" in line for line in said)


def test_where_only_a_missing_framework_fits_the_remedy_is_named(scout, lacking):
    lacking.add("gymnasium-robotics")
    with pytest.raises(EnvironmentSetupError, match="`fetch-push` fits the task, but it needs") as caught:
        scout("push the block to the goal with Fetch")
    assert caught.value.hint == "pip install gymnasium-robotics"
    with pytest.raises(EnvironmentSetupError, match="`fetch-push` cannot be trained in"):
        scout("push", environment="fetch-push")


def test_robot_and_framework_are_held(scout):
    assert scout("reach the target", robot="hand").entry.id == "hand-reach"
    assert scout("reach the target", robot="fetch").entry.id == "fetch-reach"
    assert scout("reach the target", framework="gymnasium").entry.id == "reacher"
    with pytest.raises(UsageError, match="No environment fits"):
        scout("swing the pendulum up", robot="hand")


@pytest.mark.parametrize(
    ("field", "value", "meant"), [("robot", "hnad", "hand"), ("framework", "robosute", "robosuite")]
)
def test_an_unknown_robot_or_framework_is_refused(scout, field, value, meant):
    with pytest.raises(UsageError, match=f"No environment has the {field} `{value}`; did you mean `{meant}`"):
        scout("reach", **{field: value})


def test_what_the_task_avoids_is_not_chosen(scout):
    assert scout("reach the target", avoid=("reacher",)).entry.id == "fetch-reach"
    assert scout("reach the target", avoid=("arm",)).entry.id == "hand-reach"


def test_what_nothing_learns_is_chosen_only_by_name_or_with_a_dataset(scout):
    with pytest.raises(UsageError, match=r"`car-racing` .1.00: what comes along does not learn it"):
        scout("race a car around the track")
    assert scout("race a car", environment="car-racing").entry.id == "car-racing"
    assert scout("race a car around the track", dataset="laps").entry.id == "car-racing"


def test_an_adjusted_environment_is_another_one_and_the_first_is_not_chosen_again(scout, said):
    state = scout("walk on two legs")
    seen = [state.entry.id]
    while environment.alternatives(state):
        decided = Decision(kind="adjust_environment", by="rules", reason="")
        wanted = environment.alternatives(state)[0]
        state = scout(state=state.model_copy(update={"decisions": (*state.decisions, decided)}))
        assert state.entry.id == wanted
        seen.append(state.entry.id)
    assert len(seen) == len(set(seen)) > 2
    assert state.left_environments == tuple(seen[:-1])


def test_a_stated_environment_has_no_alternatives(scout):
    assert environment.alternatives(scout("walk", environment="walker2d")) == ()


def test_what_a_model_chose_can_be_left_for_what_the_sentence_fits(scout):
    state = scout("walk on two legs", environment="ant", chosen=("environment",))
    assert state.entry.id == "ant"
    wanted = environment.alternatives(state)[0]
    decided = Decision(kind="adjust_environment", by="rules", reason="")
    state = scout(state=state.model_copy(update={"decisions": (decided,)}))
    assert (state.entry.id, state.left_environments) == (wanted, ("ant",))


def test_a_metric_that_no_evaluation_knows_is_refused_once_the_environment_is_known(scout):
    criterion = Criterion(metric="mean_uprigt", operator=">=", threshold=0.5)
    with pytest.raises(UsageError, match="did you mean `mean_upright`"):
        scout("swing the pendulum up", criteria=(criterion,))


def test_a_criterion_declares_the_success_of_a_foreign_environment(scout):
    criterion = Criterion(metric="mean_return", operator=">=", threshold=200)
    state = scout("land", environment="MyLander-v0", criteria=(criterion,))
    assert state.entry.success == Success(measure="return", at_least=200)
    untouched = scout("swing", environment="pendulum", criteria=(criterion,))
    assert untouched.entry == find("pendulum")


def test_a_scene_is_synthesised(scout):
    state = scout("reach", scene=yaml.safe_load(EXAMPLE.read_text(encoding="utf-8")))
    assert (state.entry.id, state.entry.adapter) == ("scene-arm-reach", "mjcf")
    with pytest.raises(UsageError, match="The scene is not valid"):
        scout("reach", scene={"name": "x"})
