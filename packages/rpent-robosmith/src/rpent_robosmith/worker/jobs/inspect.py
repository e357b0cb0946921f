"""The job that makes an environment, steps it, and says what it is."""

from __future__ import annotations

import sys
import time
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.errors import UsageError

from rpent_robosmith.catalog.entry import EnvEntry
from rpent_robosmith.facts import EnvFacts
from rpent_robosmith.worker.control import action_parts, control_rate_hz
from rpent_robosmith.worker.making import make_env, max_episode_steps
from rpent_robosmith.worker.measuring import Meter
from rpent_robosmith.worker.naming import action_numbers, observation_numbers
from rpent_robosmith.worker.spaces import space_facts
from rpent_robosmith.worker.walking import Walk, walk

if TYPE_CHECKING:
    from collections.abc import Mapping

    import gymnasium

    from rpent_robosmith.worker.api import JobContext

STEPS = 200
"""Of an episode that are taken at most."""
_VERSIONED = {
    "gymnasium": "gymnasium",
    "gymnasium_robotics": "gymnasium-robotics",
    "mujoco": "mujoco",
    "Box2D": "box2d",
    "robosuite": "robosuite",
    "numpy": "numpy",
}
"""Module → distribution whose version says something where the module was used."""


def run(params: Mapping[str, Any], context: JobContext) -> dict[str, Any]:
    """Inspect one environment.

    Args:
        params: `entry`, the catalog entry as plain data; `seed`.
        context: Told how far it is.

    Returns:
        `facts` (an `EnvFacts` as plain data), `problem` (why its success cannot be judged, or nothing), `steps_per_s`.

    Raises:
        UsageError: It cannot be made, or a space is of no known kind.
    """
    entry = EnvEntry.model_validate(params["entry"])
    seed = int(params.get("seed", 0))
    context.tell("progress", label="make", done=0.0, total=1.0)
    facts, problem, rate = inspect(entry, seed)
    context.tell("progress", label="inspect", done=1.0, total=1.0)
    return {"facts": facts.model_dump(mode="json"), "problem": problem, "steps_per_s": rate}


def inspect(entry: EnvEntry, seed: int = 0) -> tuple[EnvFacts, str, float]:
    """Return the facts of an environment, why its success cannot be judged, and control steps a second."""
    env = make_env(entry)
    try:
        started = time.perf_counter()
        first = walk(env, seed, STEPS)
        rate = len(first.rewards) / max(time.perf_counter() - started, 1e-9)
        again = walk(env, seed, STEPS)
        fresh = _in_a_fresh_one(entry, seed)
        same = first.same(again) and first.same(fresh)
        return _facts(env, entry, first, same), _problem(entry, first), rate
    finally:
        env.close()


def _in_a_fresh_one(entry: EnvEntry, seed: int) -> Walk:
    env = make_env(entry)
    try:
        return walk(env, seed, STEPS)
    finally:
        env.close()


def _facts(env: gymnasium.Env[Any, Any], entry: EnvEntry, seen: Walk, same: bool) -> EnvFacts:
    observation, action = space_facts(env.observation_space), space_facts(env.action_space)
    signals = {entry.success.signal} if entry.success.signal else {"is_success", "success"}
    return EnvFacts(
        entry=entry.id,
        env_id=entry.env_id,
        adapter=entry.adapter,
        observation=observation,
        action=action,
        observation_numbers=observation_numbers(env, entry, observation),
        action_numbers=action_numbers(env, entry, action),
        action_parts=action_parts(env),
        max_episode_steps=max_episode_steps(env),
        control_rate_hz=control_rate_hz(env),
        render_modes=tuple(str(mode) for mode in env.metadata.get("render_modes", ())),
        reward_range=(min(seen.rewards), max(seen.rewards)),
        info_keys=seen.info_keys,
        has_success_signal=bool(signals.intersection(seen.info_keys)),
        deterministic=same,
        versions=versions(),
        notes=tuple(_notes(env, seen)),
    )


def _notes(env: gymnasium.Env[Any, Any], seen: Walk) -> list[str]:
    notes = []
    if seen.strays:
        notes.append(f"{seen.strays} observations were outside of the observation space.")
    if not all(np.isfinite(seen.rewards)):
        notes.append("A reward was not finite.")
    if max_episode_steps(env) is None:
        notes.append("No step limit: an episode may never end.")
    return notes


def _problem(entry: EnvEntry, seen: Walk) -> str:
    """Return why the entry's measures or success do not fit its environment."""
    meter = Meter(entry)
    try:
        for step in seen.steps:
            meter.step(step.observation, step.action, step.reward, step.info)
        meter.success(terminated=False)
    except UsageError as error:
        return error.message
    return ""


def versions() -> dict[str, str]:
    """Return the versions of the frameworks that were imported."""
    found = {}
    for module, distribution in _VERSIONED.items():
        if module in sys.modules:
            try:
                found[distribution] = version(distribution)
            except PackageNotFoundError:
                found[distribution] = "unknown"
    return found
