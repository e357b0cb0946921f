"""What the page of a run needs before its events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent.errors import RpentError
from rpent.plugins import registry
from rpent.specs import RobotSpec

from rpent_dashboard.reading.files import FILES, logs_of
from rpent_dashboard.reading.liveness import is_over
from rpent_dashboard.reading.manifests import for_browser, read_manifest
from rpent_dashboard.reading.newest import first_events

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rpent.run.resolve import Registry

    from rpent_dashboard.reading.manifests import Manifest
    from rpent_dashboard.reading.rows import Row

_HEAD = 1_000_000
"""Bytes of the event log in which the cameras are looked for."""


def detail_of(run: Path, row: Row, plugins: Registry | None = None) -> dict[str, Any]:
    """Return run.json as far as it can be read, what to know about it, the robot's dashboard, files and logs.

    Args:
        run: The run's folder.
        row: What the library says of it.
        plugins: Where robots come from; None: what is installed.
    """
    manifest = read_manifest(run)
    files = {name: size for name in FILES if (size := _size(run / name)) is not None}
    live = row.state == "running" or not is_over(run)
    return {
        "row": row.to_json(),
        "manifest": for_browser(manifest.values),
        "notices": [{"code": code, "text": text} for code, text in _notices(row, manifest, files, live)],
        "dashboard": dashboard_of(run, _spec(row.robot, plugins or registry.current())),
        "files": files,
        "logs": [{"service": name, "size": _size(path) or 0} for name, path in logs_of(run).items()],
        "live": live,
    }


def _notices(row: Row, manifest: Manifest, files: dict[str, int], live: bool) -> Iterator[tuple[str, str]]:
    """Yield what whoever looks at the run should know."""
    if not manifest.readable and not (live and manifest.version == "missing"):
        yield "damaged_manifest", f"{manifest.problem} What is shown comes from the events."
    if manifest.version == "older":
        yield "older_version", "The run was recorded by an older version; some of it may not be shown."
    if manifest.version == "newer":
        yield "newer_version", "The run was recorded by a newer version; some of it may not be shown."
    if not files.get("events.jsonl") and not live:
        yield "no_events", "The run has no events."
    elif row.thumbnail is None and not live:
        yield "no_pictures", "The run has no pictures."
    if row.state == "interrupted" and not live:
        yield "interrupted", f"The run was interrupted before its end; `rpent resume {row.name}` goes on."
    privileged = manifest.values.get("privileged_perceptors")
    if isinstance(privileged, list) and privileged:
        yield "privileged", f"Perception read ground truth: {', '.join(map(str, privileged))}."
    caveats = manifest.values.get("caveats")
    for caveat in caveats if isinstance(caveats, list) else ():
        yield "caveat", str(caveat)
    problems = manifest.values.get("problems")
    for problem in problems if isinstance(problems, list) else ():
        yield "problem", str(problem)


def dashboard_of(run: Path, spec: RobotSpec | None) -> dict[str, Any]:
    """Return the cameras and the names of the services, as the robot says them, or as the run shows them."""
    dashboard = spec.dashboard if spec else None
    frames = [
        {"camera": frame.camera, "label": frame.label or frame.camera, "role": frame.role}
        for frame in (dashboard.frames if dashboard else ())
    ]
    return {
        "frames": frames or [{"camera": name, "label": name, "role": _role(name)} for name in _cameras(run)],
        "service_labels": dict(dashboard.service_labels) if dashboard else {},
        "installed": spec is not None,
    }


def _spec(robot: str | None, plugins: Registry) -> RobotSpec | None:
    """Return the robot's description, where it is installed and works."""
    if not robot:
        return None
    try:
        spec = plugins.get("robots", robot)
    except RpentError:
        return None
    return spec if isinstance(spec, RobotSpec) else None


def _cameras(run: Path) -> list[str]:
    """Return the cameras that the first step with pictures names, the main one first."""
    for event in first_events(run / "events.jsonl", _HEAD):
        if event.get("type") in ("step", "tool_returned") and event.get("step") is not None:
            shown = [*_list(event, "images"), *_list(event, "views")]
            names = [image.get("name") for image in shown if isinstance(image, dict)]
            if found := list(dict.fromkeys(name for name in names if isinstance(name, str) and name)):
                return found
    return []


def _list(event: dict[str, Any], name: str) -> list[Any]:
    value = event.get(name)
    return value if isinstance(value, list) else []


def _role(camera: str) -> str:
    return "wrist" if "wrist" in camera or "hand" in camera else "fixed"


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size if path.is_file() else None
    except OSError:
        return None
