"""What a checkpoint names on the hub and needs in a folder here: a tokenizer, a VLM's configuration."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rpent.errors import PolicyError
from rpent.policies.checkpoint import has_any, require_any

from rpent_policy_lerobot.checkpoint import PREPROCESSOR, local_folder, read_processor, step_name

if TYPE_CHECKING:
    from rpent_policy_lerobot.config import LerobotConfig

TOKENIZER_STEP = "tokenizer_processor"
_TOKENIZER_FILES = ("tokenizer.json", "tokenizer.model", "vocab.json", "spiece.model")
_VLM_FILES = ("config.json",)


def find_tokenizer(folder: Path, config: LerobotConfig) -> str | None:
    """Return the tokenizer's folder, or None where the checkpoint tokenises nothing.

    Raises:
        PolicyError: It needs one that is not on this machine, or the folder given holds none.
    """
    steps = [step for step in read_processor(folder, PREPROCESSOR) if step_name(step) == TOKENIZER_STEP]
    if not steps:
        return None
    named = str(steps[0].get("config", {}).get("tokenizer_name") or "")
    vlm = config.vlm if config.vlm and has_any(Path(config.vlm), _TOKENIZER_FILES) else None
    found = _given(config.tokenizer, "tokenizer", _TOKENIZER_FILES) or vlm
    return found or _local(folder, named, "tokenizer", _TOKENIZER_FILES)


def find_vlm(folder: Path, saved: dict[str, Any], config: LerobotConfig) -> str | None:
    """Return the folder of the vision-language model's configuration, or None where the checkpoint wants none.

    Args:
        folder: The checkpoint.
        saved: Its `config.json`.
        config: The options.

    Raises:
        PolicyError: It needs one that is not on this machine, or the folder given holds none.
    """
    named = saved.get("vlm_model_name")
    if not named:
        return None
    return _given(config.vlm, "vlm", _VLM_FILES) or _local(folder, str(named), "vlm", _VLM_FILES)


def _given(path: str | None, option: str, marks: tuple[str, ...]) -> str | None:
    if path is not None:
        require_any(Path(path), marks, _WORDS[option], hint=f"Give another with `--{option}`.")
    return path


def _local(folder: Path, named: str, option: str, marks: tuple[str, ...]) -> str:
    found = local_folder(folder, named, option, marks)
    if found is None:
        raise PolicyError(
            f"The checkpoint `{folder}` needs the {_WORDS[option]} `{named}`, which is not on this machine.",
            hint=f"Copy it and give its folder: `--{option} DIR` (or put it into `{folder / option}`).",
        )
    return found


_WORDS = {"tokenizer": "tokenizer", "vlm": "configuration and processor of the vision-language model"}
