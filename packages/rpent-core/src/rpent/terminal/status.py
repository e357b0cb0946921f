"""Where a run is, from its events: the toolbar and `/status`."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rpent.printable import printable
from rpent.runs import events as ev

if TYPE_CHECKING:
    from rpent.runs.events import Event
    from rpent.session.session import Session


@dataclass(slots=True)
class Status:
    """What is known of the run so far."""

    planner: str = ""
    task: str = ""
    doing: str = "starting"
    since: float = field(default_factory=time.monotonic)
    services: dict[str, str] = field(default_factory=dict)

    def on_event(self, event: Event) -> None:
        """Take an event into account."""
        match event:
            case ev.RunStarted():
                self.planner, self.task = event.planner, event.tag
            case ev.ServiceState():
                loading = f": {event.detail}" if event.state == "loading" else ""
                self.services[event.service] = event.state + loading
                if loading:
                    self.doing = f"{event.service} is loading{loading}"
            case ev.StageChanged(status="started"):
                self._do({"session": "planner thinks"}.get(event.stage, f"{event.stage}: starting"))
            case ev.StageChanged(
                stage="toolkit", status="done"
            ):  # with an agreed task the session starts at once
                self._do("ready, the task waits for Enter")
            case ev.ToolCalled():
                self._do(event.name)
            case ev.TurnStarted() | ev.ToolReturned() | ev.UserMessage():
                self._do("planner thinks")
            case ev.AwaitingUser():
                self._do("the planner waits for you")
            case ev.SessionEnded():
                self._do("closing")

    def _do(self, what: str) -> None:
        if what != self.doing:
            self.doing, self.since = what, time.monotonic()

    def toolbar(self, session: Session | None) -> str:
        """Return one line for the bottom of the terminal."""
        parts = [f"{printable(self.doing)} ({time.monotonic() - self.since:.0f} s)"]
        if session is not None:
            budget, usage = session.budget, session.budget.usage
            limit = budget.limits.max_turns
            parts.append(f"turn {budget.turns}{f'/{limit}' if limit else ''}")
            if usage.tokens:
                parts.append(f"{usage.tokens:,} tokens")
            if usage.cost_usd is not None:
                parts.append(f"{usage.cost_usd:.2f} USD")
        return "  ·  ".join([*parts, "Esc interrupts", "/help"])

    def lines(self, session: Session | None) -> list[str]:
        """Return what `/status` prints."""
        lines = [f"task       {self.task}", f"planner    {self.planner}", f"now        {self.doing}"]
        lines += [f"service    {name}: {state}" for name, state in self.services.items()]
        if session is not None:
            budget, usage = session.budget, session.budget.usage
            cost = "unknown" if usage.cost_usd is None else f"{usage.cost_usd:.4f} USD"
            lines += [
                f"turns      {budget.turns} of {budget.limits.max_turns or 'any number'}",
                f"calls      {budget.tool_calls} of {budget.limits.max_tool_calls or 'any number'}",
                f"tokens     {usage.input_tokens} in, {usage.output_tokens} out; cost {cost}",
                f"time       {budget.elapsed_s:.0f} s",
                f"run        {session.recorder.directory.path}",
            ]
        return [printable(line) for line in lines]
