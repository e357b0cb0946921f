"""Gymnasium's registered environments: classic control, Box2D, MuJoCo, and any other id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium
from gymnasium.error import Error as GymnasiumError
from rpent.errors import UsageError

from rpent_robosmith.worker.api import EnvAdapter

if TYPE_CHECKING:
    from rpent_robosmith.catalog.entry import EnvEntry


class GymnasiumAdapter(EnvAdapter):
    """`gymnasium.make`, with the entry's arguments and step limit."""

    def make(self, entry: EnvEntry, *, render_mode: str | None = None) -> gymnasium.Env[Any, Any]:
        """Return the environment of an entry.

        Raises:
            UsageError: Gymnasium does not know the id, an argument, or lacks what it needs.
        """
        arguments: dict[str, Any] = dict(entry.kwargs)
        if entry.max_episode_steps is not None:
            arguments["max_episode_steps"] = entry.max_episode_steps
        if render_mode is not None:  # some environments do not take it
            arguments["render_mode"] = render_mode
        try:
            return gymnasium.make(entry.env_id, **arguments)
        except (GymnasiumError, ImportError, TypeError, ValueError) as error:
            reason = " ".join(str(error).split()).rstrip(".")
            raise UsageError(f"Gymnasium cannot make `{entry.env_id}`: {reason}.") from error
