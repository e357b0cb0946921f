"""Recording a dataset: a worker runs the policy, this side writes what it sends."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import ValidationError
from rpent.errors import UsageError

from rpent_robosmith.datasets.api import CameraColumn, Episode, VectorColumn
from rpent_robosmith.datasets.writing.api import Header
from rpent_robosmith.reports import EpisodeRecord
from rpent_robosmith.work.api import Job, Limits, WorkError
from rpent_robosmith.work.requirements import policy_requirements

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from rpent_robosmith.catalog.entry import EnvEntry
    from rpent_robosmith.datasets.writing.api import DatasetWriter
    from rpent_robosmith.facts import EnvFacts, NumberFacts, SpaceFacts
    from rpent_robosmith.work.api import Bench

JOB = "rpent_robosmith.worker.jobs.collect:run"
FIRST_SEED = 2_000_000
"""Seeds of recordings are neither those that train or choose policies nor those that judge them."""
CAMERA = "front"
WHOLE = "state"
_SILENCE_S = 300.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Recording:
    """What is to be recorded."""

    entry: EnvEntry
    facts: EnvFacts
    policy: str
    """`random`, `zero`, or the folder of a policy."""
    episodes: int
    first_seed: int = FIRST_SEED
    format: Literal["lerobot", "robomimic"] = "lerobot"
    rows: int | None = None
    """Rows of a picture; None records none."""
    fps: float | None = None
    """Steps a second; None takes the environment's."""
    task: str | None = None
    """Instruction; None takes the environment's name."""
    only_successes: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Collected:
    """What was recorded."""

    path: Path
    episodes: int
    frames: int
    successes: int
    left_out: int
    """Failed episodes that were not wanted."""
    crashed: int
    """Episodes that raised an error; they are never recorded."""


def collect(
    recording: Recording, out: Path, bench: Bench, told: Callable[[int, int], None] | None = None
) -> Collected:
    """Record a dataset; nothing is left behind where it fails.

    Args:
        recording: What.
        out: The file (robomimic) or folder (LeRobot), which must not exist.
        bench: Runs the worker.
        told: Called with how many episodes are done, and of how many.

    Raises:
        UsageError: Something is at `out`, the rate is unknown, or no episode was left to write.
        WorkError: The worker failed.
    """
    header = _header(recording)
    with tempfile.TemporaryFile() as spool:
        owner = _Owner(recording, header, out, _Spool(spool), told)
        try:
            bench.run(_job(recording), owner.heard)
            return owner.finished()
        except BaseException:
            owner.abandon()
            raise


def _job(recording: Recording) -> Job:
    seeds = range(recording.first_seed, recording.first_seed + recording.episodes)
    return Job(
        run=JOB,
        params={
            "entry": recording.entry.model_dump(mode="json"),
            "policy": recording.policy,
            "seeds": list(seeds),
            "rows": recording.rows,
        },
        limits=Limits(silence_s=_SILENCE_S),
        label=f"record {recording.entry.id}",
        **policy_requirements(recording.entry, recording.policy).fields(),
    )


def _header(recording: Recording) -> Header:
    facts, entry = recording.facts, recording.entry
    fps = recording.fps or facts.control_rate_hz
    if fps is None:
        raise UsageError(f"`{entry.id}` does not say its control rate.", hint="State it: `--fps 20`.")
    action = facts.action
    low, high = action.low, action.high
    if action.kind == "discrete":
        low, high = (float(action.start),), (float(action.start + (action.n or 1) - 1),)
    return Header(
        fps=fps,
        action=VectorColumn(
            shape=(action.size,), dtype="float32", names=_names(facts.action_numbers, action.size)
        ),
        low=low if len(low) == action.size else (),
        high=high if len(low) == action.size else (),
        state=_state(recording),
        cameras={_camera_key(recording): CameraColumn(height=recording.rows, width=0)}
        if recording.rows
        else {},
        environment=entry.env_id,
        environment_settings={"entry": entry.id, "adapter": entry.adapter, **entry.kwargs},
        robot=entry.robot_model or entry.robot,
    )


def _camera_key(recording: Recording) -> str:
    return f"observation.images.{CAMERA}" if recording.format == "lerobot" else f"{CAMERA}_image"


def _state(recording: Recording) -> dict[str, VectorColumn]:
    """Return the columns: each part by its name, and for LeRobot, whose policies want it, the whole as one vector."""
    space, numbers = recording.facts.observation, recording.facts.observation_numbers
    parts = space.parts if space.kind == "dict" else {"": space}
    columns = {
        _state_key(recording, name): VectorColumn(
            shape=(part.size,), dtype="float32", names=_names(numbers.get(name, ()), part.size)
        )
        for name, part in parts.items()
    }
    if recording.format == "lerobot" and space.kind == "dict" and WHOLE not in parts:
        columns[f"observation.{WHOLE}"] = VectorColumn(
            shape=(space.size,), dtype="float32", names=_whole_names(parts, numbers)
        )
    return columns


def _state_key(recording: Recording, part: str) -> str:
    return f"observation.{part or WHOLE}" if recording.format == "lerobot" else part or WHOLE


def _whole_names(
    parts: Mapping[str, SpaceFacts], numbers: Mapping[str, tuple[NumberFacts, ...]]
) -> tuple[str, ...]:
    names = []
    for part, space in sorted(parts.items()):
        own = _names(numbers.get(part, ()), space.size) or tuple(str(i) for i in range(space.size))
        names += [f"{part}.{name}" for name in own]
    return tuple(names)


def _names(numbers: Sequence[NumberFacts], size: int) -> tuple[str, ...]:
    names = tuple(number.name for number in numbers)
    return names if len(names) == size and len(set(names)) == size else ()


class _Spool:
    """Frames of the episode under way, on disk: an episode may have more of them than memory."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self.shape: tuple[int, ...] = ()
        self.count = 0

    def add(self, frames: NDArray[np.uint8]) -> None:
        self.shape = frames.shape[1:]
        self._file.write(np.ascontiguousarray(frames).tobytes())
        self.count += len(frames)

    def frames(self) -> Iterator[NDArray[np.uint8]]:
        self._file.seek(0)
        size = int(np.prod(self.shape))
        for _ in range(self.count):
            yield np.frombuffer(self._file.read(size), np.uint8).reshape(self.shape)

    def clear(self) -> None:
        self._file.seek(0)
        self._file.truncate()
        self.count = 0


class _Owner:
    """Writes what the worker sends."""

    def __init__(
        self,
        recording: Recording,
        header: Header,
        out: Path,
        spool: _Spool,
        told: Callable[[int, int], None] | None,
    ) -> None:
        self._recording, self._header, self._out, self._spool, self._told = (
            recording,
            header,
            out,
            spool,
            told,
        )
        self._writer: DatasetWriter | None = None
        self._successes = self._left_out = self._crashed = 0
        if not recording.rows:
            self._open()
        elif out.exists():
            raise _exists(out)

    def _open(self) -> DatasetWriter:
        """Make the writer: with pictures only once their width is known."""
        if self._writer is None:
            self._writer = _writer(self._recording.format)(self._out, self._header)
        return self._writer

    def heard(self, kind: str, data: Mapping[str, Any]) -> None:
        if kind == "progress" and self._told is not None:
            self._told(int(data["done"]), int(data["total"]))
        elif kind == "frames":
            self._spool.add(np.asarray(data["frames"], np.uint8))
        elif kind == "episode":
            try:
                self._episode(data)
            except (KeyError, TypeError, AttributeError, ValidationError) as error:
                raise WorkError("The worker sent an episode that is none.", kind="protocol") from error
            self._spool.clear()

    def _episode(self, data: Mapping[str, Any]) -> None:
        record = EpisodeRecord.model_validate(data["record"])
        if record.error or not record.length:
            self._crashed += 1
            return
        if self._recording.only_successes and not record.success:
            self._left_out += 1
            return
        if self._header.cameras and not self._writer:
            height, width = self._spool.shape[:2]
            camera = CameraColumn(height=height, width=width)
            self._header = replace(self._header, cameras=dict.fromkeys(self._header.cameras, camera))
        writer = self._open()
        self._successes += record.success
        writer.add(
            Episode(
                index=writer.episodes,
                name=str(record.seed),
                actions=data["actions"],
                state=self._columns(data["observations"]),
                rewards=data["rewards"],
                success=record.success,
                task=self._recording.task or self._recording.entry.name,
                pictures=dict.fromkeys(self._header.cameras, self._spool.frames),
            )
        )

    def _columns(self, observations: Mapping[str, NDArray[np.generic]]) -> dict[str, NDArray[np.generic]]:
        columns = {_state_key(self._recording, part): rows for part, rows in observations.items()}
        if (whole := f"observation.{WHOLE}") in self._header.state and whole not in columns:
            columns[whole] = np.concatenate(
                [np.asarray(observations[part], np.float64) for part in sorted(observations)], axis=1
            )
        return columns

    def finished(self) -> Collected:
        writer = self._writer
        if writer is None or not writer.episodes:
            raise UsageError(
                f"No episode was left to write: {self._left_out} failed and {self._crashed} crashed.",
                hint="Record more episodes, or those that fail too.",
            )
        path = writer.finish()
        return Collected(
            path=path,
            episodes=writer.episodes,
            frames=writer.frames,
            successes=self._successes,
            left_out=self._left_out,
            crashed=self._crashed,
        )

    def abandon(self) -> None:
        if self._writer is not None:
            self._writer.abandon()


def _writer(name: str) -> type[DatasetWriter]:
    if name == "robomimic":
        from rpent_robosmith.datasets.writing.robomimic import RobomimicWriter  # noqa: PLC0415

        return RobomimicWriter
    from rpent_robosmith.datasets.writing.lerobot import LerobotWriter  # noqa: PLC0415

    return LerobotWriter


def _exists(path: Path) -> UsageError:
    return UsageError(
        f"`{path}` exists already.", hint="Choose another place, or remove it; nothing is overwritten."
    )
