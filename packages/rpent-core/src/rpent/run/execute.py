"""`execute`: one request, one episode, one outcome."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rpent.cancel import CancelToken
from rpent.planners.driving import check_planner
from rpent.run.episode import Episode, Surroundings
from rpent.run.lock import RunLock
from rpent.run.manifest import fresh_manifest
from rpent.run.progress import progress_for
from rpent.run.resolve import resolve
from rpent.run.signals import Interrupts
from rpent.runs.directory import create
from rpent.runs.recorder import Recorder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rpent.run.request import RunRequest
    from rpent.run.resolve import Registry
    from rpent.run.steering import Steering
    from rpent.runs.events import Event
    from rpent.runs.outcome import Outcome
    from rpent.services.shared import SharedServices


def execute(
    request: RunRequest,
    *,
    registry: Registry | None = None,
    cancel: CancelToken | None = None,
    on_event: Callable[[Event], None] | None = None,
    on_directory: Callable[[Path], None] | None = None,
    steering: Steering | None = None,
    shared: SharedServices | None = None,
) -> Outcome:
    """Run one episode.

    What is wrong before the run directory exists is raised; later failures are in the outcome and in the
    directory.

    Args:
        request: What to run.
        registry: Where robots, planners and perceptors come from; the installed plugins when None.
        cancel: Ends the run as Ctrl-C does; for runs outside the main thread.
        on_event: Called with every event.
        on_directory: Called with the run directory, once it is there and before anything happens in it.
        steering: A user who may edit the task and speak to the planner; the run is then interactive.
        shared: Lends the services of scope `shared`, which outlive the run; it starts its own when None.

    Raises:
        UsageError: A value of the request is not accepted.
        PluginError: A plugin that it names cannot be used.
        ModelError: The planner's SDK, key or model server cannot be used.
        RunDirectoryError: The output directory cannot be written.
    """
    with Interrupts() as interrupts, progress_for(request.progress) as progress:
        started = time.monotonic()
        resolved = resolve(request, registry)
        check_planner(resolved.planner, request.limits)
        directory = create(request.output_dir, resolved.setup.tag, resolved.planner_spec.name)
        with RunLock(directory.path):
            manifest = fresh_manifest(resolved)
            manifest["timings_s"]["resolve"] = round(time.monotonic() - started, 3)
            directory.write_manifest(manifest)
            if on_directory is not None:
                on_directory(directory.path)
            recorder = Recorder(directory, record_video=request.record_video, live=request.live)
            recorder.listen(progress.on_event)
            if on_event is not None:
                recorder.listen(on_event)
            if steering is not None:
                recorder.listen(steering.on_event)
            surroundings = Surroundings(
                interrupts=interrupts, cancel=cancel or CancelToken(), steering=steering, shared=shared
            )
            outcome = Episode(resolved, recorder, manifest, surroundings).run()
        progress.finish(outcome)
        return outcome
