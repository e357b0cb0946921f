"""A seed is one scene, whatever ran before and in whatever process."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.sim

BUILD = """
import json, sys, zlib
from pathlib import Path
from rpent_robot_robocasa.catalog import find_task
from rpent_robot_robocasa.server.kitchen import import_simulator
import_simulator(Path(sys.argv[1]))
from rpent_robot_robocasa.server.kitchen import Kitchen
from rpent_robot_robocasa.kitchens import Choice
scenes = []
for name, seed in json.loads(sys.argv[2]):
    kitchen = Kitchen(find_task(name), Choice(split="target"), seed, Path(sys.argv[1]))
    scenes.append([kitchen.layout, kitchen.style, kitchen.instruction, zlib.crc32(kitchen.data.qpos.tobytes())])
    kitchen.close()
print(json.dumps(scenes))
"""


def test_a_seed_is_the_same_scene_after_other_tasks_and_in_another_process(run_in_kitchen):
    import json

    kettle, sink = ["OpenElectricKettleLid", 3], ["PickPlaceCounterToSink", 1]
    one = run_in_kitchen(BUILD, json.dumps([kettle, sink, ["PickPlaceCounterToSink", 2], sink, kettle]))
    assert one[0] == one[4]
    assert one[1] == one[3] != one[2]
    other = run_in_kitchen(BUILD, json.dumps([sink, kettle]))
    assert other == [one[1], one[0]]


def test_a_seed_given_to_reset_is_the_scene_of_an_env_started_with_it(make_env):
    env = make_env(seed=1)
    first, about = env.snapshot(), env.describe()
    env.channel.call("reset", task_name="TurnOnSinkFaucet", seed=4)
    assert env.describe()["task_name"] == "TurnOnSinkFaucet"
    env.channel.call("reset", task_name="StartCoffeeMachine", seed=1)
    assert env.describe() == about
    assert env.snapshot() == first


def test_a_reset_keeps_what_is_not_named(make_env):
    env = make_env(layout=3)
    assert (env.describe()["layout"], env.describe()["style"]) == (3, 3)
    env.reset(seed=5)
    about = env.describe()
    assert (about["seed"], about["layout"], about["asked"]) == (5, 3, {"layout": 3, "style": None})
    env.channel.call("reset", layout=None)
    assert env.describe()["asked"]["layout"] is None
