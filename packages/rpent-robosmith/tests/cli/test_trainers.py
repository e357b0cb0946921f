"""`rpent smith trainers`: names, what is missing, and hyperparameters."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from rpent.cli.root import main
from rpent_robosmith.training.hyperparameters import ACCEPTED


def test_every_algorithm_is_listed_with_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rpent_robosmith.work.interpreter.missing", lambda needs, *_a, **_k: list(needs))
    result = CliRunner().invoke(main, ["smith", "trainers", "--json"])
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    found = {trainer["name"]: trainer for trainer in document["trainers"]}
    names = {algorithm["name"] for trainer in found.values() for algorithm in trainer["algorithms"]}
    assert names >= {"ppo", "sac", "td3", "tqc", "crossq", "bc", "act"}
    assert found["sb3"]["available"] is False
    assert "stable-baselines3" in found["sb3"]["missing"]["reason"]
    assert "rpent env sync robosmith" in found["sb3"]["missing"]["remedy"]


def test_the_table_marks_what_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rpent_robosmith.work.interpreter.missing", lambda *_a, **_k: [])
    result = CliRunner().invoke(main, ["smith", "trainers"])
    assert "✓ sb3" in result.stdout
    assert "✗" not in result.stdout


def test_hyperparameters_of_an_algorithm() -> None:
    result = CliRunner().invoke(main, ["smith", "trainers", "sac", "--json"])
    document = json.loads(result.stdout)
    assert document["trainer"] == "sb3"
    assert set(document["hyperparameters"]) == set(ACCEPTED["sac"])
    assert document["hyperparameters"]["tau"]["accepts"] == "a number above 0 and at most 1"
    assert "n_envs" in document["settings"]


def test_an_unknown_algorithm_is_a_usage_error() -> None:
    result = CliRunner().invoke(main, ["smith", "trainers", "sca"])
    assert result.exit_code == 2
    assert "did you mean `sac`?" in result.stderr
