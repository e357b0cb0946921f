"""What the user may type: a message to the planner, or a command that begins with a slash."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rpent.suggest import did_you_mean

Kind = Literal["message", "help", "status", "interrupt", "quit", "nothing", "unknown"]

COMMANDS: dict[str, tuple[Kind, str]] = {
    "/help": ("help", "this list"),
    "/status": ("status", "where the run is: turns, calls, tokens, cost, what is going on"),
    "/interrupt": (
        "interrupt",
        "stop the motion or the reply under way; the planner then waits for you (as Esc)",
    ),
    "/quit": ("quit", "end the run (as Ctrl-C); `rpent resume` goes on with it"),
}
ALIASES = {"/exit": "/quit", "/q": "/quit", "/h": "/help", "/?": "/help", "/stop": "/interrupt"}

HELP = "\n".join(
    [
        "What you type goes to the planner with its next request, after the motion under way.",
        "Esc stops the motion or the reply under way, and the planner waits for you.",
        *(f"  {name:<11} {text}" for name, (_, text) in COMMANDS.items()),
    ]
)


@dataclass(frozen=True, slots=True)
class Line:
    """A line that the user entered."""

    kind: Kind
    text: str = ""
    """The message; for `unknown` a sentence about it."""


def parse(line: str) -> Line:
    """Read what the user entered. A message that begins with a slash is written with two."""
    text = line.strip()
    if not text:
        return Line("nothing")
    if text.startswith("//"):
        return Line("message", text[1:])
    if not text.startswith("/"):
        return Line("message", text)
    word = text.split()[0].lower()
    known = COMMANDS.get(ALIASES.get(word, word))
    if known is not None:
        return Line(known[0])
    return Line("unknown", f"There is no command `{word}`{did_you_mean(word, COMMANDS)} `/help` lists them.")
