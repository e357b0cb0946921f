"""Random numbers that belong to one episode: the same seed gives the same actions, alone or in a batch, on any device.

The numbers are drawn on the CPU, because each device has a generator of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch


def generator(seed: int) -> torch.Generator:
    """Return a generator for one episode.

    Args:
        seed: Any integer.
    """
    import torch

    return torch.Generator(device="cpu").manual_seed(seed % 2**63)


def normal(
    generators: Sequence[torch.Generator],
    shape: Sequence[int],
    *,
    device: str = "cpu",
    dtype: torch.dtype | None = None,
) -> torch.Tensor:
    """Draw standard normal noise for a batch, each row from the generator of its own episode.

    Args:
        generators: B generators; one that occurs twice gives two different rows.
        shape: The shape of one row.
        device: Where the result shall be.
        dtype: Its type; float32 by default. It is drawn as float32, so that the type does not change the numbers.

    Returns:
        `(B, *shape)`.
    """
    import torch

    rows = [torch.randn(tuple(shape), generator=each, dtype=torch.float32) for each in generators]
    return torch.stack(rows).to(device=device, dtype=dtype or torch.float32)
