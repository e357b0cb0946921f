"""Writes a run while it happens: events first, then what is derived from them."""

from __future__ import annotations

import threading
import time
import traceback
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rpent.encodable import encodable
from rpent.errors import RpentError
from rpent.masking import without_keys
from rpent.runs.clips import Clips, drop_clips_without_events
from rpent.runs.directory import RunDirectory, safe_name
from rpent.runs.events import (
    AttemptStarted,
    Event,
    FrameShown,
    Notice,
    RunResumed,
    StepCaptured,
    ToolCalled,
    ToolReturned,
    parse_event,
    read_events,
)
from rpent.runs.files import LineLog, plain, repair_lines, write_atomic
from rpent.runs.recipe import call_of, lines_of, recipes_from_events, write_recipe
from rpent.runs.steps import drop_steps_after, write_step
from rpent.runs.transcript import Transcript, entry_of
from rpent.runs.video import VideoWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from rpent.runs.events import Level
    from rpent.runs.pictures import Picture
    from rpent.runs.steps import StoredStep
    from rpent.tools.result import Capture, Image


class Recorder:
    """One run's writer; safe to use from several threads.

    Args:
        directory: The run.
        record_video: Whether `episode.mp4` is written.
        live: Whether somebody watches: frames of motions are then shown while the call is under way.
    """

    def __init__(self, directory: RunDirectory, *, record_video: bool = True, live: bool = False) -> None:
        self.directory = directory
        self.history: list[Event] = []
        """Events of earlier processes, when the directory already holds some."""
        self._lock = threading.RLock()
        self._listeners: list[Callable[[Event], None]] = []
        self._arguments: dict[str, Any] = {}
        self._closed = False
        self.next_step = 0
        self.actions: Callable[[], NDArray[np.float64] | None] = lambda: None
        """Returns the (T, D) control actions since the step before, where somebody keeps them."""
        self.views: Callable[[Capture], Sequence[Image]] = lambda _: ()
        """Returns pictures that a capture does not show, for whoever watches."""
        self._call_id: str | None = None
        self._camera = ""
        self._load()
        self._events = LineLog(directory.events)
        self._recipe = LineLog(directory.recipe)
        entries = (entry for event in self.history if (entry := entry_of(event)))
        self._transcript = Transcript(directory.transcript, entries)
        self._video = VideoWriter(directory.video) if record_video else None
        self._clips = Clips(directory, self.history) if live else None

    @property
    def last_step(self) -> int:
        """The newest complete step, or -1."""
        return self.next_step - 1

    def listen(self, listener: Callable[[Event], None]) -> None:
        """Call `listener` with every event that is written from now on; what it raises is ignored."""
        self._listeners.append(listener)

    def event(self, event: Event) -> Event:
        """Number, stamp and append an event.

        Raises:
            RunDirectoryError: The file system refuses.
        """
        with self._lock:
            if self._closed:
                return event
            event.seq, event.time = self._next_seq, round(time.time(), 3)
            self._events.append(event.model_dump_json(fallback=plain).encode())
            self._next_seq += 1
            self._derive(event)
            for listener in self._listeners:
                _notify(listener, event)
        return event

    @property
    def filmed_s(self) -> float | None:
        """Seconds of `episode.mp4` so far, those of earlier processes included; None without a video."""
        with self._lock:
            return self._video.seconds if self._video is not None else None

    def step(self, capture: Capture, **extra: Any) -> StoredStep:
        """Write the next step."""
        actions, views = self.actions(), self.views(capture)
        with self._lock:
            step = write_step(self.directory, self.next_step, capture, extra, actions, views=views)
            self.next_step += 1
        if capture.images:
            self._camera = capture.images[0].name
            self.frame(capture.images[0].pixels, shown=False)
        return step

    def pictures(self, pictures: Sequence[Picture], call_id: str) -> list[Picture]:
        """Store what a read-only call showed beside the newest step; returns it with its paths."""
        folder = self.directory.step(max(0, self.last_step))
        stored = []
        for picture in pictures:
            name = f"{safe_name(call_id)}_{picture.name}.jpg"
            if folder.is_dir():
                write_atomic(folder / name, picture.data)
            stored.append(replace(picture, path=f"steps/{folder.name}/{name}"))
        return stored

    def notice(self, text: str, level: Level = "info") -> None:
        """Record something that a reader of the run should know."""
        self.event(Notice(text=text, level=level))

    def trouble(self, where: str, error: BaseException) -> None:
        """Write a traceback to `logs/run.log`, where the planner does not read it."""
        text = encodable(without_keys("".join(traceback.format_exception(error))))
        with suppress(OSError), (self.directory.logs / "run.log").open("a") as log:
            log.write(f"{where}:\n{text}\n")

    def frame(self, pixels: Any, seconds: float = 0.0, *, shown: bool = True) -> None:
        """Add a frame to the video, and show it to whoever watches the call under way.

        Args:
            pixels: (H, W, 3) uint8.
            seconds: How long the video shows it.
            shown: False for one that reaches them otherwise, or that a newer one follows at once.
        """
        with self._lock:
            if self._closed:
                return
            if self._video is not None:
                self._video.add(pixels, seconds)
            if shown and self._clips is not None and self._call_id is not None:
                image = self._clips.add(self._call_id, pixels, self._camera)
                if image is not None:
                    self.event(FrameShown(call_id=self._call_id, image=image))

    def close(self) -> list[str]:
        """Close all files; returns what went wrong. Further events are dropped."""
        with self._lock:
            if self._closed:
                return []
            self._closed = True
        problems = []
        parts = {
            "episode.mp4": self._video,
            "transcript.json": self._transcript,
            "recipe.jsonl": self._recipe,
            "events.jsonl": self._events,
        }
        for name, part in parts.items():
            try:
                if part is not None:
                    part.close()
            except (OSError, RpentError) as error:
                why = getattr(error, "strerror", None) or error
                problems.append(f"`{name}` could not be completed: {why}.".replace("..", "."))
        if self._video is not None and self._video.error:
            problems.append(self._video.error)
        return problems

    def _derive(self, event: Event) -> None:
        if isinstance(event, ToolCalled):
            self._arguments[event.call_id] = event.arguments
            self._call_id = event.call_id
        elif isinstance(event, ToolReturned):
            self._call_id = None
            arguments = self._arguments.pop(event.call_id, {})
            if event.recipe:
                self._recipe.append(call_of(event, arguments, self._calls).to_line())
                self._calls += 1
        elif isinstance(event, AttemptStarted) and event.attempt > 1:
            self._put_recipe_aside(event.attempt - 1)
        entry = entry_of(event)
        if entry is not None:
            self._transcript.add(entry)

    def _put_recipe_aside(self, attempt: int) -> None:
        """Keep the recipe of the attempt that is over, and begin another. A kill in between leaves both readable."""
        self._recipe.close()
        write_recipe(self.directory.attempt_recipe(attempt), self.directory.recipe.read_bytes())
        write_atomic(self.directory.recipe, b"")
        self._recipe, self._calls = LineLog(self.directory.recipe), 0

    def _load(self) -> None:
        """Read what earlier processes wrote, and put the derived files in line with the events."""
        path = self.directory.events
        repair_lines(path, lambda line: parse_event(line) is not None)
        self.history = list(read_events(path)) if path.exists() else []
        self._next_seq = self.history[-1].seq + 1 if self.history else 0
        *earlier, calls = recipes_from_events(self.history)
        self._calls = len(calls)
        if self.history:
            for number, recipe in enumerate(earlier, start=1):
                write_recipe(self.directory.attempt_recipe(number), lines_of(recipe))
            write_atomic(self.directory.recipe, lines_of(calls))
            self.next_step = last_step_of(self.history) + 1
            drop_steps_after(self.directory, self.next_step - 1)
            drop_clips_without_events(self.directory, self.history)


def last_step_of(events: list[Event]) -> int:
    """Return the newest step that an event vouches for, or -1."""
    steps = [-1]
    for event in events:
        if isinstance(event, (StepCaptured, AttemptStarted)) or (
            isinstance(event, ToolReturned) and event.step is not None
        ):
            steps.append(event.step if event.step is not None else -1)
        elif isinstance(event, RunResumed):
            steps.append(event.step)
    return max(steps)


def _notify(listener: Callable[[Event], None], event: Event) -> None:
    with suppress(Exception):  # an observer never stops a run
        listener(event)
