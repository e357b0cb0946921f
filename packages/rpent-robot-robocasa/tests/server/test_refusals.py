"""What the env server refuses: one sentence each, and the command that mends it."""

from __future__ import annotations

import numpy as np
import pytest
from rpent.errors import EnvironmentSetupError, ExitCode, RpentError, UsageError
from rpent_robot_robocasa.assets.manifest import write_manifest
from rpent_robot_robocasa.assets.packs import PACKS
from rpent_robot_robocasa.catalog import find_task
from rpent_robot_robocasa.kitchens import Choice
from rpent_robot_robocasa.server import installation
from rpent_robot_robocasa.server.asset_folder import find_assets

NEEDED = ("fixtures", "objects", "scenes", "textures")


@pytest.fixture
def installed(monkeypatch):
    """Pretend that an interpreter has these distributions."""

    def pretend(**versions: str) -> None:
        names = {name.replace("_", "-"): number for name, number in versions.items()}
        monkeypatch.setattr(installation, "_version", names.get)

    return pretend


def test_the_right_simulator_passes(installed):
    installed(rpent_robocasa365="1.0.1", praxis_robosuite="1.5.2.post1", mujoco="3.9.0")
    assert installation.check() == {"robocasa": "1.0.1", "robosuite": "1.5.2.post1", "mujoco": "3.9.0"}


@pytest.mark.parametrize(
    ("versions", "said"),
    [
        ({}, "no `rpent-robocasa365`"),
        (
            {"rpent_robocasa365": "1.0.1", "robosuite": "1.5.2", "mujoco": "3.9.0"},
            "`robosuite` 1.5.2, which lacks",
        ),
        (
            {"rpent_robocasa365": "1.0.1", "robosuite": "1.5.2", "praxis_robosuite": "1.5.2.post1"},
            "overwrites parts of `praxis-robosuite`",
        ),
        ({"rpent_robocasa365": "1.0.1", "mujoco": "3.9.0"}, "no `praxis-robosuite`"),
        (
            {"rpent_robocasa365": "1.0.1", "praxis_robosuite": "1.5.2.post1", "mujoco": "3.10.0"},
            "`mujoco` 3.10.0, RoboCasa365 needs 3.3 up to, not including, 3.10",
        ),
        ({"rpent_robocasa365": "1.0.1", "praxis_robosuite": "1.5.2.post1"}, "no `mujoco`"),
    ],
)
def test_a_wrong_simulator_is_named_before_it_is_imported(installed, versions: dict[str, str], said: str):
    installed(**versions)
    with pytest.raises(EnvironmentSetupError) as caught:
        installation.check()
    assert said in caught.value.message
    assert "rpent env sync --rebuild robocasa" in caught.value.hint
    assert caught.value.exit_code == ExitCode.INFRASTRUCTURE


def test_a_folder_of_assets_has_to_be_one(tmp_path):
    with pytest.raises(EnvironmentSetupError, match="does not exist") as caught:
        find_assets(str(tmp_path / "nowhere"), "1.0.1")
    assert "rpent robocasa assets placeholder" in caught.value.hint
    for name in NEEDED[:-1]:
        (tmp_path / name).mkdir()
    with pytest.raises(EnvironmentSetupError, match="lacks `textures`"):
        find_assets(str(tmp_path), "1.0.1")
    (tmp_path / "textures").mkdir()
    assert find_assets(str(tmp_path), "1.0.1") == (tmp_path.resolve(), "placeholder")


def test_a_folder_is_of_real_assets_when_its_manifest_has_all_packs(tmp_path):
    for name in NEEDED:
        (tmp_path / name).mkdir()
    write_manifest(tmp_path, kind="real", package_version="1.0.1", packs={"tex": "http://host/x.zip"})
    assert find_assets(str(tmp_path), "1.0.1")[1] == "placeholder"
    packs = dict.fromkeys(PACKS, "http://host/x.zip")
    write_manifest(tmp_path, kind="real", package_version="1.0.1", packs=packs)
    assert find_assets(str(tmp_path), "1.0.1")[1] == "real"


def test_a_folder_that_the_simulator_would_stumble_over_is_refused(tmp_path):
    for parent in ("mine", "robocasa"):
        for name in NEEDED:
            (tmp_path / parent / "models" / "assets" / name).mkdir(parents=True)
    with pytest.raises(EnvironmentSetupError, match="cannot read"):
        find_assets(str(tmp_path / "mine/models/assets"), "1.0.1")
    assert find_assets(str(tmp_path / "robocasa/models/assets"), "1.0.1")[1] == "placeholder"


def test_kitchens_of_a_split():
    task = find_task("StartCoffeeMachine")
    assert Choice(split="target").pairs(task) == [(number, number) for number in range(1, 11)]
    assert len(Choice(split="pretrain").pairs(task)) == 50 * 50
    assert len(Choice(split="all").pairs(task)) == 60 * 60
    assert Choice(split="target", layout=3).pairs(task) == [(3, 3)]
    assert Choice(split="target", style=4).pairs(task) == [(4, 4)]
    assert Choice(split="target", layout=3, style=4).pairs(task) == [(3, 4)]
    assert Choice(split="all", layout=30, style=2).pairs(task) == [(30, 2)]
    assert [Choice(split=split).object_split for split in ("target", "pretrain", "all")] == [
        "target",
        "pretrain",
        None,
    ]


def test_a_layout_of_another_split_is_refused():
    with pytest.raises(
        UsageError, match=r"floor plan 30 is not of the split `target`, which has 1 to 10"
    ) as caught:
        Choice(split="target", layout=30).pairs(find_task("StartCoffeeMachine"))
    assert "--split all" in caught.value.hint
    assert caught.value.exit_code == ExitCode.USAGE


def test_a_layout_that_the_task_leaves_out_is_refused():
    task = find_task("PreheatOven")
    left_out = min(task.excluded_layouts)
    with pytest.raises(UsageError, match=f"leaves out the floor plan {left_out}") as caught:
        Choice(split="all", layout=left_out).pairs(task)
    accepted = min(set(range(1, 61)) - task.excluded_layouts)
    assert f"layouts: {accepted}" in caught.value.hint
    assert Choice(split="all", layout=accepted).pairs(task)


@pytest.mark.sim
def test_what_cannot_be_done_moves_nothing(make_env):
    env = make_env()
    hand, far = env.observe().eef_position, env.describe()["workspace"]["low"]
    with pytest.raises(RpentError, match="m from the arm's base, which reaches") as caught:
        env.servo([{"position": [far[0] + 0.5, far[1] + 0.5, 1.0]}])
    assert "Drive nearer" in caught.value.hint
    with pytest.raises(RpentError, match="outside the workspace"):
        env.servo([{"base_position": [far[0] - 5.0, far[1]]}])
    with pytest.raises(RpentError, match="not nan"):
        env.servo([{"base_yaw": float("nan")}])
    with pytest.raises(RpentError, match="NaN"):
        env.servo([{"position": [np.nan, 0.0, 0.0]}])
    with pytest.raises(RpentError, match="shape"):
        env.step(np.zeros(7))
    for values, said in (
        ({"task_name": "OpenDrawr"}, "Did you mean `OpenDrawer`"),
        ({"split": "test"}, "Unknown split `test`"),
        ({"split": np.zeros(2)}, "Unknown split"),
        ({"layout": 61}, "between 1 and 60"),
        ({"layout": 40}, "not of the split"),
    ):
        with pytest.raises(RpentError, match=said):
            env.channel.call("reset", **values)
    after = env.observe()
    assert after.step == 0
    np.testing.assert_array_equal(after.eef_position, hand)


@pytest.mark.sim
def test_an_episode_ends_with_the_benchmarks_horizon(make_env):
    env = make_env(max_episode_steps=6)
    observation, executed, _ = env.chunk_step(np.zeros((10, 12)))
    assert (executed, observation.truncated, observation.terminated) == (6, True, False)
    with pytest.raises(RpentError, match="limit of 6 steps"):
        env.step(np.zeros(12))
    assert make_env().describe()["max_episode_steps"] == find_task("StartCoffeeMachine").horizon == 300


@pytest.mark.sim
def test_a_missing_asset_is_named(run_in_kitchen, tmp_path):
    answer = run_in_kitchen(MISSING, str(tmp_path / "assets"))
    assert answer["kind"] == "ServiceError"
    assert answer["message"].startswith("The kitchen asset `fixtures/")
    assert "rpent robocasa assets" in answer["hint"]


@pytest.mark.sim
def test_after_a_reset_that_failed_there_is_no_kitchen_until_the_next_one(run_in_kitchen, tmp_path):
    answer = run_in_kitchen(LOST, str(tmp_path / "assets"))
    assert answer["failure"].startswith("The kitchen asset `fixtures/")
    assert len(answer["refusals"]) == 10
    assert set(answer["refusals"].values()) == {"The last reset failed, there is no kitchen."}
    assert (answer["layout"], answer["seed"], answer["task"]) == (3, 7, "TurnOffMicrowave")


LOST = """
import json, shutil, sys
from pathlib import Path
from types import SimpleNamespace
import numpy as np
shutil.copytree(sys.argv[1], sys.argv[2], symlinks=True)
sinks = Path(sys.argv[2]) / "fixtures" / "sinks"
from rpent.errors import RpentError
from rpent_robot_robocasa.config import EnvServerConfig
from rpent_robot_robocasa.server.create import create
config = EnvServerConfig(assets=sys.argv[2], task_name="TurnOffMicrowave", layout=3, seed=7)
methods = create(config).methods
call = SimpleNamespace(raise_if_cancelled=lambda: None)
def ask(name, **values):
    return methods[name].handler(call, **values)
saved = ask("snapshot")
ask("record", size=16)
sinks.rename(sinks.with_name("away"))
try:
    ask("reset", seed=8, layout=2)
except RpentError as error:
    failure = error.message
refusals = {}
for name, values in {
    "describe": {}, "step": {"action": np.zeros(12)}, "chunk_step": {"actions": np.zeros((1, 12))},
    "servo": {"targets": [{"yaw": 0.0}]}, "observe": {}, "camera_meta": {"camera": "wrist"}, "floor_plan": {},
    "snapshot": {}, "actions": {}, "instances": {"camera": "wrist"},
}.items():
    try:
        ask(name, **values)
    except RpentError as error:
        refusals[name] = error.message
sinks.with_name("away").rename(sinks)
ask("reset")
told = ask("describe")
ask("step", action=np.zeros(12))
ask("restore", data=saved)
print(json.dumps({"failure": failure, "refusals": refusals, "layout": told["layout"], "seed": told["seed"],
    "task": told["task_name"]}))
"""

MISSING = """
import json, shutil, sys
from pathlib import Path
shutil.copytree(sys.argv[1], sys.argv[2], symlinks=True)
shutil.rmtree(Path(sys.argv[2]) / "fixtures" / "sinks")
from rpent.errors import RpentError
from rpent_robot_robocasa.config import EnvServerConfig
from rpent_robot_robocasa.server.create import create
try:
    create(EnvServerConfig(assets=sys.argv[2]))
except RpentError as error:
    print(json.dumps({"kind": type(error).__name__, "message": error.message, "hint": error.hint}))
"""
