"""A checkpoint's folder: `config.json` says all that is needed to build the model, `model.safetensors` holds it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError
from rpent.errors import PolicyError
from rpent.policies.signature import CameraInput, Signature

CONFIG, WEIGHTS = "config.json", "model.safetensors"
FORMAT = 1


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Architecture(_Data):
    """The shape of the network."""

    cameras: dict[str, int]
    """Camera → rows and columns."""
    state: dict[str, int]
    """Field → its length."""
    action: dict[str, int]
    """Field → its length."""
    switches: tuple[str, ...] = ()
    """Action fields that are one way or the other (-1 or 1), never between."""
    chunk_length: int = 16
    width: int = 16
    """Channels of the first convolution; the others have twice as many."""
    keypoints: int = 32
    """Places that are looked for in each picture."""
    hidden: int = 256
    goal: str | None = "eef_position"
    """The state field whose value at the end of the approach is guessed on the way to the action."""


class Description(_Data):
    """What config.json holds."""

    format: int = FORMAT
    family: str = "bc"
    robot: str
    control_rate_hz: float
    execute_steps: int
    architecture: Architecture
    training: dict[str, Any] = {}
    """Facts: runs, frames, epochs, losses, versions, the data's digest."""


def read(folder: str | Path) -> Description:
    """Read a checkpoint's description, without its weights.

    Raises:
        PolicyError: There is none, or it is not one of this backend.
    """
    path = Path(folder).expanduser() / CONFIG
    try:
        if path.exists() and not path.is_file():  # a pipe would be waited for
            raise OSError("it is no file")
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise PolicyError(
            f"`{folder}` is not a checkpoint of `bc`: it has no readable `{CONFIG}`.",
            hint="`rpent policy train-bc RUNS… --out DIR` makes one.",
        ) from None
    try:
        found = Description.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise PolicyError(
            f"`{path}` is not a description of a `bc` policy: `{where}`: {first['msg']}."
        ) from None
    if found.format != FORMAT or found.family != "bc":
        raise PolicyError(
            f"`{path}` is of family `{found.family}`, format {found.format}; this version reads `bc`, {FORMAT}."
        )
    return found


def signature_of(description: Description) -> Signature:
    """Return what the policy takes and gives."""
    shape = description.architecture
    return Signature(
        family="bc",
        cameras={name: CameraInput(height=size, width=size) for name, size in shape.cameras.items()},
        state=dict(shape.state),
        action=dict(shape.action),
        chunk_length=shape.chunk_length,
        execute_steps=description.execute_steps,
        control_rate_hz=description.control_rate_hz,
        robot=description.robot,
        layout="native",
        parameters=description.training.get("parameters"),
        details={
            name: description.training[name]
            for name in ("instructions", "demonstrations", "frames", "rpent_policy_bc")
            if name in description.training
        },
    )
