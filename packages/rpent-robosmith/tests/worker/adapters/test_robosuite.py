"""robosuite's tasks through the contract, in the version that is installed here."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from rpent.errors import UsageError
from rpent_robosmith.catalog.load import find
from rpent_robosmith.testing.env_adapter_contract import EnvAdapterContract
from rpent_robosmith.worker.adapters.robosuite import RobosuiteAdapter

pytestmark = pytest.mark.sim


@pytest.fixture(autouse=True)
def _robosuite():
    pytest.importorskip("robosuite")


class TestLift(EnvAdapterContract):
    renders = False  # in a process of its own, below: MuJoCo settles on its renderer when it is imported

    @pytest.fixture
    def adapter(self):
        return RobosuiteAdapter()

    @pytest.fixture
    def entry(self):
        return find("robosuite-lift")


class TestTwoArmLift(TestLift):
    @pytest.fixture
    def entry(self):
        return find("robosuite-two-arm-lift")


DRAW = """
from rpent_robosmith.catalog.load import find
from rpent_robosmith.worker.making import make_env
env = make_env(find("robosuite-lift"), "rgb_array")
env.reset(seed=0)
picture = env.render()
env.close()
print(picture.shape, picture.dtype, picture.std() > 1)
"""


def test_it_renders():
    environ = {"MUJOCO_GL": "egl", **os.environ, "PYOPENGL_PLATFORM": os.environ.get("MUJOCO_GL", "egl")}
    ended = subprocess.run(
        [sys.executable, "-c", DRAW], env=environ, capture_output=True, text=True, timeout=200, check=False
    )
    assert "(256, 256, 3) uint8 True" in ended.stdout, ended.stderr[-2000:]


def test_a_lifted_cube_is_a_success_and_a_lying_one_is_not():
    env = RobosuiteAdapter().make(find("robosuite-lift"))
    _, info = env.reset(seed=0)
    assert info["success"] is False
    inner = env.unwrapped.inner
    joint = inner.cube.joints[0]
    place = np.array(inner.sim.data.get_joint_qpos(joint))
    place[2] += 0.3
    inner.sim.data.set_joint_qpos(joint, place)
    inner.sim.forward()
    seen, _, terminated, _, info = env.step(np.zeros(7, dtype=np.float32))
    assert info["success"] is True
    assert not terminated
    assert seen["objects"][2] > 1.0


def test_numpys_global_generator_is_left_alone():
    env = RobosuiteAdapter().make(find("robosuite-lift"))
    np.random.seed(5)
    wanted = np.random.random()
    np.random.seed(5)
    env.reset(seed=1)
    assert np.random.random() == wanted


@pytest.mark.parametrize("argument", ["horizon", "use_camera_obs"])
def test_what_is_set_here_cannot_be_given(argument):
    entry = find("robosuite-lift").model_copy(update={"kwargs": {argument: 1}})
    with pytest.raises(UsageError, match=f"`{argument}`, which is set here"):
        RobosuiteAdapter().make(entry)
