"""What a LeRobot checkpoint takes and gives, read without LeRobot and torch; and whether all of it is there."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rpent.errors import PolicyError
from rpent.policies.checkpoint import read_json
from rpent.policies.signature import CameraInput, Signature
from rpent_torch import weights

from rpent_policy_lerobot.checkpoint import (
    POSTPROCESSOR,
    PREPROCESSOR,
    read_config,
    read_processor,
)
from rpent_policy_lerobot.companions import find_tokenizer, find_vlm
from rpent_policy_lerobot.environment import LEROBOT_06
from rpent_policy_lerobot.normalization import check_statistics

if TYPE_CHECKING:
    from rpent_policy_lerobot.config import LerobotConfig

NOT_ACTING = frozenset({"reward_classifier", "sarm"})
"""Types that LeRobot saves in the same way, and that give no actions."""

_CHUNK = {"diffusion": "n_action_steps"} | dict.fromkeys(("act", "smolvla", "pi0", "pi05"), "chunk_size")
"""Family → the setting that says how many actions its model gives at once."""
_FAMILIES_06 = frozenset(
    {"pi0", "pi05", "pi0_fast", "evo1", "eo1", "fastwam", "gaussian_actor"}
    | {"lingbot_va", "molmoact2", "multi_task_dit", "vla_jepa"}
)
"""Families that LeRobot 0.4 does not have, or that do not work in it."""
_SINCE_05 = ("pretrained_revision", "gradient_checkpointing", "use_relative_actions")
"""Settings that LeRobot 0.4 does not know."""


def signature(config: LerobotConfig) -> Signature:
    """Read a checkpoint's inputs and outputs.

    Raises:
        PolicyError: It is no LeRobot checkpoint, or a file, statistics, a tokenizer or a VLM's folder is missing.
    """
    folder = Path(config.checkpoint)
    saved = read_config(folder) | config.settings
    tensors = weights.shapes(weights_file(folder))
    check_statistics(
        folder, saved, read_processor(folder, PREPROCESSOR), read_processor(folder, POSTPROCESSOR)
    )
    found = signature_of(saved, execute_steps=config.execute_steps)
    companions = {"tokenizer": find_tokenizer(folder, config), "vlm": find_vlm(folder, saved, config)}
    details = {
        **found.details,
        **{name: value for name, value in companions.items() if value},
        **_training(folder),
    }
    parameters = sum(math.prod(tensor.shape) for tensor in tensors.values())
    return found.model_copy(update={"parameters": parameters, "details": details})


def weights_file(folder: Path) -> Path:
    """Return the weights, which LeRobot keeps in one file.

    Raises:
        PolicyError: It is not there.
    """
    if not (folder / weights.WEIGHTS).is_file():
        raise PolicyError(
            f"The checkpoint `{folder}` has no `{weights.WEIGHTS}`.", hint="Copy the whole folder again."
        )
    return folder / weights.WEIGHTS


def signature_of(saved: dict[str, Any], *, execute_steps: int | None = None) -> Signature:
    """Return the signature that a `config.json` describes.

    Args:
        saved: Its content.
        execute_steps: How many actions of a chunk the user wants carried out.

    Raises:
        PolicyError: It has no inputs or no action.
    """
    family = str(saved["type"])
    action = _vectors(saved.get("output_features"), {"ACTION"})
    inputs = {
        name: feature
        for name, feature in _features(saved.get("input_features")).items()
        if not _is_empty_camera(name, saved)
    }
    if family in NOT_ACTING or not action or not inputs:
        raise PolicyError(
            f"The checkpoint's type `{family}` does not turn observations into actions.",
            hint="Give a policy, such as `act` or `smolvla`.",
        )
    chunk = saved.get(_CHUNK.get(family, ""))
    return Signature(
        family=family,
        cameras={name: _camera(feature) for name, feature in inputs.items() if feature["type"] == "VISUAL"},
        state=_vectors(inputs, {"STATE", "ENV"}),
        action=action,
        chunk_length=chunk,
        execute_steps=_execute_steps(saved, chunk, execute_steps),
        observation_steps=int(saved.get("n_obs_steps") or 1),
        environments=_environments(family, saved),
    )


def _environments(family: str, saved: dict[str, Any]) -> tuple[str, ...]:
    if family in _FAMILIES_06 or any(key in saved for key in _SINCE_05):
        return (LEROBOT_06.name,)
    return ()


def _execute_steps(saved: dict[str, Any], chunk: int | None, wanted: int | None) -> int | None:
    if wanted is not None and chunk is not None and wanted > chunk:
        raise PolicyError(
            f"The policy gives {chunk} actions at once; {wanted} of them cannot be carried out.",
            hint=f"Use `--execute-steps {chunk}` or fewer.",
        )
    return wanted or saved.get("n_action_steps")


def _features(value: Any) -> dict[str, dict[str, Any]]:
    features = value if isinstance(value, dict) else {}
    for name, feature in features.items():
        if not isinstance(feature, dict) or not feature.get("type") or not feature.get("shape"):
            raise PolicyError(f"The checkpoint's feature `{name}` has no `type` and `shape`.")
    return features


def _vectors(features: Any, types: set[str]) -> dict[str, int]:
    return {
        name: math.prod(map(int, feature["shape"]))
        for name, feature in _features(features).items()
        if feature["type"] in types
    }


def _camera(feature: dict[str, Any]) -> CameraInput:
    """The size of the pictures that it was trained on; policies that resize do so from there."""
    _, height, width = feature["shape"]
    return CameraInput(height=height, width=width)


def _is_empty_camera(name: str, saved: dict[str, Any]) -> bool:
    """Whether the policy makes up this picture itself."""
    count = saved.get("empty_cameras") or 0
    return name in {f"observation.images.empty_camera_{index}" for index in range(count)}


def _training(folder: Path) -> dict[str, Any]:
    """Return what `train_config.json` tells about the data, where it is there."""
    if not (folder / "train_config.json").is_file():
        return {}
    train = read_json(folder / "train_config.json")
    dataset, env = train.get("dataset") or {}, train.get("env") or {}
    facts = {"dataset": dataset.get("repo_id"), "environment": env.get("type"), "steps": train.get("steps")}
    return {name: value for name, value in facts.items() if value}
