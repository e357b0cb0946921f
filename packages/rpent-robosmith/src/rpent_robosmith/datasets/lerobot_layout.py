"""`meta/` of a LeRobot dataset: what it declares, its instructions, and in which file each episode is."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from rpent_robosmith.datasets.faults import DatasetError, damaged, mapping
from rpent_robosmith.datasets.lerobot_tables import read_columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

CHUNK_SIZE = 1000
_PLACEHOLDER = re.compile(r"\{(\w+)(?::0?(\d+)d?)?\}")
OWN_KEY = "rpent"
"""Object of `info.json` with what this project's writer adds: the environment, and the action's bounds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Info:
    """`meta/info.json`."""

    version: str
    fps: float | None
    robot: str | None
    features: Mapping[str, dict[str, Any]]
    data_path: str
    video_path: str | None
    chunk_size: int
    total_episodes: int | None
    environment: str | None = None
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()

    @property
    def consolidated(self) -> bool:
        """Whether several episodes share a file (v3)."""
        return self.version.startswith("v3")


@dataclass(frozen=True, kw_only=True, slots=True)
class Clip:
    """Where an episode's video is."""

    file: Path
    from_s: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where an episode is."""

    index: int
    length: int
    file: Path
    task: str | None = None
    videos: Mapping[str, Clip] = field(default_factory=dict)


def read_json(path: Path) -> Any:
    """Read a JSON file.

    Raises:
        DatasetError: It is missing or damaged.
    """
    try:
        return json.loads(path.read_bytes())
    except FileNotFoundError:
        raise DatasetError(f"`{path}` is missing.") from None
    except (OSError, ValueError, RecursionError) as error:
        raise damaged(path, error) from None


def read_info(root: Path) -> Info:
    """Read `meta/info.json`.

    Raises:
        DatasetError: It is damaged, or of a version that is not read.
    """
    path = root / "meta" / "info.json"
    values = mapping(read_json(path), path, "it")
    version = str(values.get("codebase_version", ""))
    if not re.fullmatch(r"v[23]\.\d+", version):
        raise DatasetError(
            f"`{path}` is of version `{version[:40] or 'unknown'}`; v2.0, v2.1 and v3.0 are read.",
            hint="LeRobot's own conversion scripts bring older datasets to v2 and v3.",
        )
    features = mapping(values.get("features"), path, "`features`")
    for key, feature in features.items():
        mapping(feature, path, f"the feature `{key}`")
    fps, episodes, chunk = values.get("fps"), values.get("total_episodes"), values.get("chunks_size")
    own = values.get(OWN_KEY)
    own = own if isinstance(own, dict) else {}
    return Info(
        version=version,
        fps=float(fps) if isinstance(fps, (int, float)) and fps > 0 else None,
        robot=values.get("robot_type") if isinstance(values.get("robot_type"), str) else None,
        features=features,
        data_path=str(values.get("data_path", "")),
        video_path=values.get("video_path") if isinstance(values.get("video_path"), str) else None,
        chunk_size=chunk if isinstance(chunk, int) and chunk > 0 else CHUNK_SIZE,
        total_episodes=episodes if isinstance(episodes, int) else None,
        environment=own.get("environment") if isinstance(own.get("environment"), str) else None,
        low=_numbers(own.get("action_low")),
        high=_numbers(own.get("action_high")),
    )


def read_tasks(root: Path, info: Info) -> dict[int, str]:
    """Return the instructions by their index; none where the dataset has no such file."""
    if info.consolidated:
        path = root / "meta" / "tasks.parquet"
        if not path.is_file():
            return {}
        columns = read_columns(path, None)
        numbers = columns.pop("task_index", [])
        texts: list[Any] = next(iter(columns.values()), [])
    else:
        lines = list(_lines(root / "meta" / "tasks.jsonl"))
        numbers, texts = [line.get("task_index") for line in lines], [line.get("task") for line in lines]
    pairs = zip(numbers, texts, strict=False)
    return dict(sorted((number, str(text)) for number, text in pairs if isinstance(number, int)))


def read_places(root: Path, info: Info, videos: tuple[str, ...]) -> list[Place]:
    """Return where each episode is, in the order of `episode_index`.

    Raises:
        DatasetError: The list of episodes is missing or damaged.
    """
    rows = list(_rows_v3(root) if info.consolidated else _lines(root / "meta" / "episodes.jsonl"))
    place = _place_v3 if info.consolidated else _place_v2
    try:
        places = [place(root, info, row, videos) for row in rows]
    except (KeyError, TypeError, ValueError) as error:
        raise damaged(root / "meta", f"its list of episodes lacks {error}") from None
    return sorted(places, key=lambda each: each.index)


def _place_v2(root: Path, info: Info, row: Mapping[str, Any], videos: tuple[str, ...]) -> Place:
    index = int(row["episode_index"])
    values: dict[str, int | str] = {"episode_index": index, "episode_chunk": index // info.chunk_size}
    clips = {
        key: Clip(file=_file(root, info.video_path, values | {"video_key": key}), from_s=0.0)
        for key in videos
        if info.video_path
    }
    return Place(
        index=index,
        length=int(row["length"]),
        file=_file(root, info.data_path, values),
        task=_first(row.get("tasks")),
        videos=clips,
    )


def _place_v3(root: Path, info: Info, row: Mapping[str, Any], videos: tuple[str, ...]) -> Place:
    numbers = {"chunk_index": int(row["data/chunk_index"]), "file_index": int(row["data/file_index"])}
    clips = {}
    for key in videos:
        chunk = row.get(f"videos/{key}/chunk_index")
        if chunk is not None and info.video_path:
            number = int(row[f"videos/{key}/file_index"])
            values: dict[str, int | str] = {
                "video_key": key,
                "chunk_index": int(chunk),
                "file_index": number,
            }
            clips[key] = Clip(
                file=_file(root, info.video_path, values), from_s=float(row[f"videos/{key}/from_timestamp"])
            )
    return Place(
        index=int(row["episode_index"]),
        length=int(row["length"]),
        file=_file(root, info.data_path, numbers),
        task=_first(row.get("tasks")),
        videos=clips,
    )


def _rows_v3(root: Path) -> Iterator[dict[str, Any]]:
    files = sorted((root / "meta" / "episodes").glob("*/*.parquet"))
    if not files:
        raise DatasetError(f"`{root / 'meta' / 'episodes'}` holds no list of episodes.")
    for file in files:
        columns = read_columns(file, lambda name: not name.startswith("stats/"))
        for values in zip(*columns.values(), strict=True):
            yield dict(zip(columns, values, strict=True))


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield mapping(json.loads(line), path, f"line {number}")
    except FileNotFoundError:
        raise DatasetError(f"`{path}` is missing.") from None
    except (OSError, ValueError, RecursionError) as error:
        if isinstance(error, DatasetError):
            raise
        raise damaged(path, f"line {number}: {error}") from None


def _file(root: Path, template: str | None, values: Mapping[str, int | str]) -> Path:
    """Fill a path's template; only `{name}` and `{name:03d}` are known, and nothing leads out of the dataset."""

    def fill(match: re.Match[str]) -> str:
        value = values[match[1]]
        return f"{value:0{int(match[2])}d}" if match[2] and isinstance(value, int) else str(value)

    if not template:
        raise damaged(root / "meta" / "info.json", "it has no `data_path`")
    relative = PurePosixPath(_PLACEHOLDER.sub(fill, template))
    if relative.is_absolute() or ".." in relative.parts:
        raise damaged(root / "meta" / "info.json", f"`{template[:80]}` leads out of the dataset")
    return root / Path(*relative.parts)


def _first(tasks: Any) -> str | None:
    return str(tasks[0]) if isinstance(tasks, list) and tasks else tasks if isinstance(tasks, str) else None


def _numbers(value: Any) -> tuple[float, ...]:
    if isinstance(value, list) and all(isinstance(number, (int, float)) for number in value):
        return tuple(float(number) for number in value)
    return ()
