"""The terminal of an interactive run: prompt-toolkit on a thread of its own, above it what happens."""

from __future__ import annotations

import asyncio
import contextvars
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

from rpent.terminal.commands import HELP, Line, parse
from rpent.terminal.keys import line_keys
from rpent.terminal.shown import shown
from rpent.terminal.status import Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from prompt_toolkit import PromptSession
    from prompt_toolkit.buffer import Buffer

    from rpent.robot import Prompts
    from rpent.runs.events import Event
    from rpent.session.session import Session

ESCAPE_S = 0.1
"""How long a lone Esc may be the beginning of a key's sequence."""


class Terminal:
    """Steers a run from the keyboard: a `rpent.run.steering.Steering`.

    Use it as a context manager around `execute`; everything that is printed meanwhile appears above the input line.
    """

    def __init__(self, *, on_quit: Callable[[], None]) -> None:
        self.status = Status()
        self._on_quit = on_quit
        self._session: Session | None = None
        self._task: str | None = None
        self._task_known = threading.Event()
        self._closed = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._prompt: PromptSession[str] | None = None
        self._offered = ""
        self._attaching = threading.Lock()
        self._early: list[str] = []
        self._thread: threading.Thread | None = None
        self._patch: Any = None

    def __enter__(self) -> Self:
        from prompt_toolkit.patch_stdout import patch_stdout  # noqa: PLC0415  (only interactive runs need it)

        self._patch = patch_stdout(raw=True)
        self._patch.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        self._patch.__exit__(None, None, None)

    # The run's side.

    def offer(self, prompts: Prompts, *, resumed: bool) -> None:
        """Show the rendered task for editing; that of a resumed run stays as it was."""
        if resumed:
            self._task = prompts.user
            self._task_known.set()
        context = contextvars.copy_context()
        self._thread = threading.Thread(
            target=context.run,
            args=(asyncio.run, self._converse(prompts.user)),
            name="rpent-terminal",
            daemon=True,
        )
        self._thread.start()

    def first_message(self) -> str | None:
        """Wait for the user's version of the task."""
        self._task_known.wait()
        return self._task

    def attach(self, session: Session) -> None:
        """Steer this session from now on; it gets what was typed before it began."""
        with self._attaching:
            self._session = session
            for text in self._early:
                session.send(text)

    def on_event(self, event: Event) -> None:
        """Show an event above the input line."""
        self.status.on_event(event)
        text = shown(event)
        if text is not None:
            self.say(text)

    def close(self) -> None:
        """Take the input line away and leave the terminal as it was."""
        self._closed = True
        self._task_known.set()
        if self._loop is not None and self._thread is not None and self._thread.is_alive():
            with suppress(RuntimeError):  # the loop has just ended by itself
                self._loop.call_soon_threadsafe(self._leave)
            self._thread.join(5)

    @staticmethod
    def say(text: str) -> None:
        """Print above the input line."""
        sys.stdout.write(text + "\n")
        sys.stdout.flush()

    # The user's side, on the terminal's thread.

    async def _converse(self, task: str) -> None:
        from prompt_toolkit import PromptSession  # noqa: PLC0415  (only interactive runs need it)
        from prompt_toolkit.formatted_text import ANSI  # noqa: PLC0415

        from rpent.terminal.source import Keys  # noqa: PLC0415

        self._loop, self._offered = asyncio.get_running_loop(), task.rstrip()
        source = Keys()
        keys = line_keys(
            enter=self._enter, interrupt=self._interrupt, quit_run=self._quit, suspend=source.suspend
        )
        prompt: PromptSession[str] = PromptSession(
            input=source, erase_when_done=True, key_bindings=keys, multiline=True
        )
        self._prompt = prompt
        prompt.app.ttimeoutlen = ESCAPE_S
        if not self._agreed:
            self.say(
                "Edit the task while the services start. Enter sends it, Ctrl-O breaks the line, Ctrl-C quits."
            )
        try:
            await prompt.prompt_async(
                lambda: ANSI(f"\x1b[1m{'> ' if self._agreed else 'task> '}\x1b[0m"),
                default="" if self._agreed else self._offered,
                bottom_toolbar=lambda: self.status.toolbar(self._session),
                refresh_interval=0.5,
                handle_sigint=False,
            )
        except EOFError:
            if not self._closed:  # the terminal has gone
                self._quit()
        finally:
            self._task_known.set()

    @property
    def _agreed(self) -> bool:
        """Whether the task is settled, so that what is typed goes to the planner."""
        return self._task_known.is_set()

    def _enter(self, buffer: Buffer) -> None:
        line = parse(buffer.text)
        if self._agreed:
            buffer.reset(append_to_history=True)
            self._handle(line)
        elif line.kind == "message":
            self._task = buffer.text.strip()
            buffer.reset()
            self._task_known.set()
        else:
            self._offer_again(buffer)
            self._handle(line)

    def _offer_again(self, buffer: Buffer) -> None:
        from prompt_toolkit.document import Document  # noqa: PLC0415

        buffer.document = Document(self._offered)

    def _handle(self, line: Line) -> None:
        match line.kind:
            case "help":
                self.say(HELP)
            case "status":
                self.say("\n".join(self.status.lines(self._session)))
            case "unknown":
                self.say(line.text)
            case "quit":
                self._quit()
            case "interrupt":
                self._interrupt()
            case "nothing" if not self._agreed:
                self.say("The task is empty; `/quit` ends the run.")
            case "message":
                self._send(line.text)

    def _send(self, text: str) -> None:
        with self._attaching:
            if self._session is None:
                self._early.append(text)
                return
        self._session.send(text)

    def _interrupt(self) -> None:
        if self._session is not None and self._session.ended is None:
            self.say("Interrupted; what shall the planner do?")
            # The cancelled call answers to the planner on other threads; the keyboard does not wait for it.
            threading.Thread(
                target=self._session.interrupt, args=("The user interrupted.",), daemon=True
            ).start()

    def _quit(self) -> None:
        self._task_known.set()
        self._on_quit()

    def _leave(self) -> None:
        if self._prompt is not None and self._prompt.app.is_running:
            self._prompt.app.exit(exception=EOFError)
