"""How a LeRobot checkpoint normalises: modes and statistics of its processors, and what is missing of them.

LeRobot passes values through where a step has no statistics for them, without a word.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.policies.checkpoint import read_json

from rpent_robosmith.inspect.api import Fault, Feature

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

PREPROCESSOR, POSTPROCESSOR = "policy_preprocessor.json", "policy_postprocessor.json"
_NORMALIZERS = ("normalizer_processor", "unnormalizer_processor")
_MODES = {
    "MEAN_STD": ("mean_std", ("mean", "std")),
    "MIN_MAX": ("min_max", ("min", "max")),
    "QUANTILES": ("quantiles", ("q01", "q99")),
    "QUANTILE10": ("quantiles", ("q10", "q90")),
    "IDENTITY": ("identity", ()),
}


@dataclass(slots=True)
class Normalization:
    """What the two pipelines do to numbers."""

    modes: dict[str, str] = field(default_factory=dict)
    statistics: dict[str, dict[str, NDArray[np.float64]]] = field(default_factory=dict)
    """Feature → statistic → numbers."""
    renamed: dict[str, str] = field(default_factory=dict)
    """Key that the checkpoint is given → key of its `config.json`."""
    tokenizes: bool = False
    faults: list[Fault] = field(default_factory=list)

    @property
    def complete(self) -> bool | None:
        """Whether all statistics are there that its modes need; None where it normalises nothing."""
        if all(mode == "identity" for mode in self.modes.values()):
            return None
        return not any(fault.kind in {"missing_statistics", "missing_file"} for fault in self.faults)

    def applied(self, name: str, feature: Feature) -> Feature:
        """Return a feature with the statistics that the checkpoint holds of it."""
        found = self.statistics.get(name, {})
        low = found.get("min", found.get("q01", found.get("q10")))
        high = found.get("max", found.get("q99", found.get("q90")))
        known = {"mean": found.get("mean"), "std": found.get("std"), "low": low, "high": high}
        update = {each: tuple(map(float, values)) for each, values in known.items() if values is not None}
        return feature.model_copy(update=update)


def read_normalization(folder: Path, saved: dict[str, Any]) -> Normalization:
    """Read both pipelines.

    Args:
        folder: The checkpoint.
        saved: Its `config.json`.

    Raises:
        PolicyError: A file is damaged.
    """
    found = Normalization()
    for name, side in ((PREPROCESSOR, "input_features"), (POSTPROCESSOR, "output_features")):
        if not (folder / name).is_file():
            found.faults.append(
                Fault(
                    kind="missing_file",
                    key=name,
                    count=1,
                    severity="critical",
                    text=f"`{name}` is not there: it was saved by a LeRobot before 0.4, or copied in part.",
                )
            )
            continue
        steps = read_json(folder / name).get("steps")
        for step in steps if isinstance(steps, list) else ():
            if isinstance(step, dict):
                _step(found, folder, step, _object(saved.get(side)))
    return found


def _step(found: Normalization, folder: Path, step: dict[str, Any], features: dict[str, Any]) -> None:
    name = str(step.get("registry_name") or "")
    config = _object(step.get("config"))
    if name == "tokenizer_processor":
        found.tokenizes = True
    elif name == "rename_observations_processor":
        found.renamed |= {str(key): str(value) for key, value in _object(config.get("rename_map")).items()}
    elif name in _NORMALIZERS:
        _normalizer(found, folder, step, _object(config.get("norm_map")), features)


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _normalizer(
    found: Normalization,
    folder: Path,
    step: dict[str, Any],
    norm_map: dict[str, Any],
    features: dict[str, Any],
) -> None:
    stored = _stored(folder, step.get("state_file"), found)
    for name, feature in features.items():
        if not isinstance(feature, dict):
            continue
        mode, wanted = _MODES.get(str(norm_map.get(str(feature.get("type")), "IDENTITY")), ("unknown", ()))
        found.modes[name] = mode
        known = {each: stored[f"{name}.{each}"] for each in _NAMES if f"{name}.{each}" in stored}
        found.statistics[name] = known
        found.faults.extend(_lacking(name, feature, wanted, known))


_NAMES = ("mean", "std", "min", "max", "q01", "q99", "q10", "q90")


def _lacking(
    name: str, feature: dict[str, Any], wanted: tuple[str, ...], known: dict[str, NDArray[np.float64]]
) -> Iterator[Fault]:
    missing = [each for each in wanted if each not in known]
    if missing:
        yield Fault(
            kind="missing_statistics",
            key=name,
            count=len(missing),
            severity="critical",
            text=f"`{name}` is normalised, and the checkpoint has no {' and '.join(missing)} of it.",
        )
    length = int(feature["shape"][0])
    for each in wanted:
        if each in known and known[each].size not in {1, length}:
            yield Fault(
                kind="statistics_mismatch",
                key=name,
                count=int(known[each].size),
                severity="critical",
                text=f"The {each} of `{name}` has {known[each].size} numbers, the feature {length}.",
            )
        elif each in known and not np.isfinite(known[each]).all():
            yield Fault(
                kind="not_finite",
                key=name,
                count=int((~np.isfinite(known[each])).sum()),
                severity="critical",
                text=f"The {each} of `{name}` is not finite.",
            )


def _stored(folder: Path, name: Any, found: Normalization) -> dict[str, NDArray[np.float64]]:
    """Return the statistics of a step by `feature.statistic`, flattened."""
    if not name:
        return {}
    path = folder / str(name)
    if not path.is_file() or path.resolve().parent != folder.resolve():
        found.faults.append(
            Fault(
                kind="missing_file",
                key=str(name),
                count=1,
                severity="critical",
                text=f"`{name}` is not there.",
            )
        )
        return {}
    from safetensors import SafetensorError  # noqa: PLC0415
    from safetensors.numpy import load_file  # noqa: PLC0415

    try:
        return {key: np.ravel(np.asarray(value, np.float64)) for key, value in load_file(path).items()}
    except (SafetensorError, OSError, ValueError, TypeError, KeyError) as error:
        found.faults.append(
            Fault(
                kind="unreadable",
                key=str(name),
                severity="critical",
                text=f"`{name}` is no safetensors file ({type(error).__name__}).",
            )
        )
        return {}
