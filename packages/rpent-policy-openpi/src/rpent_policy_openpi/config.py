"""Options of the backend `openpi`."""

from __future__ import annotations

import re
from pathlib import Path  # noqa: TC003  (pydantic reads the annotations)
from typing import Literal

from pydantic import Field, field_validator
from rpent.home import expanded
from rpent.policies.api import PolicyConfig

_CAMERA = re.compile(r"(?P<name>[^=\s]+)(=(?P<height>[1-9]\d{0,3})x(?P<width>[1-9]\d{0,3}))?")
_VECTOR = re.compile(r"(?P<name>[^=\s]+)=(?P<length>[1-9]\d{0,3})")


class OpenpiConfig(PolicyConfig):
    """Where the server is, and what it takes: openpi's servers do not say."""

    checkpoint: str = Field(
        description="Address of the openpi server: ws://HOST:PORT, wss://HOST/PATH or HOST:PORT."
    )
    preset: Literal["libero", "droid", "aloha"] = Field(
        "libero", description="Names and sizes as in openpi's example of that name."
    )
    cameras: tuple[str, ...] = Field(
        (),
        description="A picture that the server takes instead of the preset's, NAME or NAME=HEIGHTxWIDTH; repeatable. "
        "A dot leads into a nested map.",
    )
    state: tuple[str, ...] = Field(
        (), description="A vector that it takes instead of the preset's, NAME=LENGTH; repeatable."
    )
    action_dim: int | None = Field(None, ge=1, le=1024, description="Numbers of one action.")
    horizon: int | None = Field(
        None,
        ge=1,
        le=4096,
        description="Actions of one answer; by default what the server's first answer has.",
    )
    channels_first: bool | None = Field(
        None, description="Whether the server wants pictures as (3, H, W); by default what the preset says."
    )
    api_key_file: Path | None = Field(
        None, description="File with the key for a server that wants `Authorization: Api-Key ...`."
    )
    timeout_s: float = Field(50.0, gt=0, le=3600, description="Seconds to wait for one answer.")
    connect_timeout_s: float = Field(
        10.0, gt=0, le=600, description="Seconds to keep trying while nobody listens there."
    )

    @field_validator("cameras")
    @classmethod
    def _pictures(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return _all_match(value, _CAMERA, "NAME or NAME=HEIGHTxWIDTH")

    @field_validator("state")
    @classmethod
    def _vectors(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return _all_match(value, _VECTOR, "NAME=LENGTH")

    @field_validator("api_key_file")
    @classmethod
    def _absolute(cls, value: Path | None) -> Path | None:
        """The server's process may run in another folder."""
        return expanded(value) if value is not None else None


def camera(text: str) -> tuple[str, int | None, int | None]:
    """Return name, height and width of one of `OpenpiConfig.cameras`."""
    match = _CAMERA.fullmatch(text)
    assert match is not None
    height, width = match["height"], match["width"]
    return match["name"], int(height) if height else None, int(width) if width else None


def vector(text: str) -> tuple[str, int]:
    """Return name and length of one of `OpenpiConfig.state`."""
    match = _VECTOR.fullmatch(text)
    assert match is not None
    return match["name"], int(match["length"])


def _all_match(value: tuple[str, ...], pattern: re.Pattern[str], form: str) -> tuple[str, ...]:
    for text in value:
        if pattern.fullmatch(text) is None:
            raise ValueError(f"`{text}` is not of the form {form}")
    return value
