"""The workshop on robots: their env servers as Gymnasium environments, started beside the worker."""

import os
import threading

import numpy as np
import pytest
from rpent.errors import UsageError
from rpent.specs import RobotSpec
from rpent.testing.fake_robot.robot import SPEC as FAKE
from rpent.testing.registry import FakeRegistry
from rpent_robosmith.catalog.entry import EnvEntry
from rpent_robosmith.work.api import Job
from rpent_robosmith.work.served import VARIABLE, ServingBench
from rpent_robosmith.worker.adapters.served import ServedAdapter

pytest.importorskip("gymnasium")


class Here:
    """A bench that runs a job in the test's own process: the adapter is the same."""

    def __init__(self, work):
        self.work, self.addresses = work, []

    def run(self, job, heard=None):
        os.environ.update(job.variables)
        self.addresses.append(job.variables.get(VARIABLE))
        return self.work(EnvEntry.model_validate(job.params["entry"]))


@pytest.fixture(autouse=True)
def _no_address(monkeypatch):
    monkeypatch.setenv(VARIABLE, "")
    monkeypatch.delenv(VARIABLE)


def entry(robot="fake", **changes):
    values = {
        "id": "on-a-robot", "name": "On a robot", "adapter": "rpent", "env_id": robot, "robot": "arm",
        "tags": ("reach",), "description": "A robot.", "success": {"signal": "is_success"},
        "progress": "return", "max_episode_steps": 5,
    }  # fmt: skip
    return EnvEntry.model_validate(values | changes)


def run(work, *entries, registry=None, tmp_path):
    here = Here(work)
    with ServingBench(here, logs=tmp_path, registry=registry or FakeRegistry()) as bench:
        results = [bench.run(Job(run="", params={"entry": each.model_dump()})) for each in entries]
    return results, here.addresses


def episode(found, seed=3, render_mode=None):
    env = ServedAdapter().make(found, render_mode=render_mode)
    first, info = env.reset(seed=seed)
    steps = []
    action = np.zeros(env.action_space.shape)
    action[0] = 1.0
    for _ in range(10):
        steps.append(env.step(action))
        if steps[-1][2] or steps[-1][3]:
            break
    picture = env.render()
    env.close()
    return env, first, info, steps, picture


def test_a_robot_is_an_environment(tmp_path):
    goal = {"goal_m": (0.0, 0.0, 0.0), "state": ["eef_position"]}
    ((env, first, info, steps, picture),), _ = run(
        lambda found: episode(found, render_mode="rgb_array"), entry(kwargs=goal), tmp_path=tmp_path
    )
    assert env.action_space.shape == (4,)
    assert env.unwrapped.action_parts == {"eef_position_delta": 3, "gripper": 1}
    assert {name: value.dtype for name, value in first.items()} == {"eef_position": np.float32}
    assert info["goal_distance_m"] == pytest.approx(float(np.linalg.norm(first["eef_position"])), abs=1e-6)
    moved = steps[-1][0]["eef_position"] - first["eef_position"]
    np.testing.assert_allclose(moved, [5 * 0.02, 0, 0], atol=1e-6)
    assert [(each[2], each[3]) for each in steps] == [(False, False)] * 4 + [(False, True)]
    assert (picture.shape, picture.dtype) == ((256, 256, 3), np.uint8)


def test_the_seed_is_the_scene_and_one_server_is_enough(tmp_path):
    def scene(found):
        env = ServedAdapter().make(found)
        scenes = [env.unwrapped._client.describe() for seed in (1, 2) if env.reset(seed=seed)]
        env.close()
        return [scene["seed"] for scene in scenes]

    results, addresses = run(scene, entry(), entry(), entry(kwargs={"task": 1}), tmp_path=tmp_path)
    assert results == [[1, 2]] * 3
    assert addresses[0] == addresses[1] != addresses[2]


def test_jobs_at_the_same_time_have_a_server_each(tmp_path):
    both = threading.Barrier(2, timeout=30)
    addresses = []

    class Meeting:
        def run(self, job, heard=None):
            addresses.append(job.variables[VARIABLE])
            both.wait()
            return {}

    with ServingBench(Meeting(), logs=tmp_path, registry=FakeRegistry()) as bench:
        job = Job(run="", params={"entry": entry().model_dump()})
        jobs = [threading.Thread(target=bench.run, args=(job,)) for _ in range(2)]
        for each in jobs:
            each.start()
        for each in jobs:
            each.join()
    assert len(set(addresses)) == 2


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"kwargs": {"state": ["mood"]}}, "no state field `mood`; it has `eef_position`"),
        ({"kwargs": {"tusk": 1}}, "has no option `tusk`; did you mean `task`"),
    ],
)
def test_what_the_robot_does_not_have_is_refused(changes, sentence, tmp_path):
    with pytest.raises(UsageError, match=sentence):
        run(episode, entry(**changes), tmp_path=tmp_path)


def test_a_robot_without_an_env_server_is_refused(tmp_path):
    bare = RobotSpec(
        name="bare", summary="", robot=FAKE.robot, config=FAKE.config, embodiment=FAKE.embodiment
    )
    with pytest.raises(UsageError, match="`bare` has no env server"):
        run(episode, entry("bare"), registry=FakeRegistry({"robots": {"bare": bare}}), tmp_path=tmp_path)


def test_without_a_server_there_is_no_environment():
    with pytest.raises(UsageError, match="No env server of the robot `fake`"):
        ServedAdapter().make(entry())


@pytest.mark.sim
def test_libero_is_an_environment(tmp_path):
    pytest.importorskip("libero")
    from rpent_robosmith.catalog.load import entries

    reach = entries()["libero-reach"]
    results, _ = run(lambda found: episode(found, seed=7), reach, reach, tmp_path=tmp_path, registry=None)
    (_, first, info, steps, _), (_, again, _, repeated, _) = results
    np.testing.assert_array_equal(first["eef_position"], again["eef_position"])
    np.testing.assert_array_equal(steps[-1][0]["eef_position"], repeated[-1][0]["eef_position"])
    assert steps[-1][0]["eef_position"][0] > first["eef_position"][0] + 0.02
    goal = np.asarray(reach.kwargs["goal_m"])
    assert info["goal_distance_m"] == pytest.approx(np.linalg.norm(first["eef_position"] - goal), abs=1e-5)
