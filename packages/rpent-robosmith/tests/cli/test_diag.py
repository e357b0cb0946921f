"""`rpent smith diag`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from rpent.cli.root import main
from rpent_robosmith.testing.datasets import toy_episodes, write_toy

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", ["a.hdf5", "b"])
def test_json_is_one_document(tmp_path: Path, name: str) -> None:
    path = write_toy(tmp_path / name, toy_episodes(5, pictures=True))
    result = CliRunner().invoke(main, ["smith", "diag", "dataset", str(path), "--json"])
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert (document["version"], document["episodes"], document["successes"]) == (1, 5, 2)
    assert len(document["rows"]) == 5
    assert document["bounds"]["low"] == [-1.0, -1.0, -1.0]


def test_html_is_written_and_said_on_standard_error(tmp_path: Path) -> None:
    path = write_toy(tmp_path / "a.hdf5", toy_episodes(3))
    target = tmp_path / "reports" / "a.html"
    result = CliRunner().invoke(
        main, ["smith", "diag", "dataset", str(path), "--json", "--html", str(target)]
    )
    assert result.exit_code == 0
    json.loads(result.stdout)
    assert str(target) in result.stderr
    assert target.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_compare_as_text_json_and_html(tmp_path: Path) -> None:
    paths = [str(write_toy(tmp_path / name, toy_episodes(4))) for name in ("a.hdf5", "b")]
    target = tmp_path / "c.html"
    text = CliRunner().invoke(main, ["smith", "diag", "compare", *paths, "--html", str(target)])
    assert text.exit_code == 0, text.output
    assert "No degradation beyond chance" in text.stdout
    assert target.exists()
    document = json.loads(CliRunner().invoke(main, ["smith", "diag", "compare", *paths, "--json"]).stdout)
    assert document["degradations"] == []
    assert {each["name"] for each in document["quantities"]} >= {"success rate", "length", "jerk"}


def test_mistakes_are_one_sentence(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["smith", "diag", "dataset", str(tmp_path / "nothing")])
    assert result.exit_code == 2
    assert "Traceback" not in result.output
    assert "There is no file or folder" in result.output


def test_bounds_of_a_named_environment_count(tmp_path: Path) -> None:
    wide = list(toy_episodes(2))
    path = write_toy(tmp_path / "a.hdf5", wide)
    result = CliRunner().invoke(main, ["smith", "diag", "dataset", str(path), "--env", "pendulum", "--json"])
    assert result.exit_code == 2
    assert "bounds 1 numbers, and the dataset's actions have 3" in result.output
    discrete = CliRunner().invoke(main, ["smith", "diag", "dataset", str(path), "--env", "cartpole"])
    assert discrete.exit_code == 2
    assert "have no bounds" in discrete.output
