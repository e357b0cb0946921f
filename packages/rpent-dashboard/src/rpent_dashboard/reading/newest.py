"""What the newest events of a run name: its last picture, and how it ended."""

from __future__ import annotations

import os
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from rpent_dashboard.reading.lines import parsed
from rpent_dashboard.reading.opening import opened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

NEAR, FAR = 64_000, 1_000_000
"""Bytes at the end of the event log in which pictures are looked for: first these, then those."""
UNKNOWN_HASH = "-"
"""Instead of the SHA-256 of a picture, in runs that did not record it."""


def last_events(events: Path, most: int = NEAR) -> Iterator[dict[str, Any]]:
    """Yield the events at the end of a log, the newest first; broken lines are left out."""
    return _events(reversed(_end(events, most)))


def first_events(events: Path, most: int = NEAR) -> Iterator[dict[str, Any]]:
    """Yield the events at the beginning of a log, in their order; broken lines are left out."""
    try:
        with opened(events) as file:
            data = file.read(most)
    except OSError:
        return iter(())
    return _events(data[: data.rfind(b"\n") + 1].splitlines())


def _end(path: Path, most: int) -> list[bytes]:
    try:
        with opened(path) as file:
            start = max(0, os.fstat(file.fileno()).st_size - most)
            file.seek(start)
            lines = file.read(most).splitlines()
    except OSError:
        return []
    return lines[1:] if start else lines


def _events(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    for line in lines:
        event = parsed(line)
        if isinstance(event, dict):
            yield event


def thumbnail(run: Path) -> dict[str, str] | None:
    """Return the first picture after the newest step that has one."""
    events = run / "events.jsonl"
    for most in (NEAR, FAR):
        lines = [line for line in _end(events, most) if b'"images":[{' in line or b'"images": [{' in line]
        for event in _events(reversed(lines)):
            if (found := _picture(run, event)) is not None:
                return found
    return _newest_file(run)


def _picture(run: Path, event: dict[str, Any]) -> dict[str, str] | None:
    images = event.get("images")
    if event.get("step") is None or not isinstance(images, list):
        return None
    for image in images:
        path = image.get("path") if isinstance(image, dict) else None
        if isinstance(path, str) and is_picture_path(path) and (run / path).is_file():
            known = image.get("sha256")
            return {"path": path, "sha256": known if isinstance(known, str) and known else UNKNOWN_HASH}
    return None


def is_picture_path(path: str) -> bool:
    """Whether a name from an event can be one of a picture: below `steps` or `clips`, no way up."""
    parts = PurePosixPath(path).parts
    return (
        len(parts) > 1
        and parts[0] in {"steps", "clips"}
        and not any(part.startswith(".") or "\\" in part or "\0" in part for part in parts)
        and path.lower().endswith((".jpg", ".jpeg", ".png", ".webp"))
    )


def _newest_file(run: Path) -> dict[str, str] | None:
    """Return a picture of the last step folder, for runs whose events do not say."""
    try:
        names = (folder.name for folder in (run / "steps").iterdir() if folder.name.isdigit())
        step = max(names, key=int, default=None)
        files = sorted(file.name for file in (run / "steps" / str(step)).glob("*.jpg"))
    except OSError:
        return None
    names_of_cameras = [name for name in files if not name.startswith("call_")] or files
    if not names_of_cameras:
        return None
    return {"path": f"steps/{step}/{names_of_cameras[0]}", "sha256": UNKNOWN_HASH}
