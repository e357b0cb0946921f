"""What `chunk_step` is asked to look at on its way (`rpent.env.types.ChunkObserve`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rpent_manipulation.env import guardrails

MAX_LOOKS = 64


@dataclass(frozen=True, kw_only=True, slots=True)
class Watch:
    """Which cameras, how large, and after how many of the chunk's control steps."""

    cameras: tuple[str, ...] = ()
    size: Any = 256
    at: frozenset[int] = frozenset()


def parse_observe(observe: Any, length: int) -> Watch:
    """Return what to look at; without a wish nothing.

    Args:
        observe: The parameter of `chunk_step`.
        length: The chunk's control steps.

    Raises:
        GuardrailError: It is no such wish.
    """
    if observe is None:
        return Watch()
    if not isinstance(observe, Mapping) or set(observe) - {"cameras", "size", "at"}:
        raise guardrails.GuardrailError("`observe` is not a mapping with `cameras`, `size` and `at`.")
    cameras = guardrails.names(observe.get("cameras", ()), guardrails.MAX_PICTURES, "`observe.cameras`")
    at = observe.get("at", ())
    if not isinstance(at, list | tuple) or len(at) > MAX_LOOKS:
        raise guardrails.GuardrailError(f"`observe.at` is not a list of at most {MAX_LOOKS} control steps.")
    steps = frozenset(guardrails.count(step, 1, length, "each of `observe.at`") for step in at)
    return Watch(cameras=tuple(cameras), size=observe.get("size", 256), at=steps)
