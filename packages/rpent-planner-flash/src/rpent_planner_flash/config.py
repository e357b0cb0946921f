"""Flash's options."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003  (pydantic reads the annotation)

from pydantic import BaseModel, ConfigDict, Field


class FlashConfig(BaseModel):
    """How flash carries out its plan."""

    model_config = ConfigDict(extra="forbid")

    recipe: Path | None = Field(
        None,
        description="Run directory or recipe.jsonl of an earlier run: its calls are repeated, coordinates"
        " moved along with the objects they were near, instead of a plan made from the instruction.",
    )
    max_attempts: int = Field(8, ge=1, le=20, description="Attempts at each goal before flash gives up.")
    camera: str | None = Field(None, description="Camera to look for things in; default: the tools' own.")
