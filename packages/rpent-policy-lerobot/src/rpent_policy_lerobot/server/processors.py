"""The pipelines before and after the model: names, batch axis, tokens, device, normalisation."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lerobot.policies.factory import make_pre_post_processors
from lerobot.processor import ProcessorStep
from rpent.errors import PolicyError

from rpent_policy_lerobot.checkpoint import POSTPROCESSOR, PREPROCESSOR, read_processor, step_name
from rpent_policy_lerobot.companions import TOKENIZER_STEP

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DEVICE_STEP = "device_processor"


def load(
    folder: Path, settings: Any, *, device: str, tokenizer: str | None
) -> tuple[Callable[[dict[str, Any]], dict[str, Any]], Callable[[Any], Any]]:
    """Load both pipelines.

    Args:
        folder: The checkpoint.
        settings: LeRobot's configuration of it.
        device: Where the policy is.
        tokenizer: The tokenizer's folder.

    Returns:
        The one before the model (a batch of observations → the model's inputs) and the one after it ((B, T, A) →
        (B, T, A) in the checkpoint's units).

    Raises:
        PolicyError: A step cannot be made.
    """
    before, after = _step_names(folder, PREPROCESSOR), _step_names(folder, POSTPROCESSOR)
    overrides: dict[str, Any] = {}
    if DEVICE_STEP in before:
        overrides[DEVICE_STEP] = {"device": device}
    if TOKENIZER_STEP in before:
        overrides[TOKENIZER_STEP] = {"tokenizer_name": tokenizer}
    try:
        pre, post = make_pre_post_processors(
            settings,
            pretrained_path=str(folder),
            preprocessor_overrides=overrides,
            postprocessor_overrides={DEVICE_STEP: {"device": "cpu"}} if DEVICE_STEP in after else {},
        )
    except Exception as error:  # each step has errors of its own
        raise PolicyError(
            f"The processors of the checkpoint `{folder}` cannot be made.", hint=str(error).strip()[:600]
        ) from error
    return pre, post


def _step_names(folder: Path, pipeline: str) -> set[str]:
    """Return the names of a pipeline's steps, of which each must be one: LeRobot would call any class or function."""
    steps = read_processor(folder, pipeline)
    for step in steps:
        if "registry_name" in step:
            continue
        module, _, name = str(step["class"]).rpartition(".")
        try:
            found = getattr(import_module(module), name, None)
        except ImportError as error:
            raise PolicyError(
                f"The step `{step['class']}` of `{pipeline}` cannot be imported: {error}."
            ) from error
        if not (isinstance(found, type) and issubclass(found, ProcessorStep)):
            raise PolicyError(f"`{step['class']}`, which `{pipeline}` names, is no step of a pipeline.")
    return {step_name(step) for step in steps}
