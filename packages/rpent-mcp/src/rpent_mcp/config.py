"""Options of the planner `mcp`."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003  (pydantic reads the annotations)

from pydantic import BaseModel, ConfigDict, Field, field_validator
from rpent.home import expanded

DEFAULT_HTTP = "127.0.0.1:8765"


class McpConfig(BaseModel):
    """Where MCP clients find the robot."""

    model_config = ConfigDict(extra="forbid")

    http: str | None = Field(
        default=None,
        description="Listen for MCP clients on HOST:PORT; port 0 takes a free one.  "
        f"[default outside of `rpent mcp`: {DEFAULT_HTTP}]",
    )
    mcp_token_file: Path | None = Field(
        default=None,
        description="File with the token that clients present; made when it does not exist.  "
        "[default: mcp.token in the user's cache]",
    )

    @field_validator("mcp_token_file")
    @classmethod
    def _absolute(cls, value: Path | None) -> Path | None:
        """A resumed run may be started from another folder."""
        return expanded(value) if value is not None else None
