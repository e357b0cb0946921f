"""The perceptor contract: named things, found in a picture.

A perceptor that reads ground truth which the benchmark hides is marked privileged in its `PerceptorSpec`; a run that
used one says so in run.json.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from rpent.env.types import Observation
    from rpent.rpc.channel import Channel


@dataclass(frozen=True, kw_only=True, slots=True)
class Segment:
    """One candidate for what was asked for."""

    label: str
    """What the perceptor calls it: an instance label without its index (`black bowl`)."""
    score: float
    """0 to 1."""
    mask: NDArray[np.bool_]
    """(H, W) bool, for the upright picture."""
    box: tuple[int, int, int, int]
    """row_min, col_min, row_max, col_max, inclusive."""


class Perceptor(Protocol):
    """Finds things by a text prompt or by a point."""

    def segment(
        self,
        observation: Observation,
        camera: str,
        *,
        prompt: str | None = None,
        point: tuple[int, int] | None = None,
        min_score: float = 0.2,
        max_candidates: int = 8,
    ) -> Sequence[Segment]:
        """Return the candidates, best first; empty when nothing fits. `point` is [row, col]."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PerceptorContext:
    """What a perceptor is built from."""

    channels: Mapping[str, Channel]
    """The run's services by name (`env`, `perception`)."""
    config: Any = None
    """The validated config model of the `PerceptorSpec`, where it names one."""
