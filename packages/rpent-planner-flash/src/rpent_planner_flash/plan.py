"""Goals with grounded things → tool calls, made of names and coordinates that were seen in the scene."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rpent_planner_flash.goals import (
    SIDE_RELATIONS,
    Adjust,
    Open,
    Operation,
    Place,
    Press,
    Push,
    Reference,
    Slide,
    Swing,
    Turn,
)
from rpent_planner_flash.scene import prompts

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from rpent_planner_flash.relations import View
    from rpent_planner_flash.scene import Candidate

GAP_M = 0.04
"""Free space that is left between things that are put or pushed beside one another."""
STRATEGIES = ("auto", "auto", "auto", "rim", "auto", "top")
"""What the grasps of successive attempts are asked for; the toolkit varies yaw and spot by `attempt`."""
TOOL_RELATIONS = {"front_of": "in_front_of"}
"""Where the tools' word for a relation differs from the grammar's."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call to make."""

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)


CLOSE_HAND = ToolCall("set_gripper", {"gripper": "close"})
"""Takes hold of what is wedged between open fingers, so that it can be put down again."""


RETRACT = ToolCall("retract")
"""Draws the hand back, so that it hides nothing and counts as away from what was let go."""


def named(reference: Reference, candidate: Candidate) -> dict[str, Any]:
    """Return the arguments that name one particular thing to a tool."""
    arguments: dict[str, Any] = {"target": prompts(reference)[0]}
    if candidate.id:
        arguments["segment_id"] = candidate.id
    return arguments


def approach(reference: Reference, candidate: Candidate) -> ToolCall:
    """Drive to a thing."""
    arguments = named(reference, candidate)
    if "segment_id" in arguments:
        del arguments["target"]  # one of them says it
    return ToolCall("navigate_to", arguments)


def grasp(reference: Reference, candidate: Candidate, attempt: int) -> ToolCall:
    """Grasp a thing; each further attempt takes another grasp."""
    strategy = STRATEGIES[min(attempt, len(STRATEGIES) - 1)]
    return ToolCall("grasp", {**named(reference, candidate), "strategy": strategy, "attempt": attempt})


def place(goal: Place, target: Candidate, view: View | None) -> ToolCall:
    """Put what is held into the goal's relation to the target."""
    if goal.relation in ("between", "center"):
        return ToolCall("place", {"position": [*map(float, target.xy), float(target.top)]})
    if goal.target.noun == "compartment" and view is not None:
        return ToolCall(
            "place", {"relation": "in", "position": compartment(goal.target, target, view).tolist()}
        )
    arguments = named(goal.target, target)
    arguments["on"] = arguments.pop("target")
    return ToolCall("place", {**arguments, "relation": TOOL_RELATIONS.get(goal.relation, goal.relation)})


def compartment(reference: Reference, whole: Candidate, view: View) -> NDArray[np.float64]:
    """Return the middle (3,) of a part of a container, a third of its extent off its own middle."""
    spot = np.array([*whole.xy, whole.top])
    for side in reference.sides:
        if side != "middle":
            direction = view.direction(SIDE_RELATIONS[side])
            spot[:2] += direction * float(np.abs(direction) @ whole.size[:2]) / 3
    return spot


def push(goal: Push, thing: Candidate, target: Candidate, view: View) -> ToolCall:
    """Slide a thing until it stands beside the target, touching nothing."""
    direction = view.direction(goal.relation)
    reach = float(np.abs(direction) @ (thing.size[:2] + target.size[:2])) / 2
    way = target.xy + direction * (reach + GAP_M) - thing.xy
    distance = float(np.linalg.norm(way))
    arguments = {**named(goal.item, thing), "distance_m": distance}
    return ToolCall("push", {**arguments, "direction": [*(float(v) / max(distance, 1e-6) for v in way), 0.0]})


def operate(goal: Operation, thing: Candidate, view_of: Callable[[], View]) -> ToolCall:
    """Operate a thing with the tools of a robot at a table: turn its knob, pull it open, push it."""
    arguments = named(goal.item, thing)
    if isinstance(goal, Turn):
        return ToolCall("turn", {**arguments, "direction": goal.state})
    if isinstance(goal, Adjust):
        return ToolCall("turn", {**arguments, "direction": "on" if goal.level in ("up", "hot") else "off"})
    if isinstance(goal, Swing):
        direction = view_of().direction(SIDE_RELATIONS[goal.side])
        return ToolCall("push", {**arguments, "direction": [*map(float, direction), 0.0]})
    if isinstance(goal, Press):
        return ToolCall("push", {**arguments, "direction": [0.0, 0.0, -1.0]})
    pulls = isinstance(goal, Open) or (isinstance(goal, Slide) and goal.way == "out")
    return ToolCall("pull" if pulls else "push", arguments)
