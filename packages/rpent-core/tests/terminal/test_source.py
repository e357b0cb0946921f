"""The keyboard of the input line."""

from __future__ import annotations

import os
import pty
import sys

from rpent.terminal.source import Keys


def test_keys_pressed_while_something_is_printed_stay_as_they_were_typed(monkeypatch):
    """Line editing of the terminal itself would erase the text at Ctrl-U and pass nothing on."""
    outer, inner = pty.openpty()
    with os.fdopen(inner) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        keys = Keys()
        with keys.raw_mode(), keys.cooked_mode():
            os.write(outer, b"half a line\x15\r")
            os.set_blocking(inner, False)
            assert os.read(inner, 100) == b"half a line\x15\r"
    os.close(outer)
