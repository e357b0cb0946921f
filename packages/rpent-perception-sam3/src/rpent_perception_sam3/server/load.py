"""From folders to models that answer, with every weight accounted for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent.errors import PolicyError, clause
from rpent_torch import device as devices
from rpent_torch import hugging_face, weights
from rpent_torch.weights import Differences

from rpent_perception_sam3.checkpoint import read

if TYPE_CHECKING:
    from pathlib import Path

    from rpent.policies.api import Report

    from rpent_perception_sam3.config import Sam3Config
    from rpent_perception_sam3.server.segmenter import Segmenter

_OTHERS = ("detector_model.", "tracker_model.", "tracker_neck.")
"""Beginnings of keys that belong to the other model in a file that has both."""


def load(config: Sam3Config, report: Report) -> Segmenter:
    """Load the detector and, where there is one, the tracker; nothing is ever fetched.

    Raises:
        PolicyError: Something is missing, or does not fit.
    """
    checkpoint = read(config)
    report("importing transformers", 0.05)
    hugging_face.prepare()
    device = devices.choose(config.device)
    transformers = _transformers()
    from rpent_perception_sam3.server.detector import Detector  # noqa: PLC0415  (after the repair)
    from rpent_perception_sam3.server.segmenter import Segmenter  # noqa: PLC0415
    from rpent_perception_sam3.server.tracker import Tracker  # noqa: PLC0415

    report("loading the detector", 0.2)
    processor = _processor(transformers.Sam3Processor, checkpoint.detector)
    model = _model(transformers.Sam3Model, checkpoint.detector, config.dtype)
    detector = Detector(model.to(device).eval(), processor, device=device, config=config)
    tracker = None
    if checkpoint.tracker is not None:
        report("loading the tracker", 0.7)
        points = transformers.Sam3TrackerProcessor(processor.image_processor)
        model = _model(transformers.Sam3TrackerModel, checkpoint.tracker, config.dtype)
        tracker = Tracker(model.to(device).eval(), points, device=device, config=config)
    return Segmenter(detector, tracker, device=device)


def _transformers() -> Any:
    import transformers  # noqa: PLC0415

    if not hasattr(transformers, "Sam3Model") or _version(transformers.__version__) < (5, 24):
        raise PolicyError(
            f"transformers {transformers.__version__} does not read all weights of SAM 3; 5.24 or newer does.",
            hint="rpent env sync transformers",
        )
    transformers.utils.logging.disable_progress_bar()
    transformers.utils.logging.set_verbosity_error()  # what it would warn of is refused
    return transformers


def _version(text: str) -> tuple[int, int]:
    major, minor = text.split(".")[:2]
    return int(major), int(minor)


def _model(kind: Any, folder: Path, dtype: str) -> Any:
    try:
        model, info = kind.from_pretrained(
            folder,
            dtype=dtype,
            local_files_only=True,
            use_safetensors=True,
            ignore_mismatched_sizes=True,  # so that they are listed; they are refused below
            output_loading_info=True,
        )
    except (OSError, ValueError, RuntimeError) as error:
        raise PolicyError(
            f"The weights in `{folder}` cannot be loaded: {clause(error, named=True)}."
        ) from error
    found = weights.loading_differences(info)
    own = tuple(key for key in found.unexpected if not key.startswith(_OTHERS))
    differences = Differences(missing=found.missing, unexpected=own, misshaped=found.misshaped)
    weights.refuse(differences, checkpoint=folder)
    return model


def _processor(kind: Any, folder: Path) -> Any:
    try:
        return kind.from_pretrained(folder, local_files_only=True)
    except Exception as error:  # a damaged file fails in many ways
        raise PolicyError(
            f"The processor in `{folder}` cannot be read: {clause(error, named=True)}."
        ) from error
