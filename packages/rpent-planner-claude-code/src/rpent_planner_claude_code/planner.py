"""The planner `claude_code`: Claude Code's agent loop over the session's tools, and nothing else."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rpent.errors import UsageError

from rpent_planner_claude_code.endpoint import PLANNER, PLUGIN, SDK, find_endpoint

if TYPE_CHECKING:
    from rpent.session.limits import Limits
    from rpent.session.session import Session

    from rpent_planner_claude_code.config import ClaudeCodeConfig


class ClaudeCodePlanner:
    """Lets the Claude Code that comes with Anthropic's Agent SDK choose the tool calls."""

    def __init__(self, config: ClaudeCodeConfig) -> None:
        if config.base_url and not config.model:
            raise UsageError(
                "A server at `--base-url` needs the name of one of its models.", hint="Add `--model NAME`."
            )
        self.config = config

    def check(self, limits: Limits) -> None:
        """Find out before anything starts whether Claude Code can work.

        Raises:
            ModelError: The SDK, its binary, the key, the address, the model or the price is missing or wrong.
        """
        from rpent_planner_claude_code.checking import check_claude_code  # noqa: PLC0415  (only a check needs it)

        check_claude_code(self.config, limits)

    def run(self, session: Session) -> None:
        """Work on the session's task."""
        from rpent.planners.sdk import importing_sdk  # noqa: PLC0415

        from rpent_planner_claude_code.private import private_places  # noqa: PLC0415

        endpoint = find_endpoint(self.config)
        with importing_sdk(SDK, planner=PLANNER, plugin=PLUGIN):
            from rpent_planner_claude_code.conversation import Conversation  # noqa: PLC0415
        with private_places() as folder:
            asyncio.run(Conversation(session, self.config, endpoint, folder).run())
