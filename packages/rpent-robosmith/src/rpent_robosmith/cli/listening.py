"""What a run shows while it works, on standard error: lines, and a bar for what takes long."""

from __future__ import annotations

import math
import shutil
import sys
import time
from typing import TYPE_CHECKING, TextIO

from rpent.printable import printable

if TYPE_CHECKING:
    from pathlib import Path

    from rpent_robosmith.workflow.run_state import Keeper

_BAR = 24
_EVERY_S = 0.1
_LINE_EVERY_S = 15.0
"""Without a terminal, a bar becomes a line now and then."""


class TerminalListener:
    """Shows lines and one live bar; without a terminal only lines.

    Args:
        stream: Where to; None shows nothing (`--quiet`, `--json`).
    """

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        self._live = stream is not None and stream.isatty()
        self._started = time.monotonic()
        self._shown = -_LINE_EVERY_S
        self._label, self._whole = "", False
        self._bar_is_up = False

    def say(self, line: str) -> None:
        """Show a line, above the bar."""
        self._clear()
        self._write(f"{time.monotonic() - self._started:7.1f} s  {printable(line)}\n")

    def progress(self, label: str, done: float, total: float, note: str = "") -> None:
        """Show how far something is."""
        now = time.monotonic()
        whole = done >= total
        fresh = label != self._label or whole > self._whole
        if not fresh and now - self._shown < (_EVERY_S if self._live else _LINE_EVERY_S):
            return
        self._shown, self._label, self._whole = now, label, whole
        text = printable(f"{label} {bar(done, total)} {note}".rstrip())
        if self._live:
            self._write("\r\x1b[K" + text[: shutil.get_terminal_size().columns - 1])
            self._bar_is_up = True
        else:
            self.say(text)

    def close(self) -> None:
        """Take the bar away."""
        self._clear()

    def _clear(self) -> None:
        if self._bar_is_up:
            self._write("\r\x1b[K")
            self._bar_is_up = False

    def _write(self, text: str) -> None:
        if self._stream is None:
            return
        try:
            try:
                self._stream.write(text)
            except UnicodeEncodeError as error:
                self._stream.write(text.encode(error.encoding, "backslashreplace").decode(error.encoding))
            self._stream.flush()
        except (OSError, ValueError):
            self._stream = None  # nobody watches any more; the run goes on


class RunListener:
    """Passes on to the terminal, writes `run.log` with times, and shows that the run is alive."""

    def __init__(self, terminal: TerminalListener, folder: Path, keeper: Keeper) -> None:
        self._terminal, self._keeper = terminal, keeper
        self._log = folder / "run.log"

    def say(self, line: str) -> None:
        """Show and log a line."""
        from rpent_robosmith.workflow.run_state import now

        self._terminal.say(line)
        try:
            with self._log.open("a", encoding="utf-8") as file:
                file.write(f"{now().isoformat()}  {printable(line)}\n")
        except OSError as error:
            self._terminal.say(f"`{self._log}` cannot be written: {error.strerror or error}.")
        self._keeper.alive()

    def progress(self, label: str, done: float, total: float, note: str = "") -> None:
        """Show how far something is."""
        self._terminal.progress(label, done, total, note)
        self._keeper.alive()


def bar(done: float, total: float) -> str:
    """Return a bar with numbers: `[######------] 12,000/50,000`; nothing is said to be done before it is."""
    share = min(1.0, max(0.0, done / total)) if total > 0 else 1.0
    filled = round(share * _BAR)
    return f"[{'#' * filled}{'-' * (_BAR - filled)}] {math.floor(done):,}/{total:,.0f}"


def terminal(*, quiet: bool) -> TerminalListener:
    """Return a listener on standard error, or one that shows nothing."""
    return TerminalListener(None if quiet else sys.stderr)
