"""Snapshots hold all that decides what happens next: physics, controllers, and what the simulator keeps in Python."""

from __future__ import annotations

import numpy as np
import pytest
from rpent.env.client import EnvClient
from rpent.errors import RpentError
from rpent_manipulation.env.archive import pack, unpack

pytestmark = pytest.mark.sim

FORMAT = 1

TASKS = (
    "OpenDrawer",
    "OpenMicrowave",
    "StartCoffeeMachine",
    "TurnOnElectricKettle",
    "TurnOnToaster",
    "PickPlaceCounterToSink",
    "CoolKettle",
)
"""A slide and a hinge; a latched button; timers and cooldowns of two machines; a free object; a task that counts."""


def some_actions(count: int) -> np.ndarray:
    """Motions of all parts, in both control modes."""
    actions = np.random.default_rng(7).uniform(-1.0, 1.0, (count, 12)) * 0.6
    actions[:, 11] = np.sign(actions[:, 11])
    return actions


@pytest.mark.parametrize("task", TASKS)
def test_the_same_actions_lead_to_the_same_bytes(make_env, task: str):
    env = make_env(task_name=task, seed=2)
    actions = some_actions(24)
    env.chunk_step(actions[:8])
    saved = env.snapshot()
    env.chunk_step(actions[8:])
    there = env.snapshot()
    assert there != saved
    env.restore(saved)
    assert env.snapshot() == saved
    env.chunk_step(actions[8:])
    assert env.snapshot() == there


def test_a_snapshot_of_another_kitchen_brings_that_kitchen_back(make_env):
    env = make_env(task_name="TurnOnElectricKettle", seed=2)
    actions = some_actions(16)
    env.chunk_step(actions[:6])
    saved, about = env.snapshot(), env.describe()
    env.chunk_step(actions[6:])
    there = env.snapshot()
    make_env(task_name="StartCoffeeMachine", seed=0)
    restored = env.restore(saved)
    assert restored.step == 6
    assert env.describe() == about
    env.chunk_step(actions[6:])
    assert env.snapshot() == there


def test_what_a_button_latched_is_in_the_snapshot(coffee_env: EnvClient, run_in_kitchen):
    """The machine is on before, off after a reset, and on again: nothing in the physics says so."""
    answer = run_in_kitchen(LATCH)
    assert answer == {"before": False, "on": True, "after_restore_of_off": False, "after_restore_of_on": True}


LATCH = """
import json, sys
from pathlib import Path
from rpent_robot_robocasa.catalog import find_task
from rpent_robot_robocasa.server.kitchen import import_simulator
import_simulator(Path(sys.argv[1]))
from rpent_robot_robocasa.server.episode import Episode
from rpent_robot_robocasa.server.kitchen import Kitchen
from rpent_robot_robocasa.kitchens import Choice
from rpent_robot_robocasa.server.snapshot import Snapshots
kitchen = Kitchen(find_task("StartCoffeeMachine"), Choice(split="target"), 0, Path(sys.argv[1]))
episode = Episode(kitchen, max_steps=None)
snapshots = Snapshots(kitchen)
machine = kitchen.env.coffee_machine
answer = {"before": machine.get_state()["turned_on"]}
off = snapshots.save(episode)
machine._turned_on = True
episode.lift(0.0, 0.0)
on = snapshots.save(episode)
answer["on"] = machine.get_state()["turned_on"]
colours = kitchen.model.site_rgba.copy()
snapshots.load(episode, off)
answer["after_restore_of_off"] = machine.get_state()["turned_on"]
assert (kitchen.model.site_rgba != colours).any(), "the coffee does not flow any more"
snapshots.load(episode, on)
answer["after_restore_of_on"] = machine.get_state()["turned_on"]
assert (kitchen.model.site_rgba == colours).all()
print(json.dumps(answer))
"""


def test_a_cut_snapshot_is_refused(coffee_env: EnvClient):
    saved = coffee_env.snapshot()
    with pytest.raises(RpentError, match="not a snapshot"):
        coffee_env.restore(saved[: len(saved) // 2])
    assert coffee_env.observe().step == 0


@pytest.mark.parametrize(
    ("forged", "why"),
    [
        ({"changed": {"task|step": "nothing"}, "gone": [], "same": []}, "no plain state"),
        ({"changed": {"task|sim": None, "task|robots": 3}, "gone": [], "same": []}, "no plain state"),
        ({"changed": {"somebody|x": 1}, "gone": [], "same": []}, "not a snapshot"),
        (None, "not a snapshot"),
    ],
)
def test_a_forged_snapshot_changes_nothing(coffee_env: EnvClient, forged: object, why: str):
    saved = coffee_env.snapshot()
    header, arrays = unpack(saved, version=FORMAT)
    with pytest.raises(RpentError, match=why):
        coffee_env.restore(pack({**header, "python": forged}, arrays))
    for name in ("body_parentid", "site_rgba"):
        with pytest.raises(RpentError, match=name):
            coffee_env.restore(pack(header, {**arrays, f"model.{name}": np.full(3, 10**6)}))
    for key, value in (("steps", -1), ("layout", 99), ("split", "mine"), ("task", "Nothing"), ("random", {})):
        with pytest.raises(RpentError):
            coffee_env.restore(pack({**header, key: value}, arrays))
    assert coffee_env.snapshot() == saved
