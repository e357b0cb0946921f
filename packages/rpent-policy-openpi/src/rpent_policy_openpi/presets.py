"""What the servers of openpi's own checkpoints take and give: their metadata does not say it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

SIZE = 224
"""Rows and columns of the pictures that every pi0 sees; a client that resizes sends less."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Preset:
    """Names as they stand in an observation; a dot leads into a nested map (`images.cam_high`)."""

    cameras: tuple[str, ...]
    state: Mapping[str, int]
    action_dim: int
    channels_first: bool = False
    """Whether pictures are (3, H, W)."""
    layout: str | None = None
    """The robots' layout that has these names."""
    source: str = field(default="")


PRESETS = {
    "libero": Preset(
        cameras=("observation/image", "observation/wrist_image"),
        state={"observation/state": 8},
        action_dim=7,
        layout="openpi",
        source="examples/libero/main.py and policies/libero_policy.py of openpi",
    ),
    "droid": Preset(
        cameras=("observation/exterior_image_1_left", "observation/wrist_image_left"),
        state={"observation/joint_position": 7, "observation/gripper_position": 1},
        action_dim=8,
        layout="openpi-droid",
        source="examples/droid/main.py and policies/droid_policy.py of openpi",
    ),
    "aloha": Preset(
        cameras=("images.cam_high", "images.cam_left_wrist", "images.cam_right_wrist"),
        state={"state": 14},
        action_dim=14,
        channels_first=True,
        layout="openpi-aloha",
        source="policies/aloha_policy.py of openpi",
    ),
}
