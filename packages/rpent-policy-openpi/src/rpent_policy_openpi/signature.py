"""What an openpi server takes and gives, from the preset and the options: its own metadata is free text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.policies.signature import CameraInput, Signature

from rpent_policy_openpi.address import server_uri
from rpent_policy_openpi.config import OpenpiConfig, camera, vector
from rpent_policy_openpi.presets import PRESETS, SIZE

if TYPE_CHECKING:
    from rpent_policy_openpi.presets import Preset

ACTIONS = "actions"
"""The key of the answer."""


def signature(config: OpenpiConfig) -> Signature:
    """Return what the options say; nobody is asked.

    Raises:
        PolicyError: The checkpoint is not the address of an openpi server.
    """
    preset = PRESETS[config.preset]
    given = config.cameras or config.state or config.action_dim
    return Signature(
        family="openpi",
        cameras=_cameras(config, preset),
        state=dict(vector(text) for text in config.state) or dict(preset.state),
        action={ACTIONS: config.action_dim or preset.action_dim},
        chunk_length=config.horizon,
        execute_steps=config.execute_steps,
        layout=None if given else preset.layout,
        details={"server": server_uri(config.checkpoint), "preset": "" if given else config.preset},
    )


def channels_first(config: OpenpiConfig) -> bool:
    """Return whether the server wants (3, H, W)."""
    preset = PRESETS[config.preset]
    return preset.channels_first if config.channels_first is None else config.channels_first


def _cameras(config: OpenpiConfig, preset: Preset) -> dict[str, CameraInput]:
    if not config.cameras:
        return {name: CameraInput(height=SIZE, width=SIZE) for name in preset.cameras}
    chosen = (camera(text) for text in config.cameras)
    return {name: CameraInput(height=height or SIZE, width=width or SIZE) for name, height, width in chosen}
