"""What a policy's checkpoint takes and gives, in its own words."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

Length = Annotated[int, Field(ge=0, le=1_000_000)]
"""Numbers in a vector."""
PastStep = Annotated[int, Field(ge=-10_000, le=-1)]
"""A control step relative to now."""
Count = Annotated[int, Field(ge=1, le=1_000_000)]
Pixels = Annotated[int, Field(ge=1, le=16_384)]


class CameraInput(BaseModel):
    """One picture that a policy wants."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    height: Pixels | None = Field(None, description="Pixels; None where the policy resizes by itself.")
    width: Pixels | None = None


class Signature(BaseModel):
    """The inputs and outputs of a checkpoint: plain data, read without loading a weight.

    Names are the checkpoint's own (`observation.images.image`). Vectors have one axis; an action is the
    concatenation of its parts in the order given.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    family: str
    """`act`, `smolvla`, `pi0`, `bc`, ...: the kind of policy."""
    cameras: dict[str, CameraInput] = {}
    state: dict[str, Length] = {}
    """Vector → its length."""
    action: dict[str, Length] = {}
    """Part → its length, in order; their sum is the action's dimension D."""
    chunk_length: Count | None = None
    """Actions in one answer, T; None where only the server knows."""
    execute_steps: Count | None = None
    """How many of them are meant to be carried out before the next question; None means all."""
    observation_steps: Count = 1
    """How many past observations one inference sees."""
    history: tuple[PastStep, ...] = Field((), max_length=64)
    """The control steps before now of which it wants to see pictures and state besides, oldest first: -6, -4, -2."""
    control_rate_hz: float | None = Field(None, gt=0, allow_inf_nan=False)
    """The rate that it was trained at, where the checkpoint says so."""
    robot: str | None = None
    """The robot that it was trained for, where the checkpoint says so."""
    layout: str | None = None
    """The robot's layout that it was trained with, where the checkpoint says so."""
    environments: tuple[str, ...] = ()
    """Those of the backend's managed environments that can load it; empty means any."""
    parameters: int | None = None
    details: dict[str, Any] = {}
    """Plain data worth showing: version, training task, number of frames, ..."""

    @property
    def action_dim(self) -> int:
        """The length of one action, D."""
        return sum(self.action.values())
