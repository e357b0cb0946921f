"""The base of RoboSmith's records: frozen, strict about names, and readable back from its JSON."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, ConfigDict


class Data(BaseModel):
    """Plain data. NaN and infinities are written as the strings `NaN` and `Infinity`, and read back as floats."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="strings")

    def plain(self, **choice: Any) -> dict[str, Any]:
        """Return what its JSON holds, NaN and infinities as strings; `model_dump(mode="json")` leaves them as floats.

        Args:
            choice: `include`, `exclude` of `model_dump`.
        """
        values: dict[str, Any] = json.loads(self.model_dump_json(**choice))
        return values
