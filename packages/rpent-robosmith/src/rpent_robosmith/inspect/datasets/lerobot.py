"""LeRobot datasets, v2.0, v2.1 and v3.0."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rpent_robosmith.datasets.open import kind_of
from rpent_robosmith.inspect.api import ArtefactFacts, Fault, Feature, Inspector, local
from rpent_robosmith.inspect.datasets.facts import Totals, facts_of, read, samples_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rpent_robosmith.datasets.lerobot_layout import Info

_TOLERANCE = 0.05
"""Of a standard deviation: stored statistics that differ by more are of other data."""


class LerobotDatasetInspector(Inspector):
    """Reads `meta/`, and every step's numbers for the statistics; pictures are opened for samples only."""

    def recognises(self, artefact: str) -> bool:
        """Whether it is a folder with `meta/info.json`."""
        path = local(artefact)
        return path is not None and kind_of(path) == "lerobot"

    def inspect(self, artefact: str, *, samples: int = 0) -> ArtefactFacts:
        """Return what the dataset holds."""
        from rpent_robosmith.datasets.lerobot import LerobotReader  # noqa: PLC0415
        from rpent_robosmith.datasets.lerobot_layout import read_info  # noqa: PLC0415

        path = Path(artefact).expanduser()
        with LerobotReader(path) as reader:
            totals, info = read(reader), read_info(path)
            faults = (*_missing_videos(path, info, tuple(reader.cameras)), *_statistics(path, info, totals))
            found = facts_of(artefact, reader, totals, faults)
            versions, stored = {"codebase": info.version}, stored_statistics(path) or {}
            observation = {
                key: _with_channels(each, stored.get(key)) for key, each in found.observation.items()
            }
            details = dict(found.details)
            if samples:
                details["samples"] = samples_of(reader, samples)
        return found.model_copy(update={"versions": versions, "observation": observation, "details": details})


def _with_channels(feature: Feature, stored: Any) -> Feature:
    """Return a picture's feature with the mean and deviation of its channels, 0 … 1, as `meta/` has them."""
    mean, std = _numbers(stored, "mean"), _numbers(stored, "std")
    if (
        feature.kind != "image"
        or mean is None
        or std is None
        or not mean.size == std.size == feature.shape[2]
    ):
        return feature
    return feature.model_copy(update={"mean": tuple(map(float, mean)), "std": tuple(map(float, std))})


def _missing_videos(path: Path, info: Info, cameras: tuple[str, ...]) -> Iterator[Fault]:
    from rpent_robosmith.datasets.lerobot_layout import read_places  # noqa: PLC0415

    videos = tuple(key for key in cameras if info.features[key].get("dtype") == "video")
    files = {clip.file for place in read_places(path, info, videos) for clip in place.videos.values()}
    if missing := sorted(file for file in files if not file.is_file()):
        name = missing[0].relative_to(path) if missing[0].is_relative_to(path) else missing[0].name
        yield Fault(
            kind="missing_file",
            key=str(name),
            count=len(missing),
            severity="critical",
            text=f"{len(missing)} of {len(files)} video files are not there, `{name}` among them.",
        )


def _statistics(path: Path, info: Info, totals: Totals) -> Iterator[Fault]:
    """Compare what `meta/` says of mean and deviation with the numbers themselves."""
    stored = stored_statistics(path)
    if stored is None:
        name = "episodes_stats.jsonl" if info.version == "v2.1" else "stats.json"
        yield Fault(
            kind="missing_statistics",
            key=f"meta/{name}",
            text=f"`meta/{name}` is not there: nothing normalises with this dataset until it is made again.",
        )
        return
    for key, moments in totals.moments.items():
        mean, std = (_numbers(stored.get(key), name) for name in ("mean", "std"))
        if mean is None or std is None or mean.shape != moments.mean.shape or not moments.count.any():
            continue
        spread = np.maximum(moments.std, 1e-6)
        off = (np.abs(mean - moments.mean) > _TOLERANCE * spread + 1e-6) | (
            np.abs(std - moments.std) > _TOLERANCE * spread + 1e-6
        )
        if off.any():
            yield Fault(
                kind="statistics_mismatch",
                key=key,
                count=int(off.sum()),
                text=f"The stored statistics of {int(off.sum())} of {len(off)} numbers of `{key}` are not those of its "
                "data.",
            )


def stored_statistics(path: Path) -> dict[str, Any] | None:
    """Return `meta/stats.json`, or the episodes' statistics of v2.1 joined; None where there are none."""
    whole, single = path / "meta" / "stats.json", path / "meta" / "episodes_stats.jsonl"
    try:
        if whole.is_file():
            found = json.loads(whole.read_bytes())
            return found if isinstance(found, dict) else None
        if single.is_file():
            lines = [json.loads(line) for line in single.read_bytes().splitlines() if line.strip()]
            return _joined([line["stats"] for line in lines])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return None


def _joined(episodes: list[Mapping[str, Any]]) -> dict[str, Any]:
    """Join episodes' means and deviations, weighted by their counts (the parallel variance formula)."""
    joined: dict[str, Any] = {}
    for key in episodes[0] if episodes else ():
        counts = np.array([float(np.ravel(each[key]["count"])[0]) for each in episodes])
        means = np.array([np.ravel(each[key]["mean"]) for each in episodes], np.float64)
        stds = np.array([np.ravel(each[key]["std"]) for each in episodes], np.float64)
        share = (counts / counts.sum())[:, None]
        mean = (share * means).sum(axis=0)
        variance = (share * (stds**2 + (means - mean) ** 2)).sum(axis=0)
        joined[key] = {"mean": mean.tolist(), "std": np.sqrt(variance).tolist()}
    return joined


def _numbers(stored: Any, name: str) -> np.ndarray[Any, np.dtype[np.float64]] | None:
    if not isinstance(stored, dict) or name not in stored:
        return None
    try:
        return np.ravel(np.asarray(stored[name], np.float64))
    except (TypeError, ValueError):
        return None
