"""Real policies of Stable-Baselines3 and LeRobot, made by their own classes and executed in sealed workers."""

from __future__ import annotations

import base64
import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from click.testing import CliRunner
from rpent.cli.root import main
from rpent.testing.environments import run_code
from rpent_robosmith.compatibility.pair import Wishes
from rpent_robosmith.inspect.find import find
from rpent_robosmith.integrate.graph import Request, integrate
from rpent_robosmith.work.bench import ProcessBench

if TYPE_CHECKING:
    from rpent_robosmith.integrate.graph import State

pytestmark = [pytest.mark.models, pytest.mark.timeout(600)]

SB3 = """
import sys, gymnasium as gym, numpy as np, gymnasium_robotics
from stable_baselines3 import PPO, SAC
from sb3_contrib import TQC
gym.register_envs(gymnasium_robotics)

class Pictures(gym.Env):
    observation_space = gym.spaces.Dict({
        "cam": gym.spaces.Box(0, 255, (64, 64, 3), np.uint8),
        "state": gym.spaces.Box(np.array([-1, -2.5], np.float32), np.array([1, np.inf], np.float32)),
    })
    action_space = gym.spaces.MultiDiscrete([3, 4])

folder = sys.argv[1]
PPO("MlpPolicy", "Pendulum-v1", n_steps=64, device="cpu", seed=0).save(f"{folder}/ppo_pendulum")
PPO("MlpPolicy", "CartPole-v1", n_steps=64, device="cpu", seed=0).save(f"{folder}/ppo_cartpole")
SAC("MultiInputPolicy", "FetchReach-v4", buffer_size=100, device="cpu", seed=0).save(f"{folder}/sac_fetch")
TQC("MlpPolicy", "Pendulum-v1", buffer_size=100, device="cpu", seed=0).save(f"{folder}/tqc_pendulum")
PPO("MultiInputPolicy", Pictures(), n_steps=8, batch_size=8, device="cpu").save(f"{folder}/ppo_pictures")
model = PPO.load(f"{folder}/ppo_pendulum", device="cpu")
print(float(model.predict(np.array([0.5, -0.5, 1.0], np.float32), deterministic=True)[0][0]))
"""


@pytest.fixture(scope="module")
def sb3(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, float]:
    """Return a folder of zips, and what PPO answers to one observation of the pendulum."""
    folder = tmp_path_factory.mktemp("sb3")
    return folder, float(run_code("robosmith", SB3, folder).split()[-1])


@pytest.fixture(scope="module")
def lerobot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a v3.0 dataset, an ACT checkpoint for it, and one without statistics."""
    folder = tmp_path_factory.mktemp("lerobot")
    text = (Path(__file__).parent / "make_lerobot.py").read_text()
    run_code("lerobot", text, folder, distribution="rpent-policy-lerobot")
    return folder


def integrated(at: Path, policy: object, target: object, **wishes: Any) -> State:
    return integrate(
        Request(
            policy=str(policy),
            target=str(target),
            folder=at,
            bench=ProcessBench(),
            wishes=Wishes(**wishes),
            samples=4,
        )
    )


@pytest.mark.parametrize(
    ("name", "target", "algorithm"),
    [
        ("ppo_pendulum", "Pendulum-v1", "ppo"),
        ("tqc_pendulum", "pendulum", "tqc"),
        ("ppo_cartpole", "cartpole", "ppo"),
        ("sac_fetch", "fetch-reach", "sac"),
    ],
)
def test_a_zip_drives_the_environment_that_it_was_made_in(sb3, tmp_path, name, target, algorithm):
    state = integrated(tmp_path, sb3[0] / f"{name}.zip", target)
    assert state["outcome"] == "valid", state["seen"]
    assert [issue for issue in state["report"].issues if issue.severity != "info"] == []
    assert state["policy"].algorithm == algorithm
    assert [stage.name for stage in state["seen"].stages] == ["load", "policy", "target", "environment"]


def test_the_wrapper_answers_as_the_policy_itself_does(sb3, tmp_path):
    integrated(tmp_path, sb3[0] / "ppo_pendulum.zip", "Pendulum-v1")
    code = (
        "import sys, numpy as np; sys.path.insert(0, sys.argv[1]); import wrapper\n"
        "made = wrapper.load(sys.argv[2]); made.reset()\n"
        "print(float(made.act(np.array([0.5, -0.5, 1.0], np.float32))[0]))"
    )
    printed = run_code("robosmith", code, tmp_path, sb3[0] / "ppo_pendulum.zip")
    assert float(printed.split()[-1]) == pytest.approx(sb3[1], abs=1e-6)


def test_pictures_and_bounds_of_a_dict_are_read(sb3):
    facts = find(str(sb3[0] / "ppo_pictures.zip")).inspect()
    assert find(str(sb3[0] / "ppo_pendulum.zip")).inspect().parameters == 8963
    camera, state = facts.observation["cam"], facts.observation["state"]
    assert (camera.kind, camera.shape, camera.channels_first) == ("image", (64, 64, 3), True)
    assert (state.low, state.high) == ((-1.0, -2.5), (1.0, float("inf")))
    assert (facts.action["action"].shape, facts.action["action"].high) == ((2,), (2.0, 3.0))


def test_a_zip_in_another_environment_is_not_compatible(sb3, tmp_path):
    state = integrated(tmp_path, sb3[0] / "ppo_cartpole.zip", "Pendulum-v1")
    critical = {issue.check for issue in state["report"].issues if issue.severity == "critical"}
    assert critical == {"observation_size", "action_kind"}
    assert (state["outcome"], state["seen"].status) == ("not_compatible", "refused")


def test_a_checkpoint_and_the_dataset_that_it_was_made_for_are_compatible(lerobot, tmp_path):
    state = integrated(tmp_path, lerobot / "act", lerobot / "dataset")
    assert state["outcome"] == "valid", state["seen"]
    assert [issue for issue in state["report"].issues if issue.severity != "info"] == []
    assert state["seen"].answer_shapes == ((10, 6),)
    assert state["report"].mapping.action.execute_steps == 5
    assert state["target"].format == "lerobot-v3.0"


def test_borrowed_statistics_do_what_the_checkpoints_own_do(lerobot, tmp_path):
    own = integrated(tmp_path / "own", lerobot / "act", lerobot / "dataset")["seen"]
    without = integrated(tmp_path / "without", lerobot / "act_without_statistics", lerobot / "dataset")
    assert without["outcome"] == "not_compatible"
    borrowed = integrated(
        tmp_path / "borrowed",
        lerobot / "act_without_statistics",
        lerobot / "dataset",
        repairs=frozenset({"target-statistics"}),
    )
    assert borrowed["outcome"] == "valid"
    np.testing.assert_allclose(borrowed["seen"].action_low, own.action_low, atol=1e-3)
    assert np.abs(np.subtract(without["seen"].action_low, own.action_low)).max() > 0.05


def test_a_checkpoint_beside_a_robot_and_with_repairs(lerobot, tmp_path):
    pytest.importorskip("rpent_robot_libero")
    refused = integrated(tmp_path / "refused", lerobot / "act", "robot:libero")
    critical = {issue.check for issue in refused["report"].issues if issue.severity == "critical"}
    assert critical == {"observation_size", "action_size"}
    made = integrated(
        tmp_path / "made",
        lerobot / "act",
        "robot:libero",
        repairs=frozenset({"pad-actions", "cut-observations"}),
        links={"observation.state": ("joint_positions",)},
    )
    assert made["outcome"] == "valid"
    assert made["report"].mapping.repairs == ("pad-actions", "cut-observations")


def test_the_command_prints_one_document_and_the_exit_code_says_it(sb3, tmp_path):
    words = ["smith", "integrate", str(sb3[0] / "ppo_cartpole.zip")]
    good = CliRunner().invoke(main, [*words, "cartpole", "--out", str(tmp_path / "good"), "--json"])
    assert (good.exit_code, json.loads(good.stdout)["outcome"]) == (0, "valid")
    bad = CliRunner().invoke(main, [*words, "Pendulum-v1", "--out", str(tmp_path / "bad"), "--json"])
    assert (bad.exit_code, json.loads(bad.stdout)["compatible"]) == (1, False)


def test_a_hostile_zip_harms_nothing_when_it_is_executed(sb3, tmp_path):
    hostile = tmp_path / "hostile.zip"
    touched = tmp_path / "touched"
    with zipfile.ZipFile(sb3[0] / "ppo_pendulum.zip") as good, zipfile.ZipFile(hostile, "w") as bad:
        for name in good.namelist():
            content = good.read(name)
            if name == "data":
                data = json.loads(content)
                code = f"cos\nsystem\n(S'touch {touched}'\ntR.".encode()
                data["policy_kwargs"] = {":type:": "dict", ":serialized:": base64.b64encode(code).decode()}
                content = json.dumps(data).encode()
            bad.writestr(name, content)
    state = integrated(tmp_path / "out", hostile, "Pendulum-v1")
    assert state["outcome"] == "invalid"
    assert [(stage.name, stage.ok) for stage in state["seen"].stages] == [("load", False)]
    assert not touched.exists()
