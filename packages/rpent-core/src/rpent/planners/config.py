"""The options that every planner of a language model has."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, field_validator

from rpent.planners.address import checked_address

OF_ONE_MODEL = frozenset({"input_usd_per_mtok", "output_usd_per_mtok"})
"""Options that say something of one model; a resumed run with another model does not keep them."""


class ModelConfig(BaseModel):
    """Common fields; a planner's own config model derives from it and may give other defaults."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    model: str | None = Field(default=None, description="The language model.")
    base_url: str | None = Field(
        default=None, description="Address of the model server; the provider's own when left out."
    )
    images: bool = Field(default=True, description="Show pictures to the model; captions are always shown.")
    check: bool = Field(
        default=True, description="Ask the model server for the model and the key before anything starts."
    )
    input_usd_per_mtok: float | None = Field(
        default=None, ge=0, description="USD per million input tokens, for a model with no listed price."
    )
    output_usd_per_mtok: float | None = Field(
        default=None, ge=0, description="USD per million output tokens, for a model with no listed price."
    )
    max_retries: int = Field(
        default=5, ge=0, le=100, description="How often a request is tried again after a passing fault."
    )

    @field_validator("base_url")
    @classmethod
    def _usable(cls, value: str | None) -> str | None:
        return checked_address(value) if value else None
