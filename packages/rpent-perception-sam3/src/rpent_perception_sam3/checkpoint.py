"""Where the detector and the tracker of a SAM 3 checkpoint are, judged from small files and headers of weights.

The detector finds all things that a text names; the tracker finds the one thing at a point. They are two models of
transformers (`Sam3Model`, `Sam3TrackerModel`), in a folder each, or in one file together as in `facebook/sam3`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rpent.errors import PolicyError
from rpent.policies.checkpoint import read_json, require_any
from rpent_torch import weights

if TYPE_CHECKING:
    from rpent_perception_sam3.config import Sam3Config

DETECTOR, TRACKER = "detector", "tracker"
"""The folders inside a checkpoint that has both apart."""
DETECTOR_TYPES = ("sam3", "sam3_video")
TRACKER_TYPES = ("sam3_tracker", "sam3_tracker_video", "sam3_video")
TOKENIZER_FILES = ("tokenizer.json", "vocab.json")
PROCESSOR_FILES = ("processor_config.json", "preprocessor_config.json")
TRACKER_KEYS = ("tracker_model.", "tracker_neck.")
"""Keys of the tracker in a file that has both."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Checkpoint:
    """Folders that can be loaded, as far as their small files tell."""

    detector: Path
    tracker: Path | None
    """None where only texts can be answered."""


def read(config: Sam3Config) -> Checkpoint:
    """Find both models of the checkpoint that the options name.

    Raises:
        PolicyError: It is no SAM 3, or something is missing.
    """
    folder = Path(config.checkpoint)
    detector = folder / DETECTOR if (folder / DETECTOR).is_dir() else folder
    _check(detector, DETECTOR_TYPES, "detector")
    for names, what in ((TOKENIZER_FILES, "tokenizer"), (PROCESSOR_FILES, "processor")):
        hint = f"Copy it there, or save it beside the model: `{what}.save_pretrained(folder)`."
        require_any(detector, names, what, hint=hint)
    if config.tracker:
        tracker = Path(config.tracker)
    elif (folder / TRACKER).is_dir():
        tracker = folder / TRACKER
    else:
        return Checkpoint(detector=detector, tracker=detector if _has_both(detector) else None)
    _check(tracker, TRACKER_TYPES, "tracker")
    return Checkpoint(detector=detector, tracker=tracker)


def _check(folder: Path, types: tuple[str, ...], what: str) -> None:
    weights.shapes(weights.weights_file(folder))
    found = _model_type(folder)
    if found not in types:
        raise PolicyError(
            f"The folder `{folder}` is no {what} of SAM 3: its `config.json` says `{found}`.",
            hint=f"Accepted: {', '.join(f'`{name}`' for name in types)}.",
        )


def _model_type(folder: Path) -> str:
    hint = "It must be a folder that transformers saved SAM 3 in; a bare weights file is not enough."
    return str(read_json(folder / "config.json", hint=hint).get("model_type") or "nothing")


def _has_both(folder: Path) -> bool:
    return any(key.startswith(TRACKER_KEYS) for key in weights.shapes(folder))
