"""The layout of a run directory, and how a fresh one is made."""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from rpent.errors import RunDirectoryError, UsageError
from rpent.home import expanded
from rpent.runs.files import unwritable, write_json

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FORMAT = 1
"""Version of the layout, in run.json."""
SHAPE: dict[str, Any] = {
    "rpent": str,
    "created": (int, float),
    "robot": {"name": str},
    "planner": {"name": str},
    "task": {"instruction": str, "tag": str},
    "request": {"robot": str, "planner": str},
    "services": {},
    "timings_s": {},
    "processes": list,
}
"""What every run.json holds, from the moment that its run directory is made."""
ENDED_SHAPE = {"reason": str, "detail": str, "benchmark_success": object, "planner_status": object}
GroupKind = Literal["explore", "dashboard"]
GROUPS: dict[GroupKind, str] = {"explore": "_explore_", "dashboard": "_dashboard_"}
"""What the name of a folder has in it that holds the runs of one exploration, or of one session of a dashboard."""
LAST_EVENT_BYTES = 65536
"""Where the last event is looked for; the end of a run is a short one."""


class RunDirectory:
    """Paths of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def manifest(self) -> Path:
        """run.json."""
        return self.path / "run.json"

    @property
    def events(self) -> Path:
        """The event log."""
        return self.path / "events.jsonl"

    @property
    def recipe(self) -> Path:
        """The recipe."""
        return self.path / "recipe.jsonl"

    @property
    def attempts(self) -> Path:
        """Folder of the earlier attempts of an exploring run."""
        return self.path / "attempts"

    def attempt_recipe(self, attempt: int) -> Path:
        """The recipe of an attempt that another one followed; `recipe` is the last one's."""
        return self.attempts / f"{attempt:02d}" / "recipe.jsonl"

    def recipe_of(self, attempt: int) -> Path:
        """Return the recipe of an attempt, the last one included.

        Raises:
            UsageError: There was no such attempt.
        """
        last = 1
        while self.attempt_recipe(last).is_file():
            last += 1
        if not 1 <= attempt <= last:
            raise UsageError(
                f"The run `{self.path.name}` has no attempt {attempt}.",
                hint=f"Its attempts are numbered from 1 to {last}.",
            )
        return self.recipe if attempt == last else self.attempt_recipe(attempt)

    @property
    def transcript(self) -> Path:
        """The transcript."""
        return self.path / "transcript.json"

    @property
    def video(self) -> Path:
        """The episode's video."""
        return self.path / "episode.mp4"

    @property
    def logs(self) -> Path:
        """Folder of the services' logs."""
        return self.path / "logs"

    @property
    def steps(self) -> Path:
        """Folder of the steps."""
        return self.path / "steps"

    @property
    def clips(self) -> Path:
        """Where frames of motions are, of a run that somebody watched."""
        return self.path / "clips"

    def step(self, index: int) -> Path:
        """Folder of one step."""
        return self.steps / f"{index:04d}"

    def read_manifest(self) -> dict[str, Any]:
        """Read run.json.

        Raises:
            RunDirectoryError: This is not a run directory, or run.json is damaged.
        """
        try:
            values = json.loads(self.manifest.read_bytes())
        except FileNotFoundError:
            raise RunDirectoryError(
                f"`{self.path}` is not a run directory: it has no `run.json`.",
                hint="`rpent runs list` shows the runs.",
            ) from None
        except (OSError, ValueError) as error:
            raise RunDirectoryError(f"`{self.manifest}` cannot be read: {error}.") from None
        if not isinstance(values, dict) or values.get("format") != FORMAT:
            raise RunDirectoryError(f"`{self.manifest}` is not of format {FORMAT}.")
        if values.get("outcome") is None:
            values["outcome"] = self._outcome_in_events()
        shape = SHAPE if values["outcome"] is None else SHAPE | {"outcome": ENDED_SHAPE}
        if (wrong := _misshapen(values, shape)) is not None:
            raise RunDirectoryError(
                f"`{self.manifest}` is damaged: `{wrong}` is missing or not of its kind.",
                hint="`events.jsonl` beside it holds what happened.",
            )
        return values

    def _outcome_in_events(self) -> dict[str, Any] | None:
        """Return how the run ended where a full disk kept it out of run.json: the last event says it."""
        try:
            with self.events.open("rb") as file:
                file.seek(max(0, self.events.stat().st_size - LAST_EVENT_BYTES))
                last = json.loads(file.read().splitlines()[-1])
        except (OSError, ValueError, IndexError):
            return None
        ended = isinstance(last, dict) and last.get("type") == "run_ended"
        return dict(last["outcome"]) if ended else None

    def write_manifest(self, values: Mapping[str, Any]) -> None:
        """Replace run.json."""
        write_json(self.manifest, values)


def _misshapen(values: Mapping[str, Any], shape: Mapping[str, Any], path: str = "") -> str | None:
    """Return the first entry that is not as it should be, as a dotted name."""
    for name, kind in shape.items():
        where, value = f"{path}{name}", values.get(name)
        nested = isinstance(kind, dict)
        if name not in values or not isinstance(value, dict if nested else kind):
            return where
        if nested and (wrong := _misshapen(value, kind, f"{where}.")) is not None:
            return wrong
    return None


def create_group(output_dir: Path, tag: str, kind: GroupKind = "explore") -> Path:
    """Make a fresh folder `<time>_<kind>_<tag>` for run directories that belong together.

    Args:
        output_dir: Where the folder is made.
        tag: What the runs have in common.
        kind: Whether they are of one exploration, or of one session of a dashboard.

    Raises:
        RunDirectoryError: The output directory cannot be written.
    """
    output_dir = expanded(output_dir)
    try:
        output_dir.mkdir(parents=True, exist_ok=True)
        return _claim(output_dir, f"{_stamp()}{GROUPS[kind]}{safe_name(tag)}")
    except OSError as error:
        raise unwritable(output_dir, error) from error


def manifests_in(output_dir: Path) -> list[Path]:
    """Return every run.json of an output directory, those in folders of runs included."""
    grouped = [path for part in GROUPS.values() for path in output_dir.glob(f"*{part}*/*/run.json")]
    return [*output_dir.glob("*/run.json"), *dict.fromkeys(grouped)]


def create(output_dir: Path, tag: str, planner: str) -> RunDirectory:
    """Make a fresh run directory `<tag>_<planner>_<time>`, never one that exists.

    Raises:
        RunDirectoryError: The output directory cannot be written.
    """
    name = f"{safe_name(tag)}_{safe_name(planner)}_{_stamp()}"
    try:
        output_dir = expanded(output_dir)
        output_dir.mkdir(parents=True, exist_ok=True)
        path = _claim(output_dir, name)
        (path / "steps").mkdir()
        (path / "logs").mkdir()
    except OSError as error:
        raise unwritable(output_dir, error) from error
    return RunDirectory(path)


def _stamp() -> str:
    return datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")


def _claim(output_dir: Path, name: str) -> Path:
    for suffix in ("", *(f"-{number}" for number in range(2, 1000))):
        path = output_dir / f"{name}{suffix}"
        try:
            path.mkdir()
        except FileExistsError:
            if not output_dir.is_dir():
                raise
            continue
        return path
    raise FileExistsError(17, "too many runs of the same name in one second", str(output_dir))


def safe_name(text: str) -> str:
    """Return a name that is a valid folder name on every platform."""
    cleaned = re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-. ")
    return cleaned[:80] or "run"
