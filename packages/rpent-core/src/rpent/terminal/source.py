"""Where the keys come from: the terminal, left in raw mode while text is printed above the line."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING

from prompt_toolkit.input.vt100 import Vt100Input

if TYPE_CHECKING:
    from contextlib import AbstractContextManager


class Keys(Vt100Input):
    """The keyboard of an input line above which other threads print.

    prompt-toolkit hands the terminal back to line editing for every printed text. A key pressed at that moment would
    be taken by the terminal itself: Ctrl-U would erase what only the terminal knows, Ctrl-C would become a signal.
    """

    def __init__(self) -> None:
        super().__init__(sys.stdin)

    def cooked_mode(self) -> AbstractContextManager[None]:
        """Stay in raw mode: what is printed above the line reads no keys."""
        return nullcontext()

    def suspend(self) -> None:
        """Stop the whole job, as Ctrl-Z does, with the terminal as the shell wants it; returns when it goes on."""
        with super().cooked_mode():
            os.kill(0, signal.SIGTSTP)
