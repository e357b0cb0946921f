"""The effective configuration: what wins over what, and what is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result
from rpent.cli import main
from rpent_robosmith.config import SmithConfig, effective, task_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def smith(*words: str, env: dict[str, str] | None = None) -> Result:
    return CliRunner().invoke(main, ["smith", *words], env=env)


def settings(*words: str, env: dict[str, str] | None = None) -> dict[str, Any]:
    done = smith("config", "--json", *words, env=env)
    assert done.exit_code == 0, done.output
    shown: dict[str, Any] = json.loads(done.stdout)["settings"]
    return shown


def test_every_setting_is_shown_with_its_source() -> None:
    shown = settings()
    assert set(shown) == set(SmithConfig.model_fields)
    assert {row["source"] for row in shown.values()} == {"default"}
    assert shown["criterion"]["value"] == ["success_rate>=0.8"]


def test_option_over_variable_over_file_over_default(tmp_path: Path) -> None:
    (tmp_path / "robosmith.yaml").write_text(
        "seed: 1\nmargin: 0.3\nepisodes: 7\nhyperparameter: {gamma: 0.9}\n"
    )
    env = {"RPENT_SMITH_SEED": "2", "RPENT_SMITH_MARGIN": "0.2"}

    shown = settings("--seed", "3", env=env)

    assert shown["seed"] == {"value": 3, "source": "option --seed"}
    assert shown["margin"] == {"value": 0.2, "source": "variable RPENT_SMITH_MARGIN"}
    assert shown["episodes"] == {"value": 7, "source": "file robosmith.yaml"}
    assert shown["hyperparameter"]["value"] == {"gamma": 0.9}
    assert shown["iterations"] == {"value": 3, "source": "default"}


def test_values_equal_to_the_default_count_as_stated() -> None:
    task = task_of(
        "x", effective({"margin": (0.1, "option --margin"), "episodes": (20, "option --episodes")})
    )
    assert task.stated == ("margin", "evaluation.episodes")


def test_hyperparameters_keep_their_types() -> None:
    words = [
        word
        for pair in ("a=1", "b=0.5", "c=true", "d=[64, 64]", "e=x=y")
        for word in ("--hyperparameter", pair)
    ]
    assert settings(*words)["hyperparameter"]["value"] == {
        "a": 1,
        "b": 0.5,
        "c": True,
        "d": [64, 64],
        "e": "x=y",
    }


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--margin", "2"], "`margin` (option --margin) is `2.0`"),
        (["--criterion", "success_rat>=0.9"], "did you mean `success_rate`?"),
        (["--criterion", "success_rate==0.9"], "`==`"),
        (["--criterion", "success_rate"], "no criterion"),
        (["--criterion", "success_rate>=high"], "no number"),
        (["--criterion", "success_rate>=nan"], "never hold"),
        (["--hyperparameter", "x"], "NAME=VALUE"),
        (["--iterations", "0"], "`iterations`"),
        (["--config", "nowhere.yaml"], "There is no configuration file `nowhere.yaml`"),
    ],
)
def test_what_is_not_accepted_is_one_sentence(words: list[str], said: str) -> None:
    done = smith("config", *words)
    assert done.exit_code == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("sed: 1", "unknown key `sed`; did you mean `seed`?"),
        ("- 1", "holds no settings"),
        ("a: [", "is not YAML"),
        ("seed: many", "`seed` (file robosmith.yaml) is `many`"),
        ("llm:", "unknown key `llm`"),
    ],
)
def test_a_file_with_mistakes_is_refused(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "robosmith.yaml").write_text(content)
    done = smith("config")
    assert done.exit_code == 2
    assert said in done.stderr


def test_an_empty_file_sets_nothing(tmp_path: Path) -> None:
    (tmp_path / "robosmith.yaml").write_text("seed:\n")
    assert settings()["seed"]["source"] == "default"
