"""What the perceptor finds in the pictures of kitchens, at the start of tasks."""

from __future__ import annotations

import numpy as np
import pytest
from rpent.perception import PerceptorContext
from rpent_robot_robocasa.perception import RobocasaPerceptor

pytestmark = pytest.mark.sim

CAMERAS = ("agentview_left", "agentview_right", "wrist")


def largest(env, prompt: str) -> dict[str, int]:
    """Return the pixels of the best segment in each camera that shows one."""
    perceptor = RobocasaPerceptor(PerceptorContext(channels={"env": env.channel}))
    observation = env.observe(cameras=list(CAMERAS), size=256)
    found = {camera: perceptor.segment(observation, camera, prompt=prompt) for camera in CAMERAS}
    return {camera: int(segments[0].mask.sum()) for camera, segments in found.items() if segments}


@pytest.mark.parametrize(
    ("task", "prompts"),
    [
        ("TurnOnSinkFaucet", ("faucet handle", "spout of the sink", "sink basin", "the sink")),
        ("TurnOnStove", ("front left knob of the stove", "knob of the rear right burner", "burner")),
        ("TurnOnMicrowave", ("start button of the microwave", "stop button", "handle of the microwave door")),
    ],
)
def test_the_controls_of_a_task_are_seen_from_its_start(
    make_env, task: str, prompts: tuple[str, ...]
) -> None:
    env = make_env(task_name=task, seed=0)
    for prompt in prompts:
        seen = largest(env, prompt)
        assert seen, prompt
        assert max(seen.values()) > 15, (prompt, seen)


def test_the_basin_is_a_part_of_the_sink(make_env) -> None:
    env = make_env(task_name="TurnOnSinkFaucet", seed=0)
    answer = env.channel.call("instances", camera="wrist", size=256)
    seen = {answer["labels"][number] for number in np.unique(answer["index"])}
    assert any(label.startswith("sink_1/") and label.endswith("basin") for label in seen)


def test_the_hidden_marks_of_the_hand_cover_nothing(coffee_env) -> None:
    answer = coffee_env.channel.call("instances", camera="wrist", size=256)
    assert "" not in {answer["labels"][number] for number in np.unique(answer["index"])}
