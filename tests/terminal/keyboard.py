"""`rpent` in a pseudo-terminal: what a person types, and what they see."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

ESCAPES = re.compile(r"\x1b(\[[0-9;?]*[ -/]*[@-~]|\][^\x07]*\x07|[=>()][0-9A-Za-z]?|7|8)")


_TAKE_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Makes the terminal the process's own, so that Ctrl-C is a signal whenever no editor reads the keys."""


class Keyboard:
    """A command with a terminal of its own."""

    def __init__(
        self, arguments: Sequence[str], *, env: Mapping[str, str], cwd: Path, term: str = "xterm-256color"
    ) -> None:
        self.fd, inner = pty.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 160, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-c", _TAKE_TERMINAL, sys.executable, "-m", "rpent", *arguments],
            stdin=inner,
            stdout=inner,
            stderr=inner,
            cwd=cwd,
            env={**env, "TERM": term},
            start_new_session=True,
        )
        os.close(inner)
        self.raw = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(10)
        os.close(self.fd)

    @property
    def seen(self) -> str:
        """Everything that was shown so far, without the sequences that move the cursor."""
        return ESCAPES.sub("", self.raw)

    def type(self, text: str) -> None:
        """Press keys."""
        os.write(self.fd, text.encode())

    def expect(self, text: str, *, timeout_s: float = 40.0, times: int = 1) -> None:
        """Read until a text has been shown."""
        deadline = time.monotonic() + timeout_s
        while self.seen.count(text) < times:
            if time.monotonic() > deadline or not self._read(deadline):
                raise AssertionError(f"`{text}` was not shown; the screen had:\n{self.seen[-3000:]}")

    def leave(self, timeout_s: float = 40.0) -> int:
        """Wait for the command's end; returns its exit code."""
        deadline = time.monotonic() + timeout_s
        while self._read(deadline):
            if time.monotonic() > deadline:
                raise AssertionError(f"still running; the screen had:\n{self.seen[-3000:]}")
        return self.process.wait(max(1.0, deadline - time.monotonic()))

    def _read(self, deadline: float) -> bool:
        ready, _, _ = select.select([self.fd], [], [], min(0.5, max(0.0, deadline - time.monotonic())))
        if not ready:
            return self.process.poll() is None
        try:
            data = os.read(self.fd, 65536)
        except OSError:  # the other end is closed
            return False
        self.raw += data.decode("utf-8", "replace")
        self._answer(data)
        return bool(data)

    def _answer(self, data: bytes) -> None:
        """Answer as a terminal does that is asked where its cursor is."""
        for _ in range(data.count(b"\x1b[6n")):
            os.write(self.fd, b"\x1b[1;1R")
