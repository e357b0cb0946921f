"""Repeats a demonstration in its own env server, exactly or pushed off its way, and looks at it meanwhile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from rpent.errors import PolicyError
from rpent.policies.observe import state_fields

from rpent_policy_bc.frames import Frames

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rpent.env.types import Observation
    from rpent.policies.adapter import Adapter
    from rpent.policies.embodiment import Embodiment

    from rpent_policy_bc.demonstrations import Demonstration
    from rpent_policy_bc.frames import View
    from rpent_policy_bc.simulation import Simulation

PUSH_STEPS = (3, 6)
"""How long a push lasts: at least, and below."""
PAUSE_STEPS = (10, 18)
"""How long the hand then has to find back."""
CALM_STEPS = 5
"""Before the gripper moves there is no push any more."""
EXACT_M = 0.002
"""An exact repetition ends where the demonstration did; runs round positions."""
SAME_END_M = 0.02
SAME_OPENING_M = 0.005
"""A pushed repetition counts when it ends as the demonstration did."""
NOTHING = Frames(images={}, state={}, at=np.zeros(0, np.int64), actions=np.zeros((0, 0)))


@dataclass(frozen=True, slots=True)
class Axis:
    """The part of an action that displaces a part of the state: what a push goes along, and is corrected with."""

    action: slice
    state: str
    scale: float
    """What one unit of the action displaces, in the state's unit."""


@dataclass(frozen=True, slots=True)
class Trace:
    """Where the exact repetition was before each control step, and at its end."""

    positions: NDArray[np.float64]
    """(T + 1, 3)."""
    opening_m: float


class Repeater:
    """Repeats demonstrations of one robot."""

    def __init__(self, simulation: Simulation, adapter: Adapter, embodiment: Embodiment, view: View) -> None:
        self._simulation, self._env = simulation, simulation.env
        self._adapter, self._view = adapter, view
        self._fields = tuple(adapter.state_fields())
        self._cameras = adapter.cameras()
        self._axis = displacement(embodiment)

    def exactly(self, demonstration: Demonstration) -> tuple[Frames, Trace]:
        """Repeat the recorded actions.

        Raises:
            PolicyError: They do not lead where they led when they were recorded.
        """
        actions = np.concatenate([demonstration.actions, demonstration.following])
        looks = _Looks(self)
        observation = self._simulation.restore(demonstration.snapshot)
        positions, opening = [observation.eef_position], observation.gripper_opening_m
        for step, action in enumerate(actions):
            looks.take(step)
            observation = self._env.step(action)
            positions.append(observation.eef_position)
            if step + 1 == len(demonstration.actions):
                opening = observation.gripper_opening_m
                _check_end(demonstration, observation)
            if observation.episode_over:
                actions = actions[: step + 1]
                break
        return looks.frames(actions), Trace(np.array(positions), opening)

    def pushed(self, demonstration: Demonstration, trace: Trace, repetition: int) -> Frames:
        """Repeat them with pushes; the action to learn aims at the recorded controller goal from where the hand is.

        It is the noise injection of DART (Laskey et al., 2017): what is executed is disturbed, what is learned is not.

        Returns:
            No frames where it came out otherwise than the demonstration.
        """
        axis = self._axis
        if axis is None:
            raise PolicyError("This robot's actions say nothing of what they displace; use `--perturbed 0`.")
        actions = np.concatenate([demonstration.actions, demonstration.following])
        pushes = self._pushes(actions, repetition, demonstration)
        looks, learned = _Looks(self, offset=repetition % self._view.every), []
        observation = self._simulation.restore(demonstration.snapshot)
        for step, recorded in enumerate(actions[: len(trace.positions) - 1]):
            looks.take(step)
            action = recorded.copy()
            action[axis.action] += (trace.positions[step] - observation.eef_position) / axis.scale
            action[axis.action] /= max(1.0, float(np.linalg.norm(action[axis.action])))
            learned.append(action)
            executed = action.copy()
            executed[axis.action] += pushes[step]
            observation = self._env.step(executed)
            if step + 1 == len(demonstration.actions) and not _same(observation, trace, step + 1):
                return NOTHING
            if observation.episode_over:
                break
        return looks.frames(np.array(learned))

    def look(self) -> tuple[dict[str, NDArray[np.uint8]], dict[str, NDArray[np.float32]]]:
        """Return pictures and state as the policy server would pass them to the policy."""
        observation = self._env.observe(list(self._cameras), size=self._cameras)
        state = state_fields(observation, self._fields)
        return self._adapter.request_parts({"images": observation.images, "state": state})

    def _pushes(
        self, actions: NDArray[np.float64], repetition: int, demonstration: Demonstration
    ) -> NDArray[np.float64]:
        """Return (T, 3) displacements: some pushes until shortly before the first column that switches does so."""
        seed = [repetition, *demonstration.snapshot[-64:], len(actions)]
        random = np.random.default_rng(seed)
        pushes = np.zeros((len(actions), 3))
        moves = np.flatnonzero(actions[: len(demonstration.actions), -1])
        calm = (int(moves[0]) if len(moves) else len(demonstration.actions)) - CALM_STEPS
        step = int(random.integers(0, 6))
        while step < calm:
            length = int(random.integers(*PUSH_STEPS))
            direction = random.normal(size=3)
            direction *= self._view.noise * random.uniform(0.4, 1.0) / np.linalg.norm(direction)
            pushes[step : min(step + length, calm)] = direction
            step += length + int(random.integers(*PAUSE_STEPS))
        return pushes


class _Looks:
    """Collects what is seen on the way."""

    def __init__(self, repeater: Repeater, *, offset: int = 0) -> None:
        self._repeater, self._offset = repeater, offset
        self._seen: list[tuple[int, dict[str, NDArray[np.uint8]], dict[str, NDArray[np.float32]]]] = []

    def take(self, step: int) -> None:
        if step % self._repeater._view.every == self._offset:
            self._seen.append((step, *self._repeater.look()))

    def frames(self, actions: NDArray[np.float64]) -> Frames:
        first_images, first_state = self._seen[0][1:]
        return Frames(
            images={name: np.stack([images[name] for _, images, _ in self._seen]) for name in first_images},
            state={name: np.stack([state[name] for _, _, state in self._seen]) for name in first_state},
            at=np.array([step for step, _, _ in self._seen]),
            actions=actions,
        )


def displacement(embodiment: Embodiment) -> Axis | None:
    """Return the part of the action that displaces `eef_position`, where the robot says what one unit of it means."""
    start = 0
    for name, field in embodiment.action.items():
        if name == "eef_position_delta" and field.unit is not None:
            return Axis(slice(start, start + field.length), "eef_position", field.unit)
        start += field.length
    return None


def _check_end(demonstration: Demonstration, observation: Observation) -> None:
    if demonstration.ended_at is None or len(demonstration.ended_at) != len(observation.eef_position):
        return
    away = float(np.linalg.norm(observation.eef_position - np.array(demonstration.ended_at)))
    if away > EXACT_M:
        raise PolicyError(
            f"The actions of {demonstration.name} do not lead where they led when they were recorded: "
            f"the hand is {away:.3f} m away.",
            hint="The simulator must be of the version that recorded them; else record the run anew.",
        )


def _same(observation: Observation, trace: Trace, step: int) -> bool:
    away = float(np.linalg.norm(observation.eef_position - trace.positions[step]))
    return away < SAME_END_M and abs(observation.gripper_opening_m - trace.opening_m) < SAME_OPENING_M
