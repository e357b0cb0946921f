"""A dataset's columns, statistics and faults, read through the reader of its format."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rpent_robosmith.datasets.statistics import Moments
from rpent_robosmith.inspect.api import ArtefactFacts, Fault, Feature
from rpent_robosmith.inspect.spaces import ACTION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from rpent_robosmith.datasets.api import CameraColumn, DatasetReader, Episode, VectorColumn

FRAMES_LIMIT = 2_000_000
"""Steps of which statistics are taken; of a larger dataset the first episodes up to there, which is then said."""


@dataclass(slots=True)
class Totals:
    """What all episodes together are."""

    moments: dict[str, Moments] = field(default_factory=dict)
    whole: dict[str, bool] = field(default_factory=dict)
    """Column → whether all of its numbers are whole ones, from 0 on."""
    episodes: int = 0
    frames: int = 0
    successes: int = 0
    judged: int = 0
    untold: int = 0
    """Episodes without an instruction."""
    empty: int = 0
    tasks: dict[str, None] = field(default_factory=dict)
    longest: int = 0

    def add(self, episode: Episode) -> None:
        """Count an episode."""
        for key, rows in ((ACTION, episode.actions), *episode.state.items()):
            flat = np.asarray(rows, np.float64).reshape(len(rows), -1)
            self.moments.setdefault(key, Moments(flat.shape[1])).update(flat)
            self.whole[key] = self.whole.get(key, True) and bool(
                (flat == np.floor(flat)).all() and (flat >= 0).all()
            )
        length = len(episode.actions)
        self.episodes += 1
        self.frames += length
        self.empty += length == 0
        self.longest = max(self.longest, length)
        self.judged += episode.success is not None
        self.successes += episode.success is True
        self.untold += not episode.task
        if episode.task:
            self.tasks[episode.task] = None


def read(reader: DatasetReader, limit: int = FRAMES_LIMIT) -> Totals:
    """Go through the episodes, up to so many steps."""
    totals = Totals()
    for episode in reader.episodes():
        totals.add(episode)
        if totals.frames >= limit:
            break
    return totals


def facts_of(
    artefact: str, reader: DatasetReader, totals: Totals, faults: tuple[Fault, ...] = ()
) -> ArtefactFacts:
    """Return a dataset in the shape of all artefacts.

    Args:
        artefact: As the user named it.
        reader: The open dataset.
        totals: What its episodes are.
        faults: Those that the format's own files showed.
    """
    all_faults = (*faults, *_faults(reader, totals))
    observation = {key: _picture(camera) for key, camera in reader.cameras.items()}
    observation |= {key: _vector(column, totals, key) for key, column in reader.state.items()}
    return ArtefactFacts(
        kind="dataset",
        id=artefact,
        format=reader.format,
        observation=observation,
        action={ACTION: _action(reader, totals)} if reader.action is not None else {},
        control_rate_hz=reader.fps,
        language=bool(totals.tasks),
        robot=reader.robot,
        tasks=tuple(totals.tasks)[:1000],
        episodes=reader.total_episodes,
        frames=reader.total_frames if reader.total_frames is not None else totals.frames,
        read=_part(reader, totals),
        success_field=reader.success_source,
        problems=tuple(fault.text for fault in all_faults),
        faults=all_faults,
        notes=tuple(reader.notes),
        details={
            "environment": reader.environment,
            "longest_episode": totals.longest,
            "success_rate": totals.successes / totals.judged if totals.judged else None,
            "encodings": {key: camera.encoding for key, camera in reader.cameras.items()},
        },
    )


def inspected(artefact: str, reader: DatasetReader, samples: int) -> ArtefactFacts:
    """Return what a dataset holds where its format's own files say no more than its reader.

    Args:
        artefact: As the user named it.
        reader: The open dataset.
        samples: So many steps are put into `details["samples"]`.
    """
    found = facts_of(artefact, reader, read(reader))
    if not samples:
        return found
    return found.model_copy(update={"details": {**found.details, "samples": samples_of(reader, samples)}})


def _part(reader: DatasetReader, totals: Totals) -> str:
    if totals.episodes >= reader.total_episodes:
        return "all"
    return f"the first {totals.episodes} of {reader.total_episodes} episodes"


def _picture(camera: CameraColumn) -> Feature:
    return Feature(
        kind="image",
        shape=(camera.height, camera.width, camera.channels),
        dtype="uint8",
        channels_first=False,
    )


def _vector(column: VectorColumn, totals: Totals, key: str) -> Feature:
    moments = totals.moments.get(key)
    return Feature(
        kind="vector",
        shape=column.shape,
        dtype=column.dtype,
        names=column.names if len(column.names) == math.prod(column.shape) else (),
        **_numbers(moments),
    )


def _action(reader: DatasetReader, totals: Totals) -> Feature:
    column = reader.action
    assert column is not None
    found = _vector(column, totals, ACTION)
    if not found.names and len(reader.action_names) == math.prod(column.shape):
        found = found.model_copy(update={"names": tuple(reader.action_names)})
    single = math.prod(column.shape) == 1
    if single and totals.frames and totals.whole.get(ACTION) and found.high and found.high[0] < 1000:
        return found.model_copy(update={"kind": "discrete", "shape": ()})
    return found


def _numbers(moments: Moments | None) -> dict[str, tuple[float, ...]]:
    if moments is None or not moments.count.any():
        return {}
    return {
        "low": _tuple(moments.low),
        "high": _tuple(moments.high),
        "mean": _tuple(moments.mean),
        "std": _tuple(moments.std),
    }


def _tuple(values: NDArray[np.float64]) -> tuple[float, ...]:
    return tuple(float(value) for value in values)


def _faults(reader: DatasetReader, totals: Totals) -> Iterator[Fault]:
    for key, moments in totals.moments.items():
        broken = int(moments.nan.sum() + moments.infinite.sum())
        if broken:
            yield Fault(
                kind="not_finite",
                key=key,
                count=broken,
                severity="critical",
                text=f"`{key}` holds {broken} numbers that are not finite.",
            )
        constant = int(moments.constant.sum())
        if constant and totals.frames > 1:
            yield Fault(
                kind="constant",
                key=key,
                count=constant,
                severity="info" if constant < len(moments.constant) else "warning",
                text=f"{constant} of {len(moments.constant)} numbers of `{key}` never change.",
            )
    if totals.empty:
        yield Fault(kind="count_mismatch", count=totals.empty, text=f"{totals.empty} episodes have no steps.")
    if totals.tasks and totals.untold:
        yield Fault(
            kind="missing_part",
            key="task",
            count=totals.untold,
            text=f"{totals.untold} of {totals.episodes} episodes have no instruction.",
        )
    if (
        reader.total_frames is not None
        and _part(reader, totals) == "all"
        and reader.total_frames != totals.frames
    ):
        yield Fault(
            kind="count_mismatch",
            key="frames",
            count=abs(reader.total_frames - totals.frames),
            text=f"The metadata say {reader.total_frames} steps, the files hold {totals.frames}.",
        )


def samples_of(reader: DatasetReader, count: int) -> list[dict[str, Any]]:
    """Return steps spread over the first episodes: `observation` by key, `action`, `instruction`; pictures decoded.

    Pictures are (H, W, 3) uint8.
    """
    found: list[dict[str, Any]] = []
    per_episode = max(1, math.ceil(count / max(1, min(reader.total_episodes, 4))))
    for episode in reader.episodes(count=4):
        rows = (
            sorted({round(i) for i in np.linspace(0, len(episode.actions) - 1, per_episode)})
            if len(episode.actions)
            else []
        )
        pictures = {key: _frames(frames(), rows) for key, frames in episode.pictures.items()}
        for place, row in enumerate(rows):
            found.append(
                {
                    "observation": {
                        **{key: np.asarray(values[row]) for key, values in episode.state.items()},
                        **{key: frames[place] for key, frames in pictures.items() if place < len(frames)},
                    },
                    "action": np.asarray(episode.actions[row]),
                    "instruction": episode.task or "",
                }
            )
    return found[:count]


def _frames(frames: Iterator[NDArray[np.uint8]], rows: list[int]) -> list[NDArray[np.uint8]]:
    wanted, kept = set(rows), []
    for index, frame in enumerate(frames):
        if index in wanted:
            kept.append(np.ascontiguousarray(frame))
        if rows and index >= rows[-1]:
            break
    return kept
