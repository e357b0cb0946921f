"""Synthesised scenes through the contract, and what their physics must be."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest
import yaml
from rpent.errors import UsageError
from rpent_robosmith.synthesis.entry import scene_entry
from rpent_robosmith.testing.env_adapter_contract import EnvAdapterContract

mujoco = pytest.importorskip("mujoco")

from rpent_robosmith.worker.adapters.mjcf import MjcfAdapter  # noqa: E402

EXAMPLE = Path(__file__).parents[3] / "examples" / "arm-reach.yaml"
FALLING = {
    "name": "falling",
    "timestep_s": 0.002,
    "frame_skip": 5,
    "max_episode_steps": 80,
    "bodies": [
        {
            "name": "ball",
            "position_m": [0, 0, 2],
            "joints": [{"name": "loose", "kind": "free"}],
            "shapes": [{"kind": "sphere", "size_m": [0.1], "mass_kg": 1}],
        },
        {
            "name": "lever",
            "position_m": [1, 0, 0.5],
            "joints": [{"name": "hinge"}],
            "shapes": [{"kind": "box", "size_m": [0.1, 0.02, 0.02]}],
        },
    ],
    "actuators": [{"name": "push", "joint": "hinge"}],
    "observations": {
        "ball": {"kind": "position", "of": "ball"},
        "speed": {"kind": "velocity", "of": "ball"},
        "landed": {"kind": "touch", "of": "ball", "minus": "world"},
        "up": {"kind": "direction", "of": "lever"},
    },
    "ends": [{"observation": "ball", "index": 2, "at_least": 0.15}],
    "measures": {
        "height": {"quantity": {"key": "ball", "index": [2]}, "reduce": "min", "better": "lower"},
    },
    "success": {"measure": "height", "at_most": 0.2},
    "progress": "height",
}


def example():
    return deepcopy(yaml.safe_load(EXAMPLE.read_text(encoding="utf-8")))


class TestScene(EnvAdapterContract):
    renders = False  # drawn in the environment `robosmith`, see test_inside

    @pytest.fixture
    def adapter(self):
        return MjcfAdapter()

    @pytest.fixture
    def entry(self):
        return scene_entry(example())

    def test_an_unknown_environment_is_one_sentence(self):
        """A scene's name is whatever its author called it."""


def made(data):
    return MjcfAdapter().make(scene_entry(data))


def test_a_ball_falls_as_it_should():
    env = made(FALLING)
    start, _ = env.reset(seed=0)
    for _ in range(20):
        seen, *_ = env.step(np.zeros(1, dtype=np.float32))
    fallen_s = 20 * 5 * 0.002
    assert start["ball"][2] == pytest.approx(2.0)
    assert seen["speed"][2] == pytest.approx(-9.81 * fallen_s, rel=1e-6)
    assert seen["ball"][2] == pytest.approx(2.0 - 9.81 / 2 * fallen_s**2, abs=0.01)


def test_an_episode_ends_where_the_scene_says_so_and_touch_is_felt():
    env = made(FALLING)
    env.reset(seed=0)
    steps = [env.step(np.zeros(1, dtype=np.float32)) for _ in range(75)]
    touched = [bool(seen["landed"][0]) for seen, *_ in steps]
    ended = [terminated for _, _, terminated, _, _ in steps]
    heights = [seen["ball"][2] for seen, *_ in steps]
    assert [height < 0.15 for height in heights] == ended
    assert any(ended)
    assert not touched[0]
    assert any(touched)


def test_the_reward_is_the_measure_of_progress_with_its_sign():
    env = made(example())
    env.reset(seed=1)
    seen, reward, *_ = env.step(np.array([1.0, -1.0], dtype=np.float32))
    assert reward == -np.linalg.norm(seen["tip_to_target"])


def test_places_agree_with_the_geometry_of_the_arm():
    env = made(example())
    seen, _ = env.reset(seed=5)
    shoulder, elbow = seen["joints"]
    reach = 0.2 * np.array([np.cos(shoulder), np.sin(shoulder)])
    reach = reach + 0.2 * np.array([np.cos(shoulder + elbow), np.sin(shoulder + elbow)])
    np.testing.assert_allclose(seen["tip"], [*reach, 0.22], atol=1e-9)


def test_goals_are_drawn_from_their_box_and_differ():
    env = made(example())
    goals = [env.reset(seed=seed)[0] for seed in range(8)]
    places = np.array([seen["tip"] + seen["tip_to_target"] for seen in goals])
    assert np.all(places >= np.array([0.1, -0.25, 0.22]) - 1e-9)
    assert np.all(places <= np.array([0.25, 0.25, 0.22]) + 1e-9)
    assert len({tuple(place) for place in places}) == 8


def test_actions_beyond_their_bounds_are_clipped():
    env = made(example())
    env.reset(seed=0)
    far, *_ = env.step(np.array([50.0, -50.0], dtype=np.float32))
    env.reset(seed=0)
    full, *_ = env.step(np.array([1.0, -1.0], dtype=np.float32))
    np.testing.assert_array_equal(far["speeds"], full["speeds"])


def test_a_simulation_that_blows_up_is_an_error_and_not_a_silent_reset():
    data = example()
    data["actuators"][0]["strength"] = 9999.0
    data["bodies"][1]["joints"][0] |= {"armature": 0.0, "damping": 0.0}
    data["bodies"][1]["shapes"][0]["mass_kg"] = 1e-6
    data["bodies"][2]["shapes"][0]["mass_kg"] = 1e-6
    data["bodies"][2]["joints"][0] |= {"armature": 0.0, "damping": 0.0}
    env = made(data)
    env.reset(seed=0)
    actions = [np.array([1.0, 1.0], dtype=np.float32)] * 50
    with pytest.raises(FloatingPointError, match="has become unstable"):
        list(map(env.step, actions))


def test_what_mujoco_does_not_compile_is_one_sentence():
    data = example()
    data["bodies"][1]["shapes"][0] = {"kind": "sphere", "size_m": [1e-9]}
    with pytest.raises(UsageError, match="MuJoCo does not compile the scene `arm_reach`"):
        made(data)


def test_an_end_that_names_a_number_that_is_not_there_is_refused():
    data = {**example(), "ends": [{"observation": "tip", "index": 3, "at_most": 1.0}]}
    with pytest.raises(UsageError, match="names number 3 of `tip`, which has 3"):
        made(data)
