"""`rpent smith envs` as users type it."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def smith(run_cli):
    def run(*arguments):
        return run_cli("smith", "envs", *arguments)

    return run


def test_everything_is_listed(smith):
    result = smith()
    assert result.exit_code == 0
    for name in ("cartpole", "reacher", "fetch-reach", "robosuite-lift", "libero-reach", "robocasa-drawer"):
        assert name in result.stdout


def test_json_is_one_document(smith):
    document = json.loads(smith("--json").stdout)
    assert document["version"] == 1
    assert document["failures"] == []
    entry = next(each for each in document["environments"] if each["id"] == "pendulum")
    assert entry["available"] is True
    assert "mean_upright_at_end" in entry["metrics"]


def test_a_sentence_ranks(smith):
    document = json.loads(smith("swing the pendulum up", "--json").stdout)
    scores = [each["score"] for each in document["environments"]]
    assert document["environments"][0]["id"] == "pendulum"
    assert scores == sorted(scores, reverse=True)
    assert document["threshold"] <= scores[0]


def test_filters_are_held(smith):
    document = json.loads(smith("--robot", "hand", "--tag", "rotate", "--tag", "egg", "--json").stdout)
    assert [each["id"] for each in document["environments"]] == ["hand-manipulate-egg"]
    document = json.loads(smith("--framework", "robosuite", "--json").stdout)
    assert {each["adapter"] for each in document["environments"]} == {"robosuite"}


def test_what_fits_nothing_is_said(smith):
    assert smith("cook a pizza").stdout == "No environment fits.\n"
    assert "is like that" in smith("--tag", "pizza").stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--robot", "hnad"], "No environment has the robot `hnad`; did you mean `hand`"),
        (["--framework", "gym"], "No environment has the framework `gym`"),
        ([" "], "The sentence is empty"),
    ],
)
def test_a_mistake_is_one_sentence(smith, arguments, said):
    result = smith(*arguments)
    assert result.exit_code == 2
    assert said in result.stderr
    assert "Traceback" not in result.stderr


def test_what_is_missing_is_named_with_its_remedy(smith, monkeypatch, tmp_path):
    import importlib.util

    find_spec = importlib.util.find_spec
    hidden = {"gymnasium_robotics", "robosuite", "Box2D"}
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *a: None if name in hidden else find_spec(name, *a)
    )
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("RPENT_CACHE_DIR", str(tmp_path))
    result = smith()
    assert result.exit_code == 0
    assert "✗ `gymnasium-robotics`: it needs `gymnasium-robotics`" in result.stdout
    assert "rpent-robosmith[robotics]" in result.stdout
    assert "✗ `gymnasium`: it needs `gymnasium[box2d]`" in result.stdout
