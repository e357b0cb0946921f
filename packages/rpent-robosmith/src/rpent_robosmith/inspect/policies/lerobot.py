"""LeRobot checkpoints, read without LeRobot and torch: `config.json`, the processors and the statistics that they name.

Layout: `config.json` (with `type`), `model.safetensors`, `policy_preprocessor.json`, `policy_postprocessor.json`, and
the safetensors that their normalising steps name (https://huggingface.co/docs/lerobot, policies and processors).
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rpent.errors import PolicyError, UsageError
from rpent.policies.checkpoint import read_json

from rpent_robosmith.inspect.api import ArtefactFacts, Fault, Feature, Inspector, local
from rpent_robosmith.inspect.policies.lerobot_statistics import Normalization, read_normalization

if TYPE_CHECKING:
    from collections.abc import Iterator

CONFIG, WEIGHTS, INNER = "config.json", "model.safetensors", "pretrained_model"
_CHUNK = {"diffusion": "n_action_steps", "vqbet": "action_chunk_size", "tdmpc": "n_action_steps"}
"""Family → the setting that says how many actions its model gives at once; the others call it `chunk_size`."""
_RESIZES = ("resize_imgs_with_padding", "image_resolution", "resize_shape")


class LerobotPolicyInspector(Inspector):
    """Reads the JSON files, the headers of the weights, and the statistics."""

    def recognises(self, artefact: str) -> bool:
        """Whether it is a folder with a policy's `config.json`, or holds one (`pretrained_model`)."""
        path = local(artefact)
        if path is None or not path.is_dir():
            return False
        try:
            saved = read_json(folder_of(path) / CONFIG)
        except PolicyError:
            return False
        return isinstance(saved.get("type"), str) and isinstance(saved.get("output_features"), dict)

    def inspect(self, artefact: str, *, samples: int = 0) -> ArtefactFacts:  # noqa: ARG002 (a policy holds no steps)
        """Return what the policy takes and gives."""
        folder = folder_of(Path(artefact).expanduser())
        try:
            saved = read_json(folder / CONFIG)
            normalization = read_normalization(folder, saved)
            training = _training(folder)
            sides = _features(saved, "input_features"), _features(saved, "output_features")
        except PolicyError as error:
            raise UsageError(error.message, hint=error.hint) from error
        if not sides[1]:
            raise UsageError(f"The checkpoint `{artefact}` gives no action.")
        found = _facts(saved, normalization, *sides)
        faults = (*normalization.faults, *_weights_faults(folder))
        return found.model_copy(
            update={
                "id": artefact,
                "parameters": _parameters(folder),
                "control_rate_hz": training.pop("rate", None),
                "problems": tuple(fault.text for fault in faults),
                "faults": faults,
                "details": {**found.details, **training},
            }
        )


def folder_of(path: Path) -> Path:
    """Return the folder that holds the checkpoint: LeRobot's trainer puts it into `pretrained_model`."""
    return path / INNER if not (path / CONFIG).is_file() and (path / INNER / CONFIG).is_file() else path


def _facts(
    saved: dict[str, Any],
    normalization: Normalization,
    inputs: dict[str, dict[str, Any]],
    outputs: dict[str, dict[str, Any]],
) -> ArtefactFacts:
    family = str(saved["type"])
    chunk = saved.get(_CHUNK.get(family, "chunk_size"))
    resizes = any(saved.get(name) for name in _RESIZES)
    return ArtefactFacts(
        kind="policy",
        id="",
        format="lerobot",
        observation={
            name: normalization.applied(name, _feature(each, resizes=resizes))
            for name, each in inputs.items()
        },
        action={name: normalization.applied(name, _feature(each)) for name, each in outputs.items()},
        chunk_length=chunk if isinstance(chunk, int) else None,
        execute_steps=saved.get("n_action_steps"),
        observation_steps=int(saved.get("n_obs_steps") or 1),
        language=normalization.tokenizes,
        normalization=normalization.modes,
        normalization_statistics=normalization.complete,
        algorithm=family,
        details={
            "renamed": normalization.renamed,
            **{
                name: saved[name]
                for name in ("vision_backbone", "vlm_model_name", "device")
                if saved.get(name)
            },
        },
    )


def _features(saved: dict[str, Any], side: str) -> dict[str, dict[str, Any]]:
    """Return the features of one side that the policy does not make up itself."""
    found = saved.get(side)
    empty = {
        f"observation.images.empty_camera_{index}" for index in range(int(saved.get("empty_cameras") or 0))
    }
    features = {
        name: each for name, each in (found if isinstance(found, dict) else {}).items() if name not in empty
    }
    for name, each in features.items():
        if not isinstance(each, dict) or not each.get("type") or not isinstance(each.get("shape"), list):
            raise PolicyError(f"The checkpoint's feature `{name}` has no `type` and `shape`.")
    return features


def _feature(saved: dict[str, Any], *, resizes: bool = False) -> Feature:
    shape = tuple(int(length) for length in saved["shape"])
    if saved["type"] == "VISUAL" and len(shape) == 3:
        channels, height, width = shape
        return Feature(
            kind="image",
            shape=(height, width, channels),
            dtype="float32",
            channels_first=True,
            resizes=resizes,
        )
    return Feature(kind="vector", shape=shape, dtype="float32")


def _weights_faults(folder: Path) -> Iterator[Fault]:
    if not (folder / WEIGHTS).is_file():
        yield Fault(
            kind="missing_file", key=WEIGHTS, count=1, severity="critical", text=f"`{WEIGHTS}` is not there."
        )


def _parameters(folder: Path) -> int | None:
    """Return how many numbers the weights hold, from the header of the file."""
    if not (folder / WEIGHTS).is_file():
        return None
    from safetensors import SafetensorError, safe_open  # noqa: PLC0415

    try:
        with safe_open(str(folder / WEIGHTS), framework="numpy") as opened:
            return sum(int(math.prod(opened.get_slice(name).get_shape())) for name in opened.keys())  # noqa: SIM118
    except (SafetensorError, OSError):
        return None


def _training(folder: Path) -> dict[str, Any]:
    """Return what `train_config.json` tells: the dataset, the environment and its rate."""
    if not (folder / "train_config.json").is_file():
        return {}
    train = read_json(folder / "train_config.json")
    dataset, env = train.get("dataset") or {}, train.get("env") or {}
    rate = env.get("fps")
    found = {
        "dataset": dataset.get("repo_id"),
        "environment": env.get("type"),
        "steps": train.get("steps"),
        "rate": float(rate) if isinstance(rate, int | float) and rate > 0 else None,
    }
    return {name: value for name, value in found.items() if value}
