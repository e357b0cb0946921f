"""A planner that follows a script: a stand-in for a language model in tests of everything around it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from rpent.session.usage import Usage
from rpent.specs import PlannerSpec

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpent.session.reply import ToolReply
    from rpent.session.session import Session

SPEC = PlannerSpec(
    name="scripted",
    summary="Follows a script, for tests.",
    planner="rpent.testing.scripted_planner:ScriptedPlanner",
    config="rpent.testing.scripted_planner:ScriptConfig",
    uses_model=False,
)


class ScriptConfig(BaseModel):
    """The script."""

    model_config = ConfigDict(extra="forbid")

    calls: list[tuple[str, Any]] = Field(default=[], description="Tool name and arguments, one call a turn.")
    tokens_per_turn: int = Field(default=0, ge=0, description="Tokens that each turn reports.")
    retry: bool = Field(default=True, description="Repeat a call after the env server was restarted.")


class ScriptedPlanner:
    """Calls the script's tools one after the other; a resumed session goes on behind what is done.

    `replies` holds what came back. `on_turn`, where a test sets it, is called before each call with the
    session and the call's index, on the planner's thread.
    """

    on_turn: Callable[[Session, int], None] | None = None

    def __init__(self, config: ScriptConfig) -> None:
        self.config = config
        self.replies: list[ToolReply] = []

    def run(self, session: Session) -> None:
        """Follow the script."""
        for index, (name, arguments) in enumerate(self.config.calls):
            if index < session.prior_calls:
                continue
            session.begin_turn()
            session.say(f"Next: {name}.")
            if self.on_turn is not None:
                self.on_turn(session, index)
            reply = self._call(session, name, arguments)
            if reply.ended:
                return
            session.report_usage(Usage(input_tokens=self.config.tokens_per_turn, model="script"))

    def _call(self, session: Session, name: str, arguments: Any) -> ToolReply:
        reply = session.call(name, arguments)
        self.replies.append(reply)
        if self.config.retry and "restarted" in str(reply.data.get("error", "")) and not reply.ended:
            reply = session.call(name, arguments)
            self.replies.append(reply)
        return reply
