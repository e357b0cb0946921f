"""The options of the backend `pi0`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator
from rpent.policies.api import PolicyConfig
from rpent.policies.checkpoint import FolderPath, OptionalFolderPath  # noqa: TC002  (pydantic reads the annotations)

CAMERAS = ("observation.images.image", "observation.images.image2")
"""The pictures of LIBERO checkpoints, in the order of LeRobot's and openpi's training data: from the front, then
from the wrist."""


class Pi0Config(PolicyConfig):
    """A local folder with the PI0 of transformers, or with a Pi0 that LeRobot saved."""

    checkpoint: FolderPath = Field(description="Folder with config.json, the weights and the processor.")
    tokenizer: OptionalFolderPath = Field(
        None, description="Folder of the tokenizer (PaliGemma's), where the checkpoint has none."
    )
    cameras: str | None = Field(
        None,
        description="Names of the pictures in the order of training, separated by commas, where the checkpoint has "
        f"none; by default {','.join(CAMERAS)}.",
    )
    dtype: Literal["auto", "float32", "bfloat16"] = Field(
        "auto", description="Numbers to compute with; auto takes those of the weights file."
    )
    denoising_steps: int | None = Field(
        None, ge=1, le=100, description="Steps of flow matching; by default what the checkpoint says."
    )
    instruction_tokens: int = Field(
        48, ge=8, le=1024, description="Tokens of an instruction; what is longer is cut."
    )

    @field_validator("cameras")
    @classmethod
    def _distinct(cls, value: str | None) -> str | None:
        names = camera_names(value)
        if value is not None and (not names or len(set(names)) != len(names)):
            raise ValueError("give names that differ, separated by commas.")
        return value


def camera_names(value: str | None) -> tuple[str, ...]:
    """Return the names in a comma-separated list."""
    return tuple(name.strip() for name in (value or "").split(",") if name.strip())
