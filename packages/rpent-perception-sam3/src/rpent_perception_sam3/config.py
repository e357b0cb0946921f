"""The options of the perception server `sam3/perception`."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field
from rpent.policies.checkpoint import FolderPath, OptionalFolderPath  # noqa: TC002  (pydantic reads the annotations)


class Sam3Config(BaseModel):
    """A local checkpoint of SAM 3, and what counts as found."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    checkpoint: FolderPath = Field(
        description="Folder of SAM 3 as transformers reads it: with config, weights, processor and tokenizer, or with "
        "the folders `detector` and `tracker`."
    )
    tracker: OptionalFolderPath = Field(
        None,
        description="Folder of the tracker, which answers points; by default in the checkpoint's folder.",
    )
    device: str = Field(
        "auto", description="auto, cpu, cuda, cuda:1, mps; auto takes the best that is there."
    )
    dtype: Literal["auto", "float32", "bfloat16"] = Field(
        "float32", description="Numbers to compute with; auto takes those of the weights file."
    )
    score_threshold: float = Field(
        0.3, ge=0.0, le=1.0, description="What scores less is not found, whatever a caller asks for."
    )
    mask_threshold: float = Field(
        0.5, ge=0.0, le=1.0, description="How sure a pixel must be to belong to the thing."
    )
    kept_pictures: int = Field(
        4, ge=1, le=64, description="Pictures whose features are kept for further prompts."
    )
