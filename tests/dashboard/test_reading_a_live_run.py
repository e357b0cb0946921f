"""A run of a real simulator, read while it happens: whatever an event names is there when the event arrives."""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
from pathlib import Path
from typing import Any

import pytest
from rpent.plugins import registry
from rpent.run import RunRequest, execute
from rpent_dashboard.reading.files import depth_file, depth_picture, picture
from rpent_dashboard.reading.library import Library
from rpent_dashboard.reading.stream import run_stream

pytestmark = pytest.mark.sim


def run_with_flash(output_dir: Path) -> None:
    request = RunRequest(
        robot="libero",
        planner="flash",
        robot_config={"suite": "libero_object_swap", "task": 2},
        output_dir=output_dir,
        progress="quiet",
        live=True,
    )
    execute(request, registry=registry.current())


async def first_run(library: Library) -> str:
    async for _ in library.changes():
        if rows := library.rows():
            assert rows[0].state == "running"
            return rows[0].key
    raise AssertionError("no run began")


async def watched(library: Library) -> list[dict[str, Any]]:
    """Follow the run, and look at once for everything that its events name."""
    run = library.run(await first_run(library))
    events: list[dict[str, Any]] = []
    async for message in run_stream(library.watcher, run, 0):
        if not message.startswith(b"event: events"):
            continue
        for event in json.loads(message.split(b"data: ", 1)[1]):
            for image in [*event.get("images", []), *event.get("views", []), event.get("image")]:
                if image is not None:
                    data, _ = picture(run, image["path"], image["sha256"])
                    assert hashlib.sha256(data).hexdigest() == image["sha256"]
            for camera in event.get("depth", []):
                _, (near, far) = depth_picture(depth_file(run, event["step"], camera), None, None)
                assert 0 < near < far
            events.append(event)
    return events


def test_everything_that_an_event_names_is_there_when_it_arrives(tmp_path: Path) -> None:
    library = Library(tmp_path / "runs")
    library.output_dir.mkdir()
    thread = threading.Thread(target=run_with_flash, args=(library.output_dir,))
    thread.start()
    events = asyncio.run(asyncio.wait_for(watched(library), 200))
    thread.join()
    kinds = [event["type"] for event in events]
    assert [event["seq"] for event in events] == list(range(len(events)))
    assert (kinds[0], kinds[-1]) == ("run_started", "run_ended")
    assert "frame" in kinds
    assert any(event.get("views") for event in events)
    (row,) = library.rows()
    assert (row.state, row.outcome, row.suite, row.has_video) == (
        "ended",
        "success",
        "libero_object_swap",
        True,
    )
