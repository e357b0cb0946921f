"""Tools over perceptors that find nothing, everything, or noise: a readable answer, whatever the masks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from rpent.cancel import CancelToken
from rpent.errors import ToolError
from rpent.perception import PerceptorContext, Segment
from rpent.robot import TaskSetup, ToolContext

pytestmark = pytest.mark.sim

CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("segment", {"prompt": "salad dressing"}),
    ("segment", {"point": [100, 120]}),
    ("segment", {"prompt": "robot", "camera": "wrist"}),
    ("grasp", {"target": "salad dressing"}),
    ("push", {"target": "salad dressing", "distance_m": 0.03}),
    ("pull", {"target": "top drawer", "distance_m": 0.03}),
    ("turn", {"target": "knob"}),
    ("place", {"on": "basket", "relation": "in"}),
    ("view_env_state", {}),
)


class Masks:
    """A perceptor that answers any question with the same masks."""

    def __init__(self, make, *, robot=True):
        self.make = make
        self.robot = robot
        self.asked = 0

    def segment(self, observation, camera, *, prompt=None, point=None, min_score=0.2, max_candidates=8):
        self.asked += 1
        if prompt == "robot" and not self.robot:
            return []
        shape = observation.images[camera].shape[:2]
        found = []
        for mask in self.make(shape, np.random.default_rng(self.asked)):
            rows, columns = np.nonzero(mask)
            box = (int(rows.min()), int(columns.min()), int(rows.max()), int(columns.max()))
            found.append(Segment(label=prompt or "object", score=0.5, mask=mask, box=box))
        return found[:max_candidates]


def nothing(shape, random):
    return []


def everything(shape, random):
    return [np.ones(shape, dtype=bool)]


def speckle(shape, random):
    return [random.random(shape) > share for share in (0.5, 0.9, 0.999)]


def one_pixel(shape, random):
    mask = np.zeros(shape, dtype=bool)
    mask[tuple(random.integers(0, shape))] = True
    return [mask]


def patches(shape, random):
    found = []
    for _ in range(3):
        mask = np.zeros(shape, dtype=bool)
        row, column = random.integers(20, 200, 2)
        mask[row : row + 30, column : column + 30] = True
        found.append(mask)
    return found


def build(env, perceptor, tmp_path):
    from rpent_robot_libero.toolkit import LiberoToolkit

    return LiberoToolkit(
        ToolContext(
            setup=TaskSetup(instruction="", tag="test", seed=0),
            channels={"env": env.channel},
            run_dir=tmp_path,
            cancel=CancelToken,
            progress=lambda _: None,
            perceptor=perceptor,
        )
    )


def call(toolkit, name, arguments):
    """Call a tool; whatever it is given to see, it answers or says why not."""
    tools = {tool.name: tool for tool in toolkit.tools()}
    try:
        answer = tools[name].handler(**arguments)
    except ToolError:
        return None
    assert answer.data
    return answer.data


@pytest.mark.parametrize("robot", [True, False])
@pytest.mark.parametrize("make", [nothing, everything, speckle, one_pixel, patches])
def test_no_mask_breaks_a_tool(fresh, tmp_path, make, robot):
    toolkit = build(fresh, Masks(make, robot=robot), tmp_path)
    for name, arguments in CALLS:
        call(toolkit, name, arguments)


@pytest.mark.parametrize("make", [nothing, everything, speckle, patches])
def test_no_mask_breaks_what_is_done_with_a_held_thing(fresh, tmp_path, make):
    from rpent_robot_libero.perception import LiberoPerceptor

    toolkit = build(fresh, LiberoPerceptor(PerceptorContext(channels={"env": fresh.channel})), tmp_path)
    assert call(toolkit, "grasp", {"target": "salad dressing"})["held"]
    toolkit.world.perceptor = Masks(make)
    call(toolkit, "place", {"on": "basket", "relation": "in"})
    call(toolkit, "release", {})
