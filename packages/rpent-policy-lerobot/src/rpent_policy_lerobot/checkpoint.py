"""A checkpoint's folder as LeRobot writes it, read without LeRobot: JSON files and the headers of safetensors.

`config.json` (with `type`), `model.safetensors`, `policy_preprocessor.json`, `policy_postprocessor.json`, and the
statistics that their steps name.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from rpent.errors import PolicyError
from rpent.policies.checkpoint import existing_folder, has_any, read_json

CONFIG = "config.json"
PREPROCESSOR, POSTPROCESSOR = "policy_preprocessor.json", "policy_postprocessor.json"
THIRD_PARTY = "lerobot_policy_"
"""How the names of distributions begin that bring policies of others."""
_MIGRATE = "python -m lerobot.processor.migrate_policy_normalization --pretrained-path"


def read_config(folder: Path) -> dict[str, Any]:
    """Return `config.json`.

    Raises:
        PolicyError: There is no such folder, or it is no LeRobot checkpoint.
    """
    inner = existing_folder(folder) / "pretrained_model"
    hint = f"Give `{inner}`." if (inner / CONFIG).is_file() else "Give the folder that holds it."
    config = read_json(folder / CONFIG, hint=hint)
    if not isinstance(config.get("type"), str) or not isinstance(config.get("output_features"), dict):
        kind = config.get("model_type") or next(iter(config.get("architectures") or ()), None)
        raise PolicyError(
            f"The folder `{folder}` is not a LeRobot checkpoint: its `{CONFIG}` has no `type` and `output_features`.",
            hint=f"It says `{kind}`: another backend may load it." if kind else None,
        )
    if config.get("use_peft") or (folder / "adapter_config.json").is_file():
        raise PolicyError(
            f"The checkpoint `{folder}` holds an adapter (PEFT) instead of whole weights.",
            hint="Merge it into its base policy and save that.",
        )
    return config


def read_processor(folder: Path, name: str) -> list[dict[str, Any]]:
    """Return the steps of a saved pipeline; each has `registry_name` or `class`, `config`, maybe `state_file`.

    Raises:
        PolicyError: The pipeline, or the file of one of its steps, is not there; or a step is no step of a policy.
    """
    if not (folder / name).is_file():
        raise PolicyError(
            f"The checkpoint `{folder}` has no `{name}`: it was saved by an older LeRobot, or copied in part.",
            hint=f"Convert it once, in the environment `lerobot`: `{_MIGRATE} {folder}`.",
        )
    steps = read_json(folder / name).get("steps")
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
        raise PolicyError(f"`{folder / name}` is not a pipeline of LeRobot.")
    for step in steps:
        _check_class(folder, name, step)
        state = step.get("state_file")
        if state and not (folder / state).is_file():
            raise PolicyError(
                f"The checkpoint `{folder}` has no `{state}`, which its `{name}` names.",
                hint="Copy the whole folder again.",
            )
    return steps


def _check_class(folder: Path, name: str, step: dict[str, Any]) -> None:
    """Refuse a step that names no class of LeRobot or of a policy's distribution: LeRobot calls whatever is named."""
    named = step.get("class")
    if "registry_name" in step:
        return
    module, _, class_name = str(named).rpartition(".")
    package = module.partition(".")[0]
    if not class_name or not (package == "lerobot" or package.startswith(THIRD_PARTY)):
        raise PolicyError(
            f"The `{name}` of the checkpoint `{folder}` has the step `{named}`, which is no step of LeRobot.",
            hint=f"Accepted: steps with a `registry_name`, or a class in `lerobot` or in a `{THIRD_PARTY}NAME`.",
        )


def step_name(step: dict[str, Any]) -> str:
    """Return the name that LeRobot's overrides use for a step."""
    return str(step.get("registry_name") or str(step.get("class", "")).rpartition(".")[2])


def local_folder(folder: Path, named: str, inside: str, marks: tuple[str, ...]) -> str | None:
    """Return where something that a checkpoint names on the hub is on this machine, or None.

    Args:
        folder: The checkpoint.
        named: What it says: a folder, or a name on the hub (`google/paligemma-3b-pt-224`).
        inside: Where it may be in the checkpoint itself: `tokenizer`.
        marks: Files of which it has at least one.
    """
    candidates = [folder / named, folder / inside, *_cached(named)]
    return next((str(each) for each in candidates if has_any(each, marks)), None)


def _cached(named: str) -> list[Path]:
    """Return the snapshots of a model in the hub's cache, the newest first."""
    home = Path(os.environ.get("HF_HOME", Path.home() / ".cache" / "huggingface"))
    hub = Path(os.environ.get("HF_HUB_CACHE", home / "hub"))
    snapshots = hub / f"models--{named.replace('/', '--')}" / "snapshots"
    try:
        return sorted(snapshots.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    except OSError:
        return []
