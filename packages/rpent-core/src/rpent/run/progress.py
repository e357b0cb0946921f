"""What a run shows while it works: plain lines on a pipe, and a live line below them on a terminal.

Progress goes to standard error, the result to standard output.
"""

from __future__ import annotations

import json
import shutil
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from rpent.printable import printable
from rpent.runs import events as ev
from rpent.runs.attempts import attempt_line
from rpent.runs.processes import PlannerChange
from rpent.suggest import typeable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent.run.request import ProgressStyle
    from rpent.runs.events import Event
    from rpent.runs.outcome import Outcome

_MAX_ARGUMENTS = 90


class _Listener:
    """A stream whose reader may go (`| head -1`, a closed terminal); the run and its exit code do not mind."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._gone = False

    def write(self, text: str) -> None:
        """Write, while somebody reads."""
        if self._gone:
            return
        try:
            try:
                self._stream.write(text)
            except UnicodeEncodeError as error:  # a terminal that is not UTF-8
                self._stream.write(text.encode(error.encoding, "backslashreplace").decode(error.encoding))
            self._stream.flush()
        except (OSError, ValueError):
            self._gone = True


class Progress:
    """Shows a run's events. This one shows the result only (`quiet`)."""

    def __init__(self, stream: TextIO | None = None, result: TextIO | None = None) -> None:
        self.stream = _Listener(stream or sys.stderr)
        self.result = _Listener(result or sys.stdout)
        self._started = time.monotonic()

    def on_event(self, event: Event) -> None:
        """Show an event."""

    def finish(self, outcome: Outcome) -> None:
        """Show the result."""
        for line in result_lines(outcome):
            self.result.write(printable(line) + "\n")

    def close(self) -> None:
        """Leave the terminal as it was."""


class JsonProgress(Progress):
    """Events as JSON lines on standard output, the last of which holds the outcome."""

    def on_event(self, event: Event) -> None:
        """Write the event's line, as it stands in `events.jsonl`."""
        self.result.write(event.model_dump_json(fallback=str) + "\n")

    def finish(self, outcome: Outcome) -> None:
        """Write the outcome and the run directory."""
        line = {"type": "result", "outcome": outcome.to_json(), "run_dir": str(outcome.run_dir)}
        self.result.write(json.dumps(line) + "\n")


class PlainProgress(Progress):
    """One line for each thing that happened."""

    def on_event(self, event: Event) -> None:
        """Write a line for the events that matter to somebody who watches."""
        line = line_of(event)
        if line is not None:
            self.write(line)

    def write(self, line: str) -> None:
        """Write a line with the time since the start."""
        self.stream.write(f"{time.monotonic() - self._started:7.1f} s  {printable(line)}\n")


class LiveProgress(PlainProgress):
    """Plain lines, and below them what is going on right now."""

    def __init__(self, stream: TextIO | None = None, result: TextIO | None = None) -> None:
        super().__init__(stream, result)
        self._lock = threading.Lock()
        self._now = "starting"
        self._since = time.monotonic()
        self._done = threading.Event()
        threading.Thread(target=self._animate, name="rpent-progress", daemon=True).start()

    def on_event(self, event: Event) -> None:
        """Write lines, and change what is going on."""
        if not (isinstance(event, ev.ServiceState) and event.state == "loading"):
            super().on_event(event)
        if isinstance(event, ev.ToolCalled):
            self._set_now(event.name)
        elif isinstance(event, ev.ToolProgress):
            self._now = f"{self._now.split(' · ')[0]} · {_short(event.data)}"
        elif isinstance(event, ev.ServiceState) and event.state == "loading":
            self._now = f"{self._now.split(' · ')[0]} · {event.service}: {event.detail}"
        elif isinstance(event, (ev.ToolReturned, ev.TurnStarted)):
            self._set_now("planner")
        elif isinstance(event, ev.StageChanged) and event.status == "started":
            self._set_now(event.stage)

    def write(self, line: str) -> None:
        """Write a line above the live one."""
        with self._lock:
            self.stream.write("\r\x1b[K")
            super().write(line)

    def finish(self, outcome: Outcome) -> None:
        """Show the result in the place of the live line."""
        self.close()
        super().finish(outcome)

    def close(self) -> None:
        """Remove the live line."""
        with self._lock:
            if self._done.is_set():
                return
            self._done.set()
            self.stream.write("\r\x1b[K")

    def _set_now(self, text: str) -> None:
        self._now, self._since = text, time.monotonic()

    def _animate(self) -> None:
        while not self._done.wait(0.25):
            now = time.monotonic()
            text = f"{now - self._started:7.1f} s  … {printable(self._now)} ({now - self._since:.0f} s)"
            with self._lock:
                if self._done.is_set():
                    return
                self.stream.write("\r\x1b[K" + text[: shutil.get_terminal_size().columns - 1])


@contextmanager
def progress_for(style: ProgressStyle) -> Iterator[Progress]:
    """Yield the display that was asked for; `auto` is live on a terminal and plain elsewhere."""
    if style == "auto":
        style = "live" if sys.stderr.isatty() else "plain"
    kinds = {"json": JsonProgress, "plain": PlainProgress, "live": LiveProgress, "quiet": Progress}
    progress = kinds[style]()
    try:
        yield progress
    finally:
        progress.close()


def line_of(event: Event) -> str | None:  # noqa: PLR0911, PLR0912  (one line an event)
    """Return what a watcher reads of an event, or None."""
    match event:
        case ev.RunStarted():
            return f"{event.tag}, planner {event.planner}: {event.instruction}"
        case ev.TaskStated():
            return f"task: {event.instruction}"
        case ev.RunResumed():
            change = PlannerChange(planner=event.planner, options=event.options)
            return f"resumed after step {event.step}" + (f" with {change}" if change else "")
        case ev.StageChanged(status="failed"):
            return f"{event.stage}: {f'failed. {event.detail}' if event.detail else 'stopped'}"
        case ev.StageChanged(status="done") if event.stage != "session":
            return f"{event.stage}: ready ({event.elapsed_s:.1f} s)"
        case ev.ServiceState(state="loading"):
            return f"service {event.service}: loading: {event.detail}"
        case ev.ServiceState(state="starting" | "crashed" | "restarting" | "failed"):
            return f"service {event.service}: {event.state} {event.detail}".rstrip()
        case ev.AssistantText():
            return f"planner: {' '.join(event.text.split())[:300]}"
        case ev.ToolCalled():
            who = "user: " if event.origin == "user" else ""
            return f"→ {who}{event.name} {_short(event.arguments)}"
        case ev.ToolReturned():
            return f"  {_verdict(event)} ({event.elapsed_s:.1f} s, {event.env_steps} env steps)"
        case ev.AttemptStarted():
            return f"attempt {event.attempt}"
        case ev.AttemptEnded():
            return attempt_line(event)
        case ev.UserMessage():
            return f"{event.origin}: {event.text}"
        case ev.Recovered():
            return f"service {event.service}: back, as after step {event.step}"
        case ev.Notice(level="warning" | "error"):
            return f"{event.level}: {event.text}"
        case ev.SessionEnded():
            return f"session ended: {event.reason}. {event.detail}".rstrip()
        case _:
            return None


def _verdict(event: ev.ToolReturned) -> str:
    if not event.ok:
        return f"✗ {event.data.get('error', '')}"
    shown = {
        key: value
        for key, value in event.data.items()
        if key not in {"observation", "notices"}
        and isinstance(value, (bool, int, float, str))
        and value != ""
    }
    return f"{'✗' if event.data.get('ok') is False else '✓'} {_short(shown)}"


def _short(value: object) -> str:
    pairs = value.items() if isinstance(value, dict) else ()
    text = ", ".join(f"{key} {_number(item)}" for key, item in pairs) or str(value)
    return text if len(text) <= _MAX_ARGUMENTS else text[: _MAX_ARGUMENTS - 1] + "…"


def _number(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):
        return "[" + ", ".join(_number(item) for item in value) + "]"
    return str(value)


def result_lines(outcome: Outcome) -> list[str]:
    """Return the last lines of a run: the benchmark's verdict, the planner's claim, where everything is."""
    says = {True: "success", False: "not solved", None: "no verdict"}[outcome.benchmark_success]
    claim = outcome.planner_status or "no claim"
    lines = [f"benchmark: {says}", f"planner:   {claim} ({outcome.reason}) {outcome.detail}".rstrip()]
    lines += [f"caveat:    {caveat}" for caveat in outcome.caveats]
    if outcome.hint:
        lines.append(f"hint:      {typeable(outcome.hint)}")
    lines += [f"explored:  {line}" for line in outcome.explored]
    lines += [f"problem:   {problem}" for problem in outcome.problems]
    if outcome.run_dir is not None:
        lines.append(f"run:       {outcome.run_dir}")
        video = outcome.run_dir / "episode.mp4"
        if video.is_file():
            lines.append(f"video:     {video}")
    return lines
