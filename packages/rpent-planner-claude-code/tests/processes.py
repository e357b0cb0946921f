"""The Claude Code processes of this test."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def claude_processes() -> dict[int, dict[str, str]]:
    """Return the environment of each child of this process that is a Claude Code, by pid."""
    found = {}
    for task in Path("/proc/self/task").iterdir():
        for pid in (task / "children").read_text().split():
            with suppress(OSError):
                folder = Path("/proc", pid)
                if "_bundled/claude" in str((folder / "exe").readlink()):
                    found[int(pid)] = _environment(folder)
    return found


def _environment(folder: Path) -> dict[str, str]:
    lines = (folder / "environ").read_bytes().decode().split("\0")
    return dict(line.split("=", 1) for line in lines if "=" in line)
