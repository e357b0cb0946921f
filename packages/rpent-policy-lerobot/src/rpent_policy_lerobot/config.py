"""The options of the backend `lerobot`."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field
from rpent.policies.api import PolicyConfig
from rpent.policies.checkpoint import OptionalFolderPath  # noqa: TC002  (pydantic reads the annotations)


class LerobotConfig(PolicyConfig):
    """Where a checkpoint and what belongs to it are, and how it is asked."""

    tokenizer: OptionalFolderPath = Field(
        None,
        description="Folder of the tokenizer (SmolVLA, Pi0, Pi0.5), where the checkpoint only names it on the hub.",
    )
    vlm: OptionalFolderPath = Field(
        None,
        description="Folder of the vision-language model's configuration and processor (SmolVLA); no weights needed.",
    )
    denoising_steps: int | None = Field(
        None,
        ge=1,
        le=1000,
        description="Steps of a policy that denoises; by default what the checkpoint says.",
    )
    history: Literal["asked", "repeat"] = Field(
        "asked",
        description="Past observations for a policy that wants several (diffusion): those it was last asked about, "
        "or the present one repeated.",
    )
    trust_code: bool = Field(
        False,
        description="Run Python code that lies beside the checkpoint's tokenizer or vision encoder (pi0_fast, wall_x, "
        "groot want it).",
    )
    settings: dict[str, Any] = Field(
        default_factory=dict,
        description="Values that replace those of the checkpoint's `config.json`, as JSON: "
        '`{"base_model_path": "/models/base"}`.',
    )
