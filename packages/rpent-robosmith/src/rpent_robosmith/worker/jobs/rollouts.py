"""The job that evaluates: seeded episodes of a policy from its files, or of one that knows nothing.

It is not sealed, since nothing untrusted runs here: a policy is numbers, and reward code never comes near.
Messages: `progress` (episodes done, of how many) and `episode` (its record).
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from rpent_robosmith.catalog.entry import EnvEntry
from rpent_robosmith.evaluation.baselines import RandomPolicy, ZeroPolicy
from rpent_robosmith.policy.files import read_policy
from rpent_robosmith.training.packing import unpack
from rpent_robosmith.worker.episodes import run_episode
from rpent_robosmith.worker.making import make_env
from rpent_robosmith.worker.policies import policy_function
from rpent_robosmith.worker.spaces import space_facts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import gymnasium

    from rpent_robosmith.reports import EpisodeRecord
    from rpent_robosmith.worker.api import JobContext, PolicyFunction
    from rpent_robosmith.worker.episodes import Step

_TOLD_EVERY_S = 1.0


def run(params: Mapping[str, Any], context: JobContext) -> dict[str, Any]:
    """Evaluate one policy.

    Args:
        params: `entry` (a catalog entry as plain data), `policy` (`random`, `zero`, a policy's folder, or a policy as
            plain data, see `training.packing`), `seeds`.
        context: Hears of each episode.

    Returns:
        `episodes`: an `EpisodeRecord` as plain data for each seed, in their order.

    Raises:
        UsageError: The environment cannot be made, or its measures do not fit it.
        PolicyError: The policy is missing or damaged.
    """
    entry = EnvEntry.model_validate(params["entry"])
    context.tell("progress", done=0.0, total=float(len(params["seeds"])))
    env = make_env(entry)
    try:
        policy = policy_named(params["policy"], env)
        episodes = rollouts(env, policy, entry, params["seeds"], context)
    finally:
        env.close()
    return {"episodes": [episode.model_dump(mode="json") for episode in episodes]}


def rollouts(
    env: gymnasium.Env[Any, Any],
    policy: PolicyFunction,
    entry: EnvEntry,
    seeds: Sequence[int],
    context: JobContext,
) -> list[EpisodeRecord]:
    """Return an episode for each seed; the owner hears at least every second or so."""
    told = time.monotonic()

    def watch(_: Step) -> None:
        nonlocal told
        now = time.monotonic()
        if now - told >= _TOLD_EVERY_S:
            told = now
            context.tell("progress", done=float(len(episodes)), total=float(len(seeds)))

    episodes: list[EpisodeRecord] = []
    for seed in seeds:
        episode = run_episode(env, policy, entry, int(seed), watch=watch)
        episodes.append(episode)
        context.tell("episode", record=episode.model_dump(mode="json"))
        context.tell("progress", done=float(len(episodes)), total=float(len(seeds)))
    return episodes


def policy_named(name: str | Mapping[str, Any], env: gymnasium.Env[Any, Any]) -> PolicyFunction:
    """Return `random`, `zero`, the policy in a folder, or one that came as plain data.

    Raises:
        PolicyError: The policy is missing or damaged.
    """
    if not isinstance(name, str):
        return policy_function(unpack(name))
    if name == "random":
        return RandomPolicy(space_facts(env.action_space))
    if name == "zero":
        return ZeroPolicy(space_facts(env.action_space))
    return policy_function(read_policy(name))
