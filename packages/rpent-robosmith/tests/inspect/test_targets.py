"""Datasets, environments and robots: their features, statistics and faults."""

from __future__ import annotations

import json

import numpy as np
import pytest
from rpent.errors import RpentError, UsageError
from rpent_robosmith.inspect.datasets.facts import facts_of, read
from rpent_robosmith.inspect.find import find

from ..artefacts import SO100, hdf5_dataset, lerobot_v21  # noqa: TID252  (makers for three folders)


def test_a_lerobot_dataset_is_read_over_all_files(tmp_path):
    folder = lerobot_v21(tmp_path / "data", episodes=3, scale=2.0)
    facts = find(str(folder)).inspect(samples=4)
    assert (facts.format, facts.episodes, facts.frames, facts.read) == ("lerobot-v2.1", 3, 36, "all")
    assert (facts.control_rate_hz, facts.robot, facts.tasks) == (20.0, "so100", ("pick up the cube",))
    state = facts.observation["observation.state"]
    rows = np.random.default_rng(7).normal(size=(36, 6)) * 2
    assert state.names == SO100
    np.testing.assert_allclose(state.mean, rows.mean(axis=0), atol=1e-5)
    np.testing.assert_allclose(state.std, rows.std(axis=0), atol=1e-5)
    np.testing.assert_allclose(state.high, rows.max(axis=0), atol=1e-5)
    assert facts.faults == ()
    samples = facts.details["samples"]
    assert (len(samples), samples[0]["instruction"]) == (4, "pick up the cube")
    np.testing.assert_allclose(samples[0]["action"], samples[0]["observation"]["observation.state"] * 0.5)


def test_the_part_that_was_read_is_told(tmp_path):
    from rpent_robosmith.datasets.lerobot import LerobotReader

    with LerobotReader(lerobot_v21(tmp_path / "data", episodes=3)) as reader:
        facts = facts_of("data", reader, read(reader, limit=13))
    assert facts.read == "the first 2 of 3 episodes"


def test_numbers_that_are_not_finite_are_a_critical_fault(tmp_path):
    faults = find(str(lerobot_v21(tmp_path / "data", broken=True))).inspect().faults
    (found,) = [fault for fault in faults if fault.kind == "not_finite"]
    assert (found.key, found.count, found.severity) == ("observation.state", 2, "critical")


def test_stored_statistics_of_other_data_are_told(tmp_path):
    folder = lerobot_v21(tmp_path / "data")
    lerobot_v21(tmp_path / "other", shift=5.0)
    stored = (tmp_path / "other/meta/episodes_stats.jsonl").read_text()
    (folder / "meta/episodes_stats.jsonl").write_text(stored)
    faults = find(str(folder)).inspect().faults
    assert {(fault.kind, fault.key, fault.count) for fault in faults} == {
        ("statistics_mismatch", "observation.state", 6),
        ("statistics_mismatch", "action", 6),
    }


def test_missing_statistics_are_told(tmp_path):
    folder = lerobot_v21(tmp_path / "data")
    (folder / "meta/episodes_stats.jsonl").unlink()
    (fault,) = find(str(folder)).inspect().faults
    assert (fault.kind, fault.key) == ("missing_statistics", "meta/episodes_stats.jsonl")


def test_a_missing_shard_is_a_sentence(tmp_path):
    folder = lerobot_v21(tmp_path / "data")
    (folder / "data/chunk-000/episode_000001.parquet").unlink()
    with pytest.raises(UsageError, match="episode_000001"):
        find(str(folder)).inspect()


def test_robomimics_layout_is_read(tmp_path):
    pictures = np.zeros((8, 16, 24, 3), np.uint8)
    path = hdf5_dataset(
        tmp_path / "d.hdf5",
        {
            "agentview_image": pictures,
            "robot0_eef_pos": np.ones((8, 3)),
            "state": np.arange(16.0).reshape(8, 2),
        },
        np.arange(8.0)[:, None] - 3.5,
    )
    facts = find(str(path)).inspect(samples=2)
    assert (facts.format, facts.episodes, facts.frames, facts.control_rate_hz) == ("robomimic", 2, 16, 20.0)
    assert (facts.robot, facts.tasks, facts.success_field) == ("Panda", ("pick up the cube",), None)
    assert facts.observation["agentview_image"].shape == (16, 24, 3)
    assert facts.observation["state"].high == (14.0, 15.0)
    assert facts.action["action"].kind == "vector"
    (fault,) = facts.faults
    assert (fault.kind, fault.key, fault.count) == ("constant", "robot0_eef_pos", 3)
    assert facts.details["samples"][0]["observation"]["agentview_image"].shape == (16, 24, 3)


def test_whole_numbers_are_choices(tmp_path):
    path = hdf5_dataset(tmp_path / "d.hdf5", {"state": np.ones((4, 2))}, np.array([[0.0], [1], [1], [0]]))
    action = find(str(path)).inspect().action["action"]
    assert (action.kind, action.shape, action.high) == ("discrete", (), (1.0,))


@pytest.mark.parametrize("name", ["d.hdf5", "d.zip"])
def test_a_file_that_is_something_else_is_a_sentence(tmp_path, name):
    (tmp_path / name).write_bytes(b"PK\x05\x06nothing at all" * 10)
    with pytest.raises(UsageError):
        find(str(tmp_path / name)).inspect()


def test_a_damaged_info_is_a_sentence(tmp_path):
    folder = lerobot_v21(tmp_path / "data")
    (folder / "meta/info.json").write_text(json.dumps({"codebase_version": "v9.0"}))
    with pytest.raises(UsageError, match="v9"):
        find(str(folder)).inspect()


def test_an_environment_is_made_and_stepped(bench):
    facts = find("Pendulum-v1").inspect(samples=3, bench=bench)
    assert (facts.kind, facts.bare, facts.control_rate_hz, facts.max_episode_steps) == (
        "environment",
        True,
        20.0,
        200,
    )
    assert facts.observation["observation"].high == (1.0, 1.0, 8.0)
    assert facts.action["action"].low == (-2.0,)
    assert facts.versions["environment"] == "v1"
    assert [sample["observation"].shape for sample in facts.details["samples"]] == [(3,)] * 3


def test_an_id_that_nobody_registered_is_told_by_the_worker(bench):
    with pytest.raises(RpentError, match="Nowhere") as caught:
        find("Nowhere-v3").inspect(bench=bench)
    assert caught.value.exit_code == 2


def test_a_robot_is_read_from_its_declaration():
    pytest.importorskip("rpent_robot_libero")
    facts = find("robot:libero").inspect()
    assert (facts.format, facts.control_rate_hz, facts.language) == ("rpent-robot", 20.0, True)
    assert {name for name, each in facts.observation.items() if each.kind == "image"} == {
        "agentview",
        "wrist",
    }
    assert sum(each.shape[0] for each in facts.action.values()) == 7
