"""What is learned from, on disk: one file for each repetition of a demonstration, with pictures, state and actions."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.errors import RunDirectoryError
from rpent.runs.files import write_atomic

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from rpent_policy_bc.demonstrations import Demonstration

FORMAT = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class View:
    """How a demonstration is looked at."""

    size: int = 96
    """Rows and columns of a picture."""
    every: int = 2
    """Control steps between two pictures."""
    perturbed: int = 2
    """Further repetitions in which the hand is pushed off its way, and finds back."""
    noise: float = 0.6
    """How hard it is pushed, as a fraction of the largest action."""

    def key(self, demonstration: Demonstration, repetition: int) -> str:
        """Return the name under which a repetition is kept: all that it depends on, hashed."""
        noise = self.noise if repetition else 0.0
        digest = hashlib.sha256(json.dumps([FORMAT, self.size, self.every, noise, repetition]).encode())
        digest.update(demonstration.snapshot)
        digest.update(np.ascontiguousarray(demonstration.actions).tobytes())
        digest.update(np.ascontiguousarray(demonstration.following).tobytes())
        return digest.hexdigest()[:24]


@dataclass(frozen=True, kw_only=True, slots=True)
class Frames:
    """One repetition of a demonstration; without pictures, when it came out otherwise than the demonstration."""

    images: Mapping[str, NDArray[np.uint8]]
    """Camera → (N, H, W, 3) uint8, upright."""
    state: Mapping[str, NDArray[np.float32]]
    """Field → (N, S)."""
    at: NDArray[np.int64]
    """(N,) the control step of each."""
    actions: NDArray[np.float64]
    """(T, D) the action to take at each control step."""

    def save(self, path: Path) -> None:
        """Write it whole."""
        arrays: dict[str, Any] = {f"image.{name}": value for name, value in self.images.items()}
        arrays |= {f"state.{name}": value for name, value in self.state.items()}
        buffer = io.BytesIO()
        np.savez_compressed(buffer, at=self.at, actions=self.actions, **arrays)
        write_atomic(path, buffer.getvalue())

    @classmethod
    def load(cls, path: Path) -> Frames:
        """Read it.

        Raises:
            RunDirectoryError: The file is damaged.
        """
        try:
            with np.load(path, allow_pickle=False) as archive:
                arrays = {name: archive[name] for name in archive.files}
            return cls(
                images={k.removeprefix("image."): v for k, v in arrays.items() if k.startswith("image.")},
                state={k.removeprefix("state."): v for k, v in arrays.items() if k.startswith("state.")},
                at=arrays["at"],
                actions=arrays["actions"],
            )
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            raise RunDirectoryError(
                f"`{path}` holds no frames of a demonstration.", hint="Delete it; it is made again."
            ) from None
