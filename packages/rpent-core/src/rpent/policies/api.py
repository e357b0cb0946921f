"""What the author of a policy backend imports."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import BaseModel, ConfigDict, Field

from rpent.policies.checkpoint import FolderPath  # noqa: TC001  (pydantic reads the annotations)
from rpent.policies.signature import CameraInput, Signature

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["CameraInput", "PastFrame", "Policy", "PolicyConfig", "PolicyRequest", "Report", "Signature"]


class PolicyConfig(BaseModel):
    """The options that every backend has; a backend's config model adds its own."""

    model_config = ConfigDict(extra="forbid")

    checkpoint: FolderPath = Field(
        description="Folder of the checkpoint, or the address of the server that has it."
    )
    device: str = Field(
        "auto", description="auto, cpu, cuda, cuda:1, mps; auto takes the best that is there."
    )
    execute_steps: int | None = Field(
        None,
        ge=1,
        description="Actions of a chunk that are carried out; by default what the checkpoint says.",
    )
    max_batch: int = Field(8, ge=1, le=256, description="Requests that are answered together at most.")


@dataclass(frozen=True, kw_only=True, slots=True)
class PastFrame:
    """What was to be seen at a control step before a question, in the checkpoint's own names."""

    step: int
    """Control steps relative to the question: -2 is two before it."""
    images: Mapping[str, NDArray[np.uint8]]
    state: Mapping[str, NDArray[np.float32]]


@dataclass(frozen=True, kw_only=True, slots=True)
class PolicyRequest:
    """One question to a policy, in the checkpoint's own names. The arrays belong to the policy."""

    images: Mapping[str, NDArray[np.uint8]]
    """Camera → (H, W, 3) uint8, of the size that the signature wants."""
    state: Mapping[str, NDArray[np.float32]]
    """Vector → (S,) float32."""
    instruction: str
    episode: str
    """Whose memory this is; unique over all runs."""
    step: int
    """How many questions of this episode came before since its reset."""
    seed: int
    """For a policy that samples: the same episode seed and step give the same seed, alone or in a batch."""
    history: tuple[PastFrame, ...] | None = None
    """What the episode showed at the steps of `Signature.history`, oldest first, as far as it goes back: at its
    beginning nothing. Where the robot could not be looked at just then, the nearest to it, with the step that it
    really is of. None is a client that tells nothing of before."""


class Report(Protocol):
    """Called while a checkpoint is loaded."""

    def __call__(self, stage: str, fraction: float | None = None) -> None:
        """Say what is being done (`loading the weights`), and how much of the whole is done."""


class Policy(ABC):
    """A loaded checkpoint. All methods are called on one thread, one at a time."""

    signature: Signature
    device: str = "cpu"
    """Where the weights are: `cpu`, `cuda:0`, `remote`."""

    @abstractmethod
    def infer(self, requests: Sequence[PolicyRequest]) -> Sequence[NDArray[np.floating[Any]]]:
        """Return one (T, D) chunk for each request, in the checkpoint's own units.

        A policy that cannot answer several together answers them one after the other.
        When several fail together, the server asks for each of them alone; a policy with memory must therefore not
        remember a question that it did not answer.

        Raises:
            PolicyError: It cannot answer; the message goes to the planner.
        """

    def reset(self, episode: str) -> None:  # noqa: B027 (a policy without memory has nothing to do)
        """Forget an episode."""

    def facts(self) -> Mapping[str, Any]:
        """Return plain data for `status`: `memory_bytes`, `threads`, `versions`, whatever is worth knowing."""
        return {}

    def close(self) -> None:  # noqa: B027 (a policy without resources has nothing to do)
        """Release the model."""
