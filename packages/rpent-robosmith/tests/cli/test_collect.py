"""`rpent smith collect`: what a policy saw and did, as a dataset."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import pytest
from click.testing import CliRunner
from rpent.cli.root import main
from rpent_robosmith.datasets.collecting import FIRST_SEED
from rpent_robosmith.datasets.open import open_dataset

if TYPE_CHECKING:
    from pathlib import Path


def _collect(*arguments: str) -> Any:
    return CliRunner().invoke(main, ["smith", "collect", *arguments, "--json"])


@pytest.mark.parametrize("name", ["a.hdf5", "b"])
def test_recorded_steps_are_those_of_the_environment(tmp_path: Path, name: str) -> None:
    result = _collect("zero", "--env", "pendulum", "--episodes", "2", "--out", str(tmp_path / name))
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["frames"] == 400
    reader = open_dataset(tmp_path / name)
    assert (reader.fps, reader.environment, reader.total_episodes) == (20.0, "Pendulum-v1", 2)
    assert reader.action_bounds is not None
    assert (reader.action_bounds.low, reader.action_bounds.high) == ((-2.0,), (2.0,))
    env = gymnasium.make("Pendulum-v1")
    for number, episode in enumerate(reader.episodes()):
        observation, _ = env.reset(seed=FIRST_SEED + number)
        assert episode.success is False
        (state,) = episode.state.values()
        for row, reward in zip(state, episode.rewards, strict=True):
            np.testing.assert_array_equal(row, observation)
            observation, seen, *_ = env.step(np.zeros(1, np.float32))
            assert reward == pytest.approx(seen, rel=1e-5)


@pytest.mark.parametrize("name", ["a.hdf5", "b"])
def test_pictures_are_those_before_each_action(tmp_path: Path, name: str) -> None:
    pytest.importorskip("pygame")
    arguments = (
        "random",
        "--env",
        "cartpole",
        "--episodes",
        "2",
        "--rows",
        "64",
        "--out",
        str(tmp_path / name),
    )
    assert _collect(*arguments).exit_code == 0
    reader = open_dataset(tmp_path / name)
    (camera,) = reader.cameras.values()
    assert (camera.height, camera.width) == (64, 96)
    for episode in reader.episodes():
        frames = list(next(iter(episode.pictures.values()))())
        assert len(frames) == len(episode.actions)
        assert frames[0].shape == (64, 96, 3)


def test_the_same_command_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.hdf5", "b.hdf5"):
        assert (
            _collect(
                "random", "--env", "cartpole", "--episodes", "3", "--out", str(tmp_path / name)
            ).exit_code
            == 0
        )
    assert (tmp_path / "a.hdf5").read_bytes() == (tmp_path / "b.hdf5").read_bytes()


def test_nothing_is_overwritten_or_left_half_done(tmp_path: Path) -> None:
    target = tmp_path / "a.hdf5"
    target.write_text("mine")
    refused = _collect("random", "--env", "cartpole", "--out", str(target))
    assert refused.exit_code == 2
    assert "exists already" in refused.output
    assert target.read_text() == "mine"
    empty = _collect(
        "zero", "--env", "pendulum", "--episodes", "1", "--only-successes", "--out", str(tmp_path / "b")
    )
    assert empty.exit_code == 2
    assert "1 failed and 0 crashed" in empty.output
    assert [path.name for path in tmp_path.iterdir()] == ["a.hdf5"]


def test_mistakes_are_one_sentence(tmp_path: Path) -> None:
    for arguments, said in (
        (("random", "--out", str(tmp_path / "x")), "name one with `--env`"),
        ((str(tmp_path), "--out", str(tmp_path / "x")), "cannot be read"),
        ((str(tmp_path / "nowhere"), "--out", str(tmp_path / "x")), "cannot be read"),
        (("random", "--env", "cartpole", "--rows", "65", "--out", str(tmp_path / "x")), "is odd"),
        (("random", "--env", "no such thing", "--out", str(tmp_path / "x")), "no such thing"),
    ):
        result = _collect(*arguments)
        assert result.exit_code == 2, result.output
        assert said in result.output
        assert "Traceback" not in result.output
