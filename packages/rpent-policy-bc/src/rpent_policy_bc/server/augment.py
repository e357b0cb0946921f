"""Pictures as another light, another camera mount would have shown them."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def augmented(images: Tensor, generator: torch.Generator, *, shift: int) -> Tensor:
    """Return (B, 3, S, S) pictures in [-0.5, 0.5], each with its own brightness, contrast, tint, noise and shift."""
    count = len(images)

    def uniform(low: float, high: float, *shape: int) -> Tensor:
        return torch.rand(*shape, generator=generator) * (high - low) + low

    images = images * uniform(0.85, 1.15, count, 1, 1, 1) + uniform(-0.08, 0.08, count, 3, 1, 1)
    if shift:
        images = _shifted(images, generator, shift)
    return images + 0.01 * torch.randn(images.shape, generator=generator)


def _shifted(images: Tensor, generator: torch.Generator, shift: int) -> Tensor:
    count, _, rows, columns = images.shape
    padded = functional.pad(images, (shift, shift, shift, shift), mode="replicate")
    offsets = torch.randint(0, 2 * shift + 1, (count, 2), generator=generator)
    y = offsets[:, :1] + torch.arange(rows)
    x = offsets[:, 1:] + torch.arange(columns)
    batch = torch.arange(count)[:, None, None]
    return padded.permute(0, 2, 3, 1)[batch, y[:, :, None], x[:, None, :]].permute(0, 3, 1, 2)
