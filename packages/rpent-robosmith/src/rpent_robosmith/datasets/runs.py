"""RPent's run directories as a dataset: each run that kept its control actions is an episode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.errors import RunDirectoryError
from rpent.runs.directory import RunDirectory
from rpent.runs.steps import read_actions

from rpent_robosmith.datasets.api import DatasetReader, Episode, VectorColumn
from rpent_robosmith.datasets.faults import DatasetError
from rpent_robosmith.datasets.order import natural

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

SUCCESS_FIELD = "outcome.benchmark_success"


class RunsReader(DatasetReader):
    """A run directory, or a folder of them. Pictures and state are kept once a tool call, so episodes have none."""

    format = "rpent-runs"
    fps = None
    success_source = SUCCESS_FIELD

    def __init__(self, path: Path) -> None:
        """Find the runs that kept their actions.

        Raises:
            DatasetError: None did, or they are of different robots.
        """
        self.path = path
        folders = _folders(path)
        self._runs: list[tuple[Path, dict[str, Any]]] = []
        without: list[str] = []
        for folder in folders:
            manifest = RunDirectory(folder).read_manifest()
            (self._runs.append((folder, manifest)) if _has_actions(folder) else without.append(folder.name))
        if not self._runs:
            raise DatasetError(
                f"No run in `{path}` kept its control actions.",
                hint="Runs of LIBERO and RoboCasa keep them.",
            )
        robots = sorted({manifest["robot"]["name"] for _, manifest in self._runs})
        if len(robots) > 1:
            raise DatasetError(
                f"The runs in `{path}` are of different robots: {', '.join(robots)}.",
                hint="Give the runs of one robot.",
            )
        self.robot, self.total_episodes = robots[0], len(self._runs)
        self.tasks = tuple(dict.fromkeys(str(m["task"]["instruction"]) for _, m in self._runs))
        found = (actions for folder, _ in self._runs if len(actions := _actions(folder)))
        self._width = width = next(found, np.zeros((0, 1))).shape[1]
        self.action = VectorColumn(shape=(width,), dtype="float64")
        self.notes = ("Runs keep state and pictures once a tool call, not once a step: none are read.",)
        if without:
            self.notes += (f"{len(without)} of {len(folders)} runs kept no control actions: left out.",)

    def episodes(self, first: int = 0, count: int | None = None) -> Iterator[Episode]:
        """Yield the runs in natural order of their names."""
        end = None if count is None else first + count
        for index, (folder, manifest) in list(enumerate(self._runs))[first:end]:
            outcome = manifest.get("outcome") or {}
            success = outcome.get("benchmark_success")
            actions = _actions(folder)
            yield Episode(
                index=index,
                name=folder.name,
                actions=actions if len(actions) else np.zeros((0, self._width)),
                success=success if isinstance(success, bool) else None,
                task=str(manifest["task"]["instruction"]),
            )


def _folders(path: Path) -> list[Path]:
    if (path / "run.json").is_file():
        return [path]
    found = {file.parent for pattern in ("*/run.json", "*/*/run.json") for file in path.glob(pattern)}
    return sorted(found, key=lambda folder: natural(str(folder.relative_to(path))))


def _steps(folder: Path) -> list[int]:
    steps = RunDirectory(folder).steps
    names = [entry.name for entry in steps.iterdir()] if steps.is_dir() else []
    return sorted(int(name) for name in names if name.isdecimal())


def _has_actions(folder: Path) -> bool:
    directory = RunDirectory(folder)
    return any((directory.step(index) / "actions.npy").is_file() for index in _steps(folder))


def _actions(folder: Path) -> NDArray[np.float64]:
    """Return all control actions of a run, (T, D), over all of its steps."""
    directory = RunDirectory(folder)
    parts = [values for index in _steps(folder) if (values := read_actions(directory, index)) is not None]
    widths = {part.shape[1] for part in parts if len(part)}
    if len(widths) > 1:
        raise RunDirectoryError(f"`{folder}` holds actions of different lengths: {sorted(widths)}.")
    return np.concatenate([part for part in parts if len(part)] or [np.zeros((0, 1))])
