"""What a sentence states is read by rules; the rest of it describes the task."""

from __future__ import annotations

from typing import Any

import pytest
from rpent.errors import UsageError
from rpent_robosmith.agents.intake_rules import RuleIntake, readings
from rpent_robosmith.task import Budget, Criterion, TaskSpec

ROBOTS = {
    "cartpole": "toy (cart)",
    "pendulum": "toy (pendulum)",
    "reacher": "arm (reacher)",
    "fetch-reach": "arm (fetch)",
    "mountain-car": "vehicle (car)",
    "mountain-car-continuous": "vehicle (car)",
    "ant": "quadruped (ant)",
}
ENVIRONMENTS = {
    name: f"{name}: A task. Robot: {robot}. Framework: gymnasium." for name, robot in ROBOTS.items()
}


def read(sentence: str, **given: Any) -> TaskSpec:
    """Read a sentence."""
    return RuleIntake().read(TaskSpec(sentence=sentence, **given), ENVIRONMENTS)


@pytest.mark.parametrize(
    ("sentence", "criteria"),
    [
        ("balance a pole with 95 % success", ["success_rate >= 0.95"]),
        ("balance a pole 99 percent of the time", ["success_rate >= 0.99"]),
        ("reach the goal, succeeding 9 out of 10 times", ["success_rate >= 0.9"]),
        ("more than 90% success rate", ["success_rate > 0.9"]),
        ("a success rate of at least 0.7", ["success_rate >= 0.7"]),
        ("success_rate >= 75% and mean_x<2", ["success_rate >= 0.75", "mean_x < 2"]),
        ("a mean return of at least -200", ["mean_return >= -200"]),
        ("an error rate below 1 %", ["error_rate < 0.01"]),
        ("reach in fewer than 20 steps per episode", ["mean_length < 20"]),
        ("success in 9 of 10 episodes", ["success_rate >= 0.9"]),
        ("run until it reaches a return of 3000", ["mean_return >= 3000"]),
        ("walk forward", ["success_rate >= 0.8"]),
        ("fill 50 % of the cup", ["success_rate >= 0.8"]),
    ],
)
def test_criteria(sentence: str, criteria: list[str]) -> None:
    assert [str(criterion) for criterion in read(sentence).criteria] == criteria


@pytest.mark.parametrize(
    ("sentence", "budget"),
    [
        ("train for 100k steps", {"total_steps": 100_000}),
        ("in at most 1.5 million training steps", {"total_steps": 1_500_000}),
        ("train SAC on Pendulum-v1 for 20,000 steps", {"total_steps": 20_000}),
        ("use no more than 1M steps", {"total_steps": 1_000_000}),
        ("hop for 1000 steps", {}),
        ("training for at most 10 minutes", {"training_minutes": 10.0}),
        ("within half an hour", {"minutes": 30.0}),
        ("keep it up for 10 seconds", {}),
        ("spend at most $2.50", {"model_cost_usd": 2.5}),
        ("with at most 50,000 tokens", {"model_tokens": 50_000}),
    ],
)
def test_budgets(sentence: str, budget: dict[str, float]) -> None:
    assert read(sentence).budget == Budget(**budget)


@pytest.mark.parametrize(
    ("sentence", "environment"),
    [
        ("balance the pole on CartPole", "cartpole"),
        ("move the fetch-reach gripper", "fetch-reach"),
        ("drive up in MountainCarContinuous-v0", "MountainCarContinuous-v0"),
        ("drive up in mountain car continuous", None),
        ("drive up in the MountainCarContinuous task", "mountain-car-continuous"),
        ("swing the pendulum up", None),
        ("solve the environment pendulum", "pendulum"),
        ("solve `ant`", "ant"),
        ("not on CartPole but on Pendulum-v1", "Pendulum-v1"),
        ("anything except CartPole", None),
    ],
)
def test_an_environment_is_taken_where_it_is_named(sentence: str, environment: str | None) -> None:
    assert read(sentence).environment == environment


def test_what_is_refused_is_not_taken() -> None:
    task = read("reach with a robot arm using SAC, not PPO, and not in FetchReach, without jerking")
    assert (task.algorithm, task.robot, task.environment) == ("sac", "arm", None)
    assert task.avoid == ("fetch-reach", "ppo")
    assert task.tags == ("reach", "arm")


def test_a_robot_that_no_environment_has_is_no_condition() -> None:
    assert read("a humanoid walks").robot is None
    assert read("a four-legged robot walks").robot == "quadruped"


def test_counts() -> None:
    task = read(
        "hover, evaluate it over 50 episodes, try six rewards in at most two iterations, seed 7, "
        "beat the random policy by 20 points, keep mean_tilt <= 10"
    )
    assert (task.evaluation.episodes, task.candidates, task.iterations, task.seed) == (50, 6, 2, 7)
    assert task.margin == pytest.approx(0.2)
    assert task.safety == (Criterion(metric="mean_tilt", operator="<=", threshold=10),)
    assert task.criteria == TaskSpec(sentence="x").criteria


def test_the_users_options_win_over_the_sentence() -> None:
    task = read(
        "CartPole with 95 % success and PPO, seed 3, train for 5 minutes",
        environment="reacher",
        seed=1,
        budget=Budget(training_minutes=2),
        criteria=(Criterion(metric="success_rate", operator=">=", threshold=0.5),),
        stated=("environment", "criteria", "seed"),
    )
    assert (task.environment, task.seed, task.algorithm) == ("reacher", 1, "ppo")
    assert task.budget == Budget(training_minutes=2)
    assert [str(criterion) for criterion in task.criteria] == ["success_rate >= 0.5"]


def test_the_first_of_several_is_taken_and_said() -> None:
    task = read("Pendulum-v1 or CartPole-v1 with SAC or TD3")
    assert (task.environment, task.algorithm) == ("Pendulum-v1", "sac")
    assert [note.split(":")[0] for note in task.notes] == [
        "The sentence names several environments",
        "The sentence names several for `algorithm`",
    ]


def test_the_same_sentence_reads_the_same_twice() -> None:
    sentence = "swing the pendulum up with 90 % success in 10 minutes"
    once = read(sentence)
    assert RuleIntake().read(once, ENVIRONMENTS) == once
    assert readings(once, ENVIRONMENTS) == readings(once, ENVIRONMENTS)


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("walk in 100 iterations", "iterations"),
        ("walk in 0 iterations", "iterations"),
        ("walk with seed 99999999999", "seed"),
        ("walk, training for 0 steps", "budget.total_steps"),
        ("walk, evaluate it over 1e9 episodes", "evaluation.episodes"),
    ],
)
def test_what_is_out_of_range_is_refused(sentence: str, name: str) -> None:
    with pytest.raises(UsageError, match=f"as `{name}`, which is out of range"):
        read(sentence)


@pytest.mark.parametrize(
    "piece", ["1", "in ", "at most ", "budget of ", "not ", "1,000,", "fetch-reach ", " "]
)
def test_a_sentence_that_is_a_document_is_read_in_part(piece: str) -> None:
    task = read("walk " + piece * 20_000)
    assert "walk" in task.tags
    assert task.notes[0] == "Only the first 1000 characters of the sentence are read by the rules."


def test_a_limit_in_words_is_noted() -> None:
    assert read("balance, never let the cart leave the middle, and keep mean_x <= 1").notes == (
        "`never let the cart leave the middle` is no limit that is measured: state one with `--safety`.",
    )
