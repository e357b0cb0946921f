"""The base of RoboSmith's records: frozen, strict about names, and readable back from its JSON."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Data(BaseModel):
    """Plain data. NaN and infinities are written as the strings `NaN` and `Infinity`, and read back as floats."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="strings")
