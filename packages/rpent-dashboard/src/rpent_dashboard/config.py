"""Where the dashboard listens, and who may use it."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003  (pydantic reads the annotations)

from pydantic import BaseModel, ConfigDict, Field


class DashboardConfig(BaseModel):
    """Options of `rpent dashboard` and, with `--dashboard-` in front, of `rpent run --dashboard`."""

    model_config = ConfigDict(extra="forbid")

    host: str = Field(
        "127.0.0.1", description="Address to listen on; beyond loopback a token file is needed."
    )
    port: int = Field(
        8420, ge=0, le=65535, description="Port; the next free one where it is taken, 0 for any."
    )
    token_file: Path | None = Field(
        None,
        description="File with the token that opens the dashboard; without one it is made anew each time.",
    )
    allowed_host: list[str] = Field(
        [], description="Further names by which browsers may reach it, such as a proxy's."
    )
