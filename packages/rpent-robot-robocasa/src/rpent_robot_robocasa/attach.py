"""Bringing a served env to the episode that a run asks for: it may have served another one before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent.env.client import observation_from
from rpent.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpent.env.client import EnvClient
    from rpent.env.types import Observation

KITCHEN = ("layout", "style")
"""What a run may leave to the seed."""


def start_episode(env: EnvClient, wanted: Mapping[str, Any]) -> None:
    """Reset the env unless it stands at the beginning of the wanted episode, as one that the run started does.

    Args:
        env: The env server.
        wanted: The values of its config model: task, split, seed, kitchen and kind of assets.

    Raises:
        UsageError: The env uses other assets than the run asks for. (Another robot's was refused at the handshake.)
    """
    present = env.describe()
    if wanted["assets"] in {"real", "placeholder"} and wanted["assets"] != present["assets"]:
        raise UsageError(
            f"The env server uses {present['assets']} assets, the run asks for {wanted['assets']} ones.",
            hint=f"Start another one: `rpent serve robocasa/env --assets {wanted['assets']}`.",
        )
    if not _stands_ready(env, present, wanted):
        reset_episode(env, wanted)


def reset_episode(env: EnvClient, wanted: Mapping[str, Any]) -> Observation:
    """Begin an episode: its task and kitchen, and nothing of the one before.

    Args:
        env: The env server.
        wanted: As for `start_episode`.
    """
    keys = ("task_name", "seed", "split", *KITCHEN)
    return observation_from(env.channel.call("reset", **{key: wanted[key] for key in keys}))


def _stands_ready(env: EnvClient, present: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    same = all(present[key] == wanted[key] for key in ("task_name", "split", "seed"))
    same = same and all(present["asked"][key] == wanted[key] for key in KITCHEN)
    return same and env.observe().step == 0
