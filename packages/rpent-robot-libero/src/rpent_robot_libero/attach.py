"""Bringing a served env to the episode that a run asks for: it may have served another one before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpent.env.client import EnvClient


def start_episode(env: EnvClient, wanted: Mapping[str, Any]) -> None:
    """Reset the env unless it stands at the beginning of the wanted episode, as one that the run started does.

    Args:
        env: The env server.
        wanted: `suite`, `task` and `seed`.

    Raises:
        UsageError: The env serves another suite.
    """
    present = env.describe()
    if present["suite"] != wanted["suite"]:
        raise UsageError(
            f"The env server serves the suite `{present['suite']}`, the run asks for `{wanted['suite']}`.",
            hint=f"Start another one: `rpent serve libero/env --suite {wanted['suite']}`.",
        )
    same = all(present[name] == wanted[name] for name in ("task", "seed"))
    if not same or env.observe().step != 0:
        env.reset(task=wanted["task"], seed=wanted["seed"])
