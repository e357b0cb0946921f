"""Options of the backend `rldx`."""

from __future__ import annotations

import re
from pathlib import Path  # noqa: TC003  (pydantic reads the annotations)

from pydantic import Field, field_validator
from rpent.home import expanded
from rpent.policies.api import PolicyConfig
from rpent.policies.checkpoint import FolderPath  # noqa: TC002  (pydantic reads the annotations)

_VECTOR = re.compile(r"(?P<name>[^=\s]+)=(?P<length>[1-9]\d{0,3})")


class RldxConfig(PolicyConfig):
    """Where the server is, or the checkpoint for which one is started."""

    checkpoint: FolderPath = Field(
        description="tcp://HOST:PORT of a running server, or the folder of a checkpoint for which one is started."
    )
    state: tuple[str, ...] = Field(
        (), description="Length of a state vector that is not known, NAME=LENGTH; repeatable."
    )
    action: tuple[str, ...] = Field(
        (), description="Length of a part of the action that is not known, NAME=LENGTH; repeatable."
    )
    api_token_file: Path | None = Field(
        None, description="File with the `api_token` of a server that wants one."
    )
    timeout_s: float = Field(50.0, gt=0, le=3600, description="Seconds to wait for one answer.")
    connect_timeout_s: float = Field(
        5.0, gt=0, le=600, description="Seconds to wait for a server to be there."
    )
    rldx_python: Path | None = Field(
        None,
        description="Interpreter (Python 3.10) of the environment that has `rlinf-rldx`, to start its server.",
    )
    embodiment_tag: str = Field(
        "GENERAL_EMBODIMENT",
        pattern=r"^[A-Za-z0-9_]+$",
        description="The checkpoint's embodiment, as `run_rldx_server --embodiment-tag` takes it.",
    )
    server_args: tuple[str, ...] = Field(
        (), description="Further arguments of `run_rldx_server`, such as --compile=submodule; repeatable."
    )
    launch_timeout_s: float = Field(
        900.0, gt=0, le=7200, description="Seconds that a server that was started may take to load."
    )

    @field_validator("state", "action")
    @classmethod
    def _vectors(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for text in value:
            if _VECTOR.fullmatch(text) is None:
                raise ValueError(f"`{text}` is not of the form NAME=LENGTH")
        return value

    @field_validator("api_token_file", "rldx_python")
    @classmethod
    def _absolute(cls, value: Path | None) -> Path | None:
        """The server's process may run in another folder."""
        return expanded(value) if value is not None else None


def lengths(texts: tuple[str, ...]) -> dict[str, int]:
    """Return name → length of `RldxConfig.state` or `.action`."""
    return {name: int(length) for name, _, length in (text.partition("=") for text in texts)}
