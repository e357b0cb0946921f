"""From a folder to a policy that answers: model and processor, with every weight accounted for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent.errors import PolicyError, clause
from rpent_torch import device as devices
from rpent_torch import hugging_face, weights

from rpent_policy_pi0.checkpoint import ACTION_KEY, STATE_KEY, read
from rpent_policy_pi0.signature import describe

if TYPE_CHECKING:
    from rpent.policies.api import Report

    from rpent_policy_pi0.checkpoint import Checkpoint
    from rpent_policy_pi0.config import Pi0Config
    from rpent_policy_pi0.server.policy import Pi0Policy

_CONFIG_FIELDS = (
    "chunk_size",
    "max_state_dim",
    "max_action_dim",
    "num_inference_steps",
    "min_period",
    "max_period",
    "vlm_config",
    "dit_config",
)
"""What LeRobot's config.json and transformers' have in common, and the sizes that a test may make smaller."""


def load(config: Pi0Config, report: Report) -> Pi0Policy:
    """Load a checkpoint from its folder; nothing is ever fetched.

    Raises:
        PolicyError: Something is missing, or does not fit.
    """
    checkpoint = read(config)
    report("importing transformers", 0.05)
    hugging_face.prepare()
    device = devices.choose(config.device)
    from transformers.utils import logging  # noqa: PLC0415  (after the repair)

    from rpent_policy_pi0.server.policy import Pi0Policy  # noqa: PLC0415

    logging.disable_progress_bar()
    logging.set_verbosity_error()  # what it would warn of is refused
    report("reading the processor", 0.2)
    processor = _processor(checkpoint)
    report("loading the weights", 0.3)
    model = _model(checkpoint, config.dtype)
    _check_image_token(model, processor, checkpoint)
    report(f"moving them to {device}", 0.9)
    model.to(device).eval()
    return Pi0Policy(
        model=model,
        processor=processor,
        signature=describe(checkpoint, config),
        device=device,
        denoising_steps=config.denoising_steps,
        instruction_tokens=config.instruction_tokens,
    )


def _model(checkpoint: Checkpoint, dtype: str) -> Any:
    from transformers import PI0Config, PI0ForConditionalGeneration  # noqa: PLC0415

    if checkpoint.kind == "transformers":
        settings = PI0Config.from_pretrained(checkpoint.folder, local_files_only=True)
    else:
        said = checkpoint.config
        settings = PI0Config(**{name: said[name] for name in _CONFIG_FIELDS if name in said})
    try:
        model, info = PI0ForConditionalGeneration.from_pretrained(
            checkpoint.folder,
            config=settings,
            dtype=dtype,
            local_files_only=True,
            use_safetensors=True,
            ignore_mismatched_sizes=True,  # so that they are listed; they are refused below
            output_loading_info=True,
        )
    except (OSError, ValueError, RuntimeError) as error:
        raise PolicyError(
            f"The weights of `{checkpoint.folder}` cannot be loaded: {clause(error, named=True)}."
        ) from error
    weights.refuse(weights.loading_differences(info), checkpoint=checkpoint.folder)
    return model


def _processor(checkpoint: Checkpoint) -> Any:
    from transformers import AutoTokenizer, PI0ImageProcessor, PI0Processor  # noqa: PLC0415

    try:
        tokenizer = AutoTokenizer.from_pretrained(
            checkpoint.tokenizer, local_files_only=True, trust_remote_code=False
        )
        if checkpoint.kind == "transformers":
            return PI0Processor.from_pretrained(checkpoint.folder, tokenizer=tokenizer, local_files_only=True)
    except Exception as error:  # a damaged file fails in many ways
        raise PolicyError(
            f"The processor of `{checkpoint.folder}` cannot be read: {clause(error, named=True)}."
        ) from error
    return PI0Processor(
        PI0ImageProcessor(**_picture_size(checkpoint)),
        tokenizer,
        **_statistics(checkpoint),
        max_state_dim=int(checkpoint.config.get("max_state_dim", 32)),
        chunk_size=checkpoint.chunk_length,
    )


def _statistics(checkpoint: Checkpoint) -> dict[str, list[float]]:
    from safetensors.numpy import load_file  # noqa: PLC0415

    if checkpoint.normalizer is None:
        raise PolicyError(f"The checkpoint `{checkpoint.folder}` has no statistics.")
    found = load_file(checkpoint.normalizer)
    names = {"state": STATE_KEY, "actions": ACTION_KEY}
    return {
        f"{name}_{what}": found[f"{key}.{what}"].tolist()
        for name, key in names.items()
        for what in ("mean", "std")
    }


def _picture_size(checkpoint: Checkpoint) -> dict[str, Any]:
    """Return the image processor's sizes, from those of the vision tower where the config names one."""
    tower = (checkpoint.config.get("vlm_config") or {}).get("vision_config") or {}
    side, patch = int(tower.get("image_size", 224)), int(tower.get("patch_size", 14))
    return {
        "size": {"max_height": side, "max_width": side},
        "pad_size": {"height": side, "width": side},
        "image_seq_length": (side // patch) ** 2,
    }


def _check_image_token(model: Any, processor: Any, checkpoint: Checkpoint) -> None:
    wanted = int(model.config.vlm_config.image_token_id)
    if processor.image_token_id != wanted:
        raise PolicyError(
            f"The tokenizer in `{checkpoint.tokenizer}` gives a picture the token {processor.image_token_id}, "
            f"the model expects {wanted}.",
            hint="It is another model's tokenizer; give the right one with `--tokenizer`.",
        )
