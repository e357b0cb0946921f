"""Whether a checkpoint's processors hold the statistics that normalise; LeRobot passes values through without them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent.errors import PolicyError
from rpent_torch import weights

from rpent_policy_lerobot.checkpoint import step_name

if TYPE_CHECKING:
    from pathlib import Path

NORMALIZER, UNNORMALIZER = "normalizer_processor", "unnormalizer_processor"
_WANTED = {
    "MEAN_STD": ("mean", "std"),
    "MIN_MAX": ("min", "max"),
    "QUANTILES": ("q01", "q99"),
    "QUANTILE10": ("q10", "q90"),
}


def check_statistics(
    folder: Path, saved: dict[str, Any], pre: list[dict[str, Any]], post: list[dict[str, Any]]
) -> None:
    """Refuse a checkpoint whose values would not be normalised, or in another shape.

    Args:
        folder: The checkpoint.
        saved: Its `config.json`.
        pre: The steps before the model.
        post: The steps after it.

    Raises:
        PolicyError: Statistics are missing, or of another shape.
    """
    for step in pre:
        if step_name(step) == NORMALIZER:
            _check_step(folder, step, saved.get("input_features") or {})
    for step in post:
        if step_name(step) == UNNORMALIZER:
            _check_step(folder, step, saved.get("output_features") or {})


def _check_step(folder: Path, step: dict[str, Any], features: dict[str, Any]) -> None:
    state = step.get("state_file")
    found = weights.shapes(folder / state) if state else {}
    modes = (step.get("config") or {}).get("norm_map") or {}
    wanted = {
        f"{name}.{statistic}": int(feature["shape"][0])
        for name, feature in features.items()
        for statistic in _WANTED.get(modes.get(feature["type"], "IDENTITY"), ())
        if "empty_camera" not in name
    }
    missing = [key for key in wanted if key not in found]
    if missing:
        raise PolicyError(
            f"The checkpoint `{folder}` has no statistics to normalise with: `{missing[0]}` is missing"
            f"{f', and {len(missing) - 1} more' if missing[1:] else ''}.",
            hint="Save it again with the statistics of its dataset; a base model must be fine-tuned first.",
        )
    for key, length in wanted.items():
        shape = found[key].shape
        if not shape or shape[0] != length:
            raise PolicyError(
                f"The checkpoint's statistics `{key}` have the shape {shape}, its configuration says {length}."
            )
