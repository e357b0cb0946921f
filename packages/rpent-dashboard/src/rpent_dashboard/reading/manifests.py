"""run.json as far as it can be read: damaged, older, newer or missing ones too."""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from pydantic_core import from_json, to_json
from rpent.encodable import encodable
from rpent.runs.directory import FORMAT

from rpent_dashboard.reading.newest import first_events, last_events
from rpent_dashboard.reading.opening import opened

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

MAX_MANIFEST = 8_000_000
"""A longer run.json is none."""
_NAME = re.compile(r"(?P<tag>.+)_(?P<planner>[^_]+)_(?P<time>\d{8}-\d{6})(-\d+)?")


@dataclass(frozen=True, slots=True)
class Manifest:
    """What run.json holds."""

    values: dict[str, Any] = field(default_factory=dict)
    version: Literal["current", "older", "newer", "damaged", "missing"] = "current"
    problem: str = ""
    """Why it is damaged or missing, in a sentence."""

    @property
    def readable(self) -> bool:
        """Whether there is something in it."""
        return self.version not in {"damaged", "missing"}


def read_manifest(run: Path) -> Manifest:
    """Read run.json; whatever is in it."""
    try:
        with opened(run / "run.json") as file:
            data = file.read(MAX_MANIFEST)
        values = json.loads(data)
        if b"\\ud" in data.lower():  # perhaps half of a surrogate pair, which nothing can write
            values = encodable(values)
    except FileNotFoundError:
        return Manifest(version="missing", problem="The run has no `run.json`.")
    except OSError as error:
        return Manifest(version="damaged", problem=f"`run.json` cannot be read: {error.strerror or error}.")
    except (ValueError, RecursionError):
        return Manifest(version="damaged", problem="`run.json` is damaged: it is no JSON.")
    if not isinstance(values, dict):
        return Manifest(version="damaged", problem="`run.json` is damaged: it holds no object.")
    version = values.get("format", 0)
    if not isinstance(version, int) or version < FORMAT:
        return Manifest(values, "older")
    return Manifest(values, "newer" if version > FORMAT else "current")


def for_browser(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return it without the list of installed packages, and as JSON that browsers read.

    Of one that is nested too deeply for that nothing is returned.
    """
    shown = dict(values)
    if isinstance(versions := shown.get("versions"), dict):
        shown["versions"] = {name: value for name, value in versions.items() if name != "packages"}
    try:
        ((((result,),),),) = from_json(to_json([[[[shown]]]], inf_nan_mode="null"))
    except ValueError:
        return {}
    return dict(result)


def head(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return robot, planner, instruction and time of creation where run.json has them, also as older versions did."""
    task = values.get("task")
    found = {
        "robot": name_of(values.get("robot")),
        "planner": name_of(values.get("planner")),
        "instruction": text(values.get("instruction")),
        "created": seconds(values.get("created", values.get("created_at", values.get("started")))),
    }
    if isinstance(task, dict):
        found["instruction"] = text(task.get("instruction")) or found["instruction"]
    elif isinstance(task, str):
        found["instruction"] = found["instruction"] or task
    return {name: value for name, value in found.items() if value is not None}


def salvaged(run: Path) -> dict[str, Any]:
    """Return what the events and the folder's name say, for a run whose run.json does not."""
    found: dict[str, Any] = {}
    if match := _NAME.fullmatch(run.name):
        found = {"tag": match["tag"], "planner": match["planner"], "created": _stamp(match["time"])}
    for number, event in enumerate(first_events(run / "events.jsonl")):
        if number == 0 and (created := seconds(event.get("time"))) is not None:
            found["created"] = created
        if event.get("type") == "run_started":
            said = {name: text(event.get(name)) for name in ("robot", "planner", "instruction", "tag")}
            found |= {name: value for name, value in said.items() if value is not None}
            if isinstance(event.get("seed"), int):
                found["seed"] = event["seed"]
            break
    if "created" not in found:
        found["created"] = run.stat().st_mtime
    return found


def outcome_of(run: Path, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return how the run ended; empty where nothing says so. The last event knows it where run.json does not."""
    outcome = values.get("outcome")
    if outcome is None:
        newest = next(last_events(run / "events.jsonl"), {})
        outcome = newest.get("outcome") if newest.get("type") == "run_ended" else None
    if isinstance(outcome, str):
        return {"benchmark_success": {"success": True, "failure": False}.get(outcome), "reason": outcome}
    return outcome if isinstance(outcome, dict) else {}


def name_of(value: Any) -> str | None:
    """Return the name of a plugin."""
    return text(value.get("name") if isinstance(value, dict) else value)


def text(value: Any) -> str | None:
    """Return a text that is not empty."""
    return value if isinstance(value, str) and value else None


def seconds(value: Any) -> float | None:
    """Return a time in seconds since the epoch; texts are read as ISO 8601."""
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value).timestamp()
        except (ValueError, OverflowError, OSError):
            return None
    number = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e11
    return float(value) if number else None


def _stamp(value: str) -> float | None:
    try:
        return time.mktime(time.strptime(value, "%Y%m%d-%H%M%S"))
    except (ValueError, OverflowError):
        return None
