from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from rpent.errors import RpentError

pytestmark = pytest.mark.sim

ACTIONS = np.random.default_rng(3).uniform(-1, 1, (25, 7)).tolist()
TARGET = [-0.05, 0.1, 0.15]

REPLAY = """
import json, sys
import numpy as np
from rpent.cancel import CancelToken
from rpent.rpc.facade import CallContext
from rpent_robot_libero.config import EnvServerConfig
from rpent_robot_libero.server.create import create

facade = create(EnvServerConfig(suite="libero_object_swap", task=2, seed=11))
call = CallContext("x", CancelToken(), lambda _: None)
with open(sys.argv[1], "rb") as stream:
    facade.methods["restore"].handler(call, data=stream.read())
actions, target = json.loads(sys.argv[2])
facade.methods["chunk_step"].handler(call, actions=actions)
facade.methods["servo"].handler(call, targets=[{"position": target, "yaw": 0.4, "gripper": "close"}])
scene = facade.methods["describe"].handler.__self__.scene
print(scene.data.qpos.tobytes().hex())
"""


def continue_from_here(env):
    env.chunk_step(np.array(ACTIONS))
    env.servo([{"position": TARGET, "yaw": 0.4, "gripper": "close"}])


def test_restoring_and_repeating_gives_the_same_bits(fresh, backstage):
    data = backstage(fresh).scene.data
    fresh.chunk_step(np.array(ACTIONS)[::-1])
    saved = fresh.snapshot()
    before = fresh.observe()
    continue_from_here(fresh)
    first = data.qpos.copy()
    restored = fresh.restore(saved)
    np.testing.assert_array_equal(restored.eef_position, before.eef_position)
    assert restored.step == before.step
    continue_from_here(fresh)
    np.testing.assert_array_equal(data.qpos, first)


def test_the_executed_actions_lead_from_one_snapshot_to_the_next(fresh):
    saved = fresh.snapshot()
    fresh.actions()
    continue_from_here(fresh)
    there = fresh.snapshot()
    actions, first = fresh.actions()
    assert first == 0
    assert len(actions) == fresh.observe().step
    fresh.restore(saved)
    for part in np.array_split(actions, 4):
        fresh.chunk_step(part)
        fresh.observe(["wrist"], size=64)
    assert fresh.snapshot() == there


def test_another_process_continues_with_the_same_bits(fresh, backstage, tmp_path):
    fresh.chunk_step(np.array(ACTIONS)[::-1])
    path = tmp_path / "snapshot.bin"
    path.write_bytes(fresh.snapshot())
    continue_from_here(fresh)
    answer = subprocess.run(
        [sys.executable, "-c", REPLAY, str(path), json.dumps([ACTIONS, TARGET])],
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout.split()[-1] == backstage(fresh).scene.data.qpos.tobytes().hex()


def test_right_after_a_reset_too(fresh, make_env, backstage):
    env = make_env(suite="libero_object_swap", task=2, settle_steps=0)
    env.reset(seed=5)
    saved = env.snapshot()
    data = backstage(env).scene.data
    env.chunk_step(np.array(ACTIONS))
    first = data.qpos.copy()
    env.restore(saved)
    env.chunk_step(np.array(ACTIONS))
    np.testing.assert_array_equal(data.qpos, first)


def test_observing_does_not_change_what_follows(fresh, backstage):
    data = backstage(fresh).scene.data
    saved = fresh.snapshot()
    fresh.chunk_step(np.array(ACTIONS))
    first = data.qpos.copy()
    fresh.restore(saved)
    fresh.chunk_step(np.array(ACTIONS)[:10])
    fresh.observe(["agentview", "wrist"], size=64, depth=True)
    fresh.instances("agentview", size=64)
    fresh.snapshot()
    fresh.chunk_step(np.array(ACTIONS)[10:])
    np.testing.assert_array_equal(data.qpos, first)


def test_success_counters_and_seed_come_back(fresh):
    fresh.reset(seed=7)
    fresh.chunk_step(np.array(ACTIONS))
    saved = fresh.snapshot()
    fresh.reset(seed=1)
    assert fresh.restore(saved).step == len(ACTIONS)
    assert fresh.describe()["seed"] == 7
    assert len(saved) < 20_000


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 not a zip", b"\x80\x04K\x01."])
def test_other_bytes_are_refused(fresh, data):
    with pytest.raises(RpentError, match="not a snapshot"):
        fresh.restore(data)


def test_the_oldest_actions_go_when_there_are_too_many():
    from rpent_manipulation.env.executed import MAX_ACTIONS, Executed

    executed = Executed(7)
    for step in range(MAX_ACTIONS + 3):
        executed.add(np.full(7, step))
    kept = executed.drain(MAX_ACTIONS + 3)
    assert kept["first_step"] == 3
    assert kept["actions"][0, 0] == 3
    assert executed.drain(MAX_ACTIONS + 3)["actions"].shape == (0, 7)
