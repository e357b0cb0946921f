"""The network: each camera's picture becomes some places in it, and these with the state become a chunk of actions.

Places are found by a spatial softmax (Levine et al., 2016): the expected position of each of the last channels. On
the way to the actions the network guesses where the approach will end; the guess goes into the last layers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from rpent_policy_bc.checkpoint import Architecture

GOAL_DIM = 3
"""Length of what is guessed."""


class Eye(nn.Module):  # type: ignore[misc]
    """One camera's picture (B, 3, S, S) in [-0.5, 0.5] → (B, 2 K) positions in [-1, 1]."""

    def __init__(self, width: int, keypoints: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, width, 5, stride=2, padding=2),
            nn.ReLU(),
            nn.Conv2d(width, 2 * width, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(2 * width, 2 * width, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(2 * width, keypoints, 3, padding=1),
        )

    def forward(self, picture: Tensor) -> Tensor:
        """Return x of all places, then y."""
        heat: Tensor = self.layers(picture)
        batch, count, rows, columns = heat.shape
        weights = torch.softmax(heat.reshape(batch, count, rows * columns), dim=2)
        x = torch.linspace(-1.0, 1.0, columns, device=heat.device).repeat(rows)
        y = torch.linspace(-1.0, 1.0, rows, device=heat.device).repeat_interleave(columns)
        return torch.cat([weights @ x, weights @ y], dim=1)


class Network(nn.Module):  # type: ignore[misc]
    """Pictures and state → (B, T, D) actions; in raw units both ways, the scales are among the weights."""

    def __init__(self, shape: Architecture) -> None:
        super().__init__()
        self.shape = shape
        self.eyes = nn.ModuleDict({camera: Eye(shape.width, shape.keypoints) for camera in shape.cameras})
        seen = 2 * shape.keypoints * len(shape.cameras)
        known, dim = sum(shape.state.values()), sum(shape.action.values())
        self.goal = nn.Sequential(
            nn.Linear(seen + known, shape.hidden), nn.ReLU(), nn.Linear(shape.hidden, GOAL_DIM)
        )
        self.head = nn.Sequential(
            nn.Linear(seen + known + 2 * GOAL_DIM, shape.hidden),
            nn.ReLU(),
            nn.Linear(shape.hidden, shape.hidden),
            nn.ReLU(),
            nn.Linear(shape.hidden, shape.chunk_length * dim),
        )
        self.register_buffer("state_mean", torch.zeros(known))
        self.register_buffer("state_scale", torch.ones(known))
        self.register_buffer("action_mean", torch.zeros(dim))
        self.register_buffer("action_scale", torch.ones(dim))
        self.register_buffer("goal_mean", torch.zeros(GOAL_DIM))
        self.register_buffer("goal_scale", torch.ones(GOAL_DIM))

    def forward(self, images: dict[str, Tensor], state: Tensor) -> tuple[Tensor, Tensor]:
        """Return normalised actions (B, T, D), switches as logits, and the normalised guess of the goal (B, 3).

        Args:
            images: Camera → (B, 3, S, S) in [-0.5, 0.5].
            state: (B, S), raw.
        """
        known = (state - self.state_mean) / self.state_scale
        seen = torch.cat([self.eyes[camera](images[camera]) for camera in self.shape.cameras], dim=1)
        goal = self.goal(torch.cat([seen, known], dim=1))
        remaining = self._remaining(goal, state)
        flat = self.head(torch.cat([seen, known, goal, remaining], dim=1))
        return flat.reshape(len(state), self.shape.chunk_length, -1), goal

    def actions(self, images: dict[str, Tensor], state: Tensor) -> Tensor:
        """Return (B, T, D) actions in the robot's units."""
        normalised, _ = self(images, state)
        raw = normalised * self.action_scale + self.action_mean
        switches = switch_columns(self.shape)
        raw[..., switches] = torch.where(normalised[..., switches] >= 0, 1.0, -1.0)
        return raw

    def _remaining(self, goal: Tensor, state: Tensor) -> Tensor:
        """Return how far the guessed goal is away, in units of 0.1 m."""
        start = 0
        for field, length in self.shape.state.items():
            if field == self.shape.goal:
                raw = goal * self.goal_scale + self.goal_mean
                return (raw - state[:, start : start + GOAL_DIM]) / 0.1
            start += length
        return torch.zeros_like(goal)


def switch_columns(shape: Architecture) -> list[int]:
    """Return the columns of an action that are one way or the other."""
    columns: list[int] = []
    start = 0
    for field, length in shape.action.items():
        if field in shape.switches:
            columns += range(start, start + length)
        start += length
    return columns


def pictures(stack: Tensor) -> Tensor:
    """Turn (B, H, W, 3) uint8 into what the network takes."""
    return stack.permute(0, 3, 1, 2).float() / 255.0 - 0.5
