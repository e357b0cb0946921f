"""`rpent smith run`: plans and refusals, which need no training."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result
from rpent.cli import main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def trainers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have what trainers need: a plan does not start them."""
    monkeypatch.setattr("rpent_robosmith.training.choice.missing", lambda *_, **__: [])


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["smith", "run", *words])


@pytest.mark.usefixtures("trainers")
def test_a_plan_writes_nothing_and_says_what_would_be_done(tmp_path: Path) -> None:
    done = run(
        "swing the pendulum up and keep it upright with 90 % success", "--dry-run", "--seed", "4", "--json"
    )

    plan = json.loads(done.stdout)
    assert done.exit_code == 0
    assert plan["environment"]["id"] == "pendulum"
    assert plan["task"]["criteria"] == [{"metric": "success_rate", "operator": ">=", "threshold": 0.9}]
    assert plan["task"]["seed"] == 4
    assert (plan["rewards"], plan["decisions"], plan["intake"]) == ("templates", "rules", "rules")
    assert plan["algorithm"]
    assert plan["total_steps"] > 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("trainers")
def test_a_plan_for_people() -> None:
    done = run("balance the pole", "--environment", "cartpole", "--dry-run")
    assert done.exit_code == 0
    assert "environment  cartpole" in done.stdout
    assert "success_rate >= 0.8" in done.stdout


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["", "--dry-run"], 2, "The sentence is empty."),
        (["x", "--environment", "cartpol", "--dry-run"], 2, "cartpol"),
        (["x", "--environment", "cartpole", "--safety", "mean_speed<=1", "--dry-run"], 2, "mean_speed"),
        (["x", "--rewards", "model", "--dry-run"], 2, "model"),
        (["x", "--rewards", "oracle", "--dry-run"], 2, "`oracle`"),
        (["fly me to the moon in a zeppelin", "--dry-run"], 2, ""),
        (["x", "--unknown"], 2, "--unknown"),
    ],
)
def test_refusals_come_before_any_work(tmp_path: Path, words: list[str], code: int, said: str) -> None:
    done = run(*words)
    assert done.exit_code == code, done.output
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_agents_are_refused_before_a_run_directory_is_made(tmp_path: Path) -> None:
    done = run("balance the pole", "--rewards", "model")
    assert done.exit_code == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("trainers")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--criterion", "success_rate<=0.1", "--criterion", "success_rate>=0.9"], "cannot hold together"),
        (["--criterion", "mean_length>5", "--safety", "mean_length<=5"], "cannot hold together"),
        (["--minutes", "inf"], "`minutes`"),
        (["--training-minutes", "1e300"], "`training_minutes`"),
        (["--model-cost", "inf"], "`model_cost`"),
        (["--total-steps", "9" * 23], "`total_steps`"),
        (["--model-tokens", "5"], "for a model, and none is named"),
        (["--base-url", "http://localhost:1"], "for a model, and none is named"),
        (["--hyperparameter", "learning_rate=.nan"], "`learning_rate` of `ppo` must be"),
        (["--hyperparameter", "unheard_of=1"], "`unheard_of` is no hyperparameter of `ppo`"),
        (["--robot", "arm"], "`--robot arm` asks for another one"),
        (["--framework", "mjcf"], "`--framework mjcf` asks for another one"),
        (["--dataset", "nowhere"], "no file or folder `nowhere`"),
        (["--hyperparameter", "learning_rate=\udcff"], "`hyperparameter` holds bytes that are not UTF-8"),
    ],
)
def test_options_that_could_not_act_are_refused_in_one_sentence(words: list[str], said: str) -> None:
    done = run("balance the pole", "--environment", "cartpole", *words, "--dry-run")
    assert done.exit_code == 2, done.output
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.usefixtures("trainers")
def test_criteria_that_leave_one_value_are_accepted() -> None:
    both = ("--criterion", "mean_length>=500", "--criterion", "mean_length<=500")
    assert run("balance the pole", "--environment", "cartpole", *both, "--dry-run").exit_code == 0
