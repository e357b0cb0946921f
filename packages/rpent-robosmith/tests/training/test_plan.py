"""Which algorithm, with which settings: the user's over the environment's over the algorithm's."""

from __future__ import annotations

from typing import Any

import pytest
from rpent.errors import EnvironmentSetupError, UsageError
from rpent_robosmith.catalog.load import find
from rpent_robosmith.facts import SpaceFacts
from rpent_robosmith.task import Budget, Criterion, TaskSpec
from rpent_robosmith.training.choice import algorithms, choose, fitting
from rpent_robosmith.training.hyperparameters import ACCEPTED, validated
from rpent_robosmith.training.plan import USUAL, order_for, segment_steps

BOX = SpaceFacts(kind="box", shape=(1,), low=(-1.0,), high=(1.0,))
CHOICES = SpaceFacts(kind="discrete", n=2)


@pytest.fixture(autouse=True)
def _all_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rpent_robosmith.training.choice.missing", lambda *_a, **_k: [])


def task(**fields: Any) -> TaskSpec:
    return TaskSpec(sentence="do it", **fields)


def test_the_environments_usual_algorithm_is_taken() -> None:
    assert choose(task(), find("cartpole"), CHOICES).name == "ppo"
    assert choose(task(), find("pendulum"), BOX).name == "sac"


def test_what_the_user_names_is_taken_or_refused() -> None:
    assert choose(task(algorithm="tqc"), find("pendulum"), BOX).trainer.name == "sb3-contrib"
    with pytest.raises(UsageError, match="did you mean `sac`"):
        choose(task(algorithm="sca"), find("pendulum"), BOX)
    with pytest.raises(UsageError, match="acts in `box` spaces, and the environment has a `discrete` one"):
        choose(task(algorithm="sac"), find("cartpole"), CHOICES)
    with pytest.raises(UsageError, match="no `--dataset`"):
        choose(task(algorithm="bc"), find("pendulum"), BOX)
    with pytest.raises(UsageError, match="not from a `--dataset`"):
        choose(task(algorithm="sac", dataset="x.hdf5"), find("pendulum"), BOX)


def test_a_dataset_means_imitation() -> None:
    assert choose(task(dataset="x.hdf5"), find("pendulum"), BOX).name == "bc"
    assert fitting(task(dataset="x.hdf5"), find("cartpole"), CHOICES) == ("bc",)


def test_what_the_sentence_says_no_to_is_left_out() -> None:
    assert choose(task(avoid=("sac",)), find("pendulum"), BOX).name == "ppo"
    assert "td3" not in fitting(task(avoid=("td3",)), find("pendulum"), BOX)


def test_a_missing_trainer_is_named_with_its_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rpent_robosmith.training.choice.missing", lambda needs, *_a, **_k: list(needs))
    with pytest.raises(EnvironmentSetupError, match="`sac` cannot be used here: it needs") as caught:
        choose(task(), find("pendulum"), BOX)
    assert "rpent env sync robosmith" in (caught.value.hint or "")
    assert fitting(task(), find("pendulum"), BOX) == ()


def test_the_users_settings_win() -> None:
    entry = find("pendulum")
    chosen = choose(task(), entry, BOX)
    given = {"gamma": 0.9, "n_envs": 2, "normalize_observations": True, "segment_steps": 700, "patience": 4}
    order = order_for(task(hyperparameters=given, budget=Budget(total_steps=4_000)), entry, chosen)
    assert order.hyperparameters["gamma"] == 0.9
    assert "n_envs" not in order.hyperparameters
    assert (order.n_envs, order.normalize_observations, order.segment_steps) == (2, True, 700)
    assert order.total_steps == 4_000
    assert order.selection is not None
    assert order.selection.patience == 4


def test_an_unknown_hyperparameter_is_one_sentence_with_the_accepted_ones() -> None:
    entry = find("pendulum")
    with pytest.raises(UsageError, match="`lr` is no hyperparameter of `sac`") as caught:
        order_for(task(hyperparameters={"lr": 1}), entry, choose(task(), entry, BOX))
    assert "`learning_rate`" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("gamma", 1.5),
        ("gamma", "high"),
        ("gamma", float("nan")),
        ("gamma", True),
        ("batch_size", 2.5),
        ("net_arch", []),
        ("net_arch", [64, 10**9]),
        ("activation", "gelu"),
        ("ent_coef", "auto_"),
        ("ent_coef", "automatic"),
        ("tau", 0),
    ],
)
def test_values_that_are_not_accepted(name: str, value: Any) -> None:
    with pytest.raises(UsageError, match=f"`{name}` of `sac` must be"):
        validated("sac", {name: value})


def test_values_come_in_their_own_types() -> None:
    values = validated("sac", {"gamma": 1, "batch_size": 64.0, "net_arch": (8, 8), "ent_coef": "auto_0.2"})
    assert values == {"gamma": 1.0, "batch_size": 64, "net_arch": [8, 8], "ent_coef": "auto_0.2"}
    assert isinstance(values["batch_size"], int)


def test_another_algorithm_takes_the_hyperparameters_that_it_knows() -> None:
    entry = find("pendulum")
    asked = task(hyperparameters={"tau": 0.01, "gamma": 0.9})
    order = order_for(asked, entry, algorithms()["ppo"], first=False)
    assert order.hyperparameters["gamma"] == 0.9
    assert "tau" not in order.hyperparameters
    assert order.total_steps > order_for(asked, entry, algorithms()["sac"]).total_steps


def test_the_usual_settings_are_accepted() -> None:
    for name, usual in USUAL.items():
        assert validated(name, usual.hyperparameters) == usual.hyperparameters
        assert set(ACCEPTED) >= {name}


def test_equal_trainings_have_the_same_fingerprint() -> None:
    entry = find("pendulum")
    chosen = algorithms()["sac"]
    one = order_for(task(), entry, chosen, reward="a")
    assert one.model_copy(update={"seconds": 3.0, "checkpoints": "x"}).fingerprint == one.fingerprint
    others = [
        order_for(task(), entry, chosen, reward="b"),
        order_for(task(seed=1), entry, chosen, reward="a"),
        order_for(task(), entry, algorithms()["td3"], reward="a"),
        order_for(
            task(criteria=(Criterion(metric="mean_return", operator=">=", threshold=1.0),)),
            entry,
            chosen,
            reward="a",
        ),
    ]
    assert len({one.fingerprint, *(other.fingerprint for other in others)}) == 5


def test_segments_are_a_part_of_the_training() -> None:
    assert [segment_steps(total) for total in (500, 20_000, 100_000, 10_000_000)] == [
        500,
        1_000,
        5_000,
        25_000,
    ]
