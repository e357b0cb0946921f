"""`rpent run … --dashboard` and `rpent dashboard` in a process of their own, and a browser's requests to them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import httpx

if TYPE_CHECKING:
    from collections.abc import Callable

STRIPPED = ("CLAUDE", "ANTHROPIC", "OPENAI", "CODEX", "MCP_", "RPENT_")


class DashboardProcess:
    """A command that serves a dashboard; the client is logged in."""

    def __init__(self, *arguments: str, cwd: Path, **env: str) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(STRIPPED)}
        self.log = cwd / f"dashboard-{len(list(cwd.glob('dashboard-*.log')))}.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "rpent", *arguments],
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                cwd=cwd,
                env={**kept, "HOME": str(cwd), "PYTHONUNBUFFERED": "1", **env},
                start_new_session=True,
            )
        found = self.until(lambda: re.search(r"Dashboard: (\S+)", self.output))
        self.token_url = found.group(1)
        self.client = httpx.Client(base_url=self.token_url.partition("?")[0], timeout=60, trust_env=False)
        assert self.client.get(self.token_url).status_code == 200
        self.client.headers["X-RPent-CSRF"] = self.client.get("/api/me").json()["csrf"]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(10)

    @property
    def output(self) -> str:
        """What it printed."""
        return self.log.read_bytes().decode()

    @property
    def state(self) -> Any:
        """The session's state."""
        return self.client.get("/api/session").json()["session"]

    def post(self, path: str, body: dict[str, Any] | None = None, *, status: int = 202) -> Any:
        """POST to the session, and expect an answer."""
        answer = self.client.post(f"/api/session{path}", json=body or {})
        assert answer.status_code == status, answer.text
        return answer.json()

    def wait(self, condition: Callable[[Any], object], timeout_s: float = 60) -> Any:
        """Wait until the state is so."""
        return self.until(lambda: (state := self.state) and condition(state) and state, timeout_s)

    def wait_for(self, activity: str) -> Any:
        """Wait for what the planner does."""
        return self.wait(lambda state: state["activity"] == activity)

    def wait_idle(self) -> Any:
        """Wait until nothing runs and nothing is queued."""
        return self.wait(
            lambda state: (
                state["current"] is None and all(task["status"] != "queued" for task in state["tasks"])
            )
        )

    def leave(self, timeout_s: float = 40) -> int:
        """Wait for its end; returns the exit code."""
        return self.process.wait(timeout_s)

    def signal(self, number: int) -> None:
        """Send a signal to the process alone, as `kill` does."""
        self.process.send_signal(number)

    def group(self) -> list[int]:
        """Return the processes of its group that still run, and of the groups of its services."""
        found = (int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit())
        return [pid for pid in found if _mentions(pid, self.log.parent)]

    def until(self, condition: Callable[[], Any], timeout_s: float = 60) -> Any:
        """Wait until something is so; fails when the process ends before."""

        def looked() -> Any:
            found = condition()
            assert found or self.process.poll() is None or condition(), f"it ended:\n{self.output}"
            return found

        return eventually(looked, timeout_s, lambda: f"{self.output}\n{self._tasks()}")

    def _tasks(self) -> str:
        try:
            return json.dumps(self.state["tasks"], indent=1)
        except Exception as error:
            return str(error)


def eventually(
    condition: Callable[[], Any], timeout_s: float = 60, shown: Callable[[], str] = lambda: ""
) -> Any:
    """Wait until something is so."""
    deadline = time.monotonic() + timeout_s
    while not (found := condition()):
        assert time.monotonic() < deadline, f"it did not happen:\n{shown()}"
        time.sleep(0.05)
    return found


def _mentions(pid: int, folder: Path) -> bool:
    """Whether a process works for a run below a folder: its environment says so."""
    try:
        environ = Path(f"/proc/{pid}/environ").read_bytes()
        zombie = b") Z " in Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return False
    return not zombie and str(folder).encode() in environ and pid != os.getpid()
