"""The policy's configuration object, from `config.json` and the user's options."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lerobot.configs.policies import PreTrainedConfig
from rpent.errors import PolicyError, clause

from rpent_policy_lerobot.checkpoint import CONFIG, read_config
from rpent_policy_lerobot.server import sdk

if TYPE_CHECKING:
    from rpent_policy_lerobot.config import LerobotConfig

_STEPS = ("num_steps", "num_inference_steps")
"""What the families call the number of denoising steps."""
_NEWER = "Build the environment of LeRobot 0.6: `rpent env sync lerobot-06`; it is taken for this checkpoint."
_PI0_FAMILY = ("pi0", "pi05", "pi0_fast")


def read(config: LerobotConfig, *, device: str, vlm: str | None) -> Any:
    """Return LeRobot's configuration of the checkpoint, with nothing in it that leads to the network.

    Args:
        config: The options.
        device: Where the policy shall be.
        vlm: The folder of the vision-language model's configuration.

    Raises:
        PolicyError: This LeRobot does not know the type or a setting.
    """
    folder = Path(config.checkpoint)
    saved = read_config(folder)
    _check_known(folder, saved)
    try:
        settings = PreTrainedConfig.from_pretrained(folder)
    except Exception as error:  # draccus has a family of errors of its own, and each class its checks
        raise PolicyError(
            f"LeRobot {sdk.lerobot_version()} cannot read `{folder / CONFIG}`.", hint=clause(error)
        ) from error
    for name, value in _replaced(settings, config, device, vlm).items():
        setattr(settings, name, value)
    return settings


def _check_known(folder: Path, saved: dict[str, Any]) -> None:
    known = {field.name for field in fields(sdk.config_class(saved["type"]))} | {"type"}
    if unknown := sorted(saved.keys() - known):
        raise PolicyError(
            f"The checkpoint `{folder}` was saved by a newer LeRobot than {sdk.lerobot_version()}: "
            f"it has the settings {', '.join(f'`{name}`' for name in unknown[:4])}.",
            hint=_NEWER,
        )
    if saved["type"] in _PI0_FAMILY and sdk.lerobot_version().startswith("0.4."):
        raise PolicyError(
            f"`{saved['type']}` does not work in LeRobot {sdk.lerobot_version()} with the released transformers.",
            hint=_NEWER,
        )


def _replaced(settings: Any, config: LerobotConfig, device: str, vlm: str | None) -> dict[str, Any]:
    unknown = [name for name in config.settings if not hasattr(settings, name)]
    if unknown:
        raise PolicyError(f"The checkpoint's type `{settings.type}` has no setting `{unknown[0]}`.")
    replaced: dict[str, Any] = {**config.settings, "device": device, "pretrained_path": None}
    if hasattr(settings, "pretrained_backbone_weights"):
        replaced["pretrained_backbone_weights"] = None  # the checkpoint's own are loaded over them anyway
    if vlm is not None:
        replaced["vlm_model_name"] = vlm
    if hasattr(settings, "load_vlm_weights"):
        replaced["load_vlm_weights"] = False  # they are in the checkpoint
    if config.denoising_steps is not None:
        replaced[_steps_setting(settings)] = config.denoising_steps
    return replaced


def _steps_setting(settings: Any) -> str:
    for name in _STEPS:
        if hasattr(settings, name):
            return name
    raise PolicyError(
        f"A policy of the type `{settings.type}` does not denoise.", hint="Leave `--denoising-steps` out."
    )
