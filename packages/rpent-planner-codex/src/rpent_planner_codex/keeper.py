"""Keeps a helper process: `python -m rpent_planner_codex.keeper FOLDER COMMAND...` runs it until stdin closes.

Whoever starts the keeper holds the other end of its stdin, so the command ends with them however they end, with all
that it started, and the folder that it used is removed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from rpent.services import prctl
from rpent.services.guardian import guard

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(folder: str, command: Sequence[str]) -> int:
    """Run a command as long as stdin is open, then remove a folder; returns the exit code."""
    agent = os.getppid()
    prctl.adopt_orphans()
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
    status = os.open(os.devnull, os.O_WRONLY)
    return guard(child.pid, agent=agent, lifeline=0, status=status, grace_s=0.0, cleanup=(folder,))


if __name__ == "__main__":
    code = main(sys.argv[1], sys.argv[2:])
    os._exit(code if code >= 0 else 128 - code)
