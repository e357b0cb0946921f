"""What the terminal shows of a run's events: the planner's words whole, the rest in a line each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.printable import printable
from rpent.run.progress import line_of
from rpent.runs import events as ev

if TYPE_CHECKING:
    from rpent.runs.events import Event

_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"
_MAX_THINKING = 600


def shown(event: Event) -> str | None:
    """Return what is printed above the input line, or None."""
    match event:
        case ev.PromptsRendered():  # the task as it was agreed upon; the input line is empty now
            return f"{_BOLD}task{_PLAIN}     {printable(event.user.strip())}"
        case ev.AssistantText():
            return f"{_BOLD}planner{_PLAIN}  {printable(event.text.strip())}"
        case ev.AssistantThinking():
            text = " ".join(event.text.split())
            cut = text if len(text) <= _MAX_THINKING else text[:_MAX_THINKING] + "…"
            return f"{_DIM}thinks   {printable(cut)}{_PLAIN}"
        case ev.UserMessage(origin="user"):
            return f"{_BOLD}you{_PLAIN}      {printable(event.text)}"
        case ev.AwaitingUser():
            return f"{_DIM}The planner waits for you.{_PLAIN}"
    loading = isinstance(event, ev.ServiceState) and event.state == "loading"
    line = None if loading else line_of(event)  # the toolbar shows what is being loaded
    return None if line is None else f"{_DIM}{printable(line)}{_PLAIN}"
