"""Trains a policy: `python -m rpent_policy_bc.server.train JOB.json`. Says one JSON line an epoch."""

from __future__ import annotations

import os
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rpent_torch.threads import settle

THREADS = settle()

import torch  # noqa: E402  (its threads are settled first)
from torch import Tensor  # noqa: E402
from torch.nn import functional  # noqa: E402

from rpent_policy_bc import __version__  # noqa: E402
from rpent_policy_bc.checkpoint import CONFIG, WEIGHTS  # noqa: E402
from rpent_policy_bc.job import Progress, TrainingJob  # noqa: E402
from rpent_policy_bc.server import tensors  # noqa: E402
from rpent_policy_bc.server.augment import augmented  # noqa: E402
from rpent_policy_bc.server.dataset import Dataset, build  # noqa: E402
from rpent_policy_bc.server.model import Network, pictures, switch_columns  # noqa: E402

if TYPE_CHECKING:
    from rpent_policy_bc.checkpoint import Architecture

AVERAGED = 0.995
"""How much of the averaged weights stays at each step, once there were enough."""
SWITCH_WEIGHT, GOAL_WEIGHT = 0.5, 0.5
STATE_NOISE = 0.03
"""Of the state's spread."""
WARM_UP = 50
"""Steps until the full learning rate, at most; a tenth of all in a short training."""


@dataclass(slots=True)
class Trainer:
    """One training run."""

    job: TrainingJob
    data: Dataset
    held_out: Dataset | None
    network: Network
    averaged: dict[str, Tensor]
    generator: torch.Generator
    steps: int = 0

    def run(self) -> list[Progress]:
        """Train and report; returns the reports."""
        job, started = self.job, time.monotonic()
        optimiser = torch.optim.AdamW(self.network.parameters(), lr=job.learning_rate, weight_decay=1e-3)
        per_epoch = max(1, len(self.data) // job.batch)
        reports: list[Progress] = []
        for epoch in range(job.epochs):
            losses = []
            order = torch.randperm(len(self.data), generator=self.generator).numpy()
            for step in range(per_epoch):
                done = self._done(epoch, step / per_epoch, time.monotonic() - started)
                warm = min(1.0, (self.steps + 1) / min(WARM_UP, 1 + job.epochs * per_epoch // 10))
                rate = job.learning_rate * warm * (0.5 + 0.5 * float(np.cos(np.pi * done)))
                for group in optimiser.param_groups:
                    group["lr"] = rate
                losses.append(self._step(optimiser, order[step * job.batch : (step + 1) * job.batch]))
            elapsed = time.monotonic() - started
            reports.append(
                Progress(
                    epoch=epoch + 1,
                    epochs=job.epochs,
                    loss=float(np.mean(losses)),
                    held_out_loss=self._held_out_loss() if self._due(epoch) else None,
                    elapsed_s=round(elapsed, 2),
                )
            )
            sys.stdout.write(reports[-1].model_dump_json() + "\n")
            sys.stdout.flush()
            if job.minutes is not None and elapsed >= 60 * job.minutes:
                break
        return reports

    def _done(self, epoch: int, part: float, elapsed_s: float) -> float:
        by_epochs = (epoch + part) / self.job.epochs
        by_time = elapsed_s / (60 * self.job.minutes) if self.job.minutes else 0.0
        return min(1.0, max(by_epochs, by_time))

    def _due(self, epoch: int) -> bool:
        return self.held_out is not None and (epoch % 5 == 4 or epoch + 1 == self.job.epochs)

    def _step(self, optimiser: torch.optim.Optimizer, chosen: Any) -> float:
        self.network.train()
        images, state = _inputs(self.data, chosen)
        images = {
            name: augmented(stack, self.generator, shift=self.job.shift) for name, stack in images.items()
        }
        noise = torch.randn(state.shape, generator=self.generator)
        state = state + STATE_NOISE * noise * self.network.state_scale
        loss = self._loss(self.network, self.data, chosen, images, state)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        optimiser.step()
        self.steps += 1
        stays = min(AVERAGED, (1 + self.steps) / (10 + self.steps))
        with torch.no_grad():
            for name, value in self.network.state_dict().items():
                self.averaged[name].lerp_(value, 1 - stays)
        return float(loss.item())

    def _loss(
        self, network: Network, data: Dataset, chosen: Any, images: dict[str, Tensor], state: Tensor
    ) -> Tensor:
        answer, goal = network(images, state)
        wanted, valid = torch.from_numpy(data.chunks[chosen]), torch.from_numpy(data.valid[chosen])
        switches = switch_columns(self.job.description.architecture)
        others = [column for column in range(wanted.shape[-1]) if column not in switches]
        normalised = (wanted - network.action_mean) / network.action_scale
        each = functional.smooth_l1_loss(
            answer[..., others], normalised[..., others], beta=0.2, reduction="none"
        ).mean(-1)
        if switches:
            either = functional.binary_cross_entropy_with_logits(
                answer[..., switches], (wanted[..., switches] > 0).float(), reduction="none"
            ).mean(-1)
            each = each + SWITCH_WEIGHT * either
        found = (torch.from_numpy(data.goals[chosen]) - network.goal_mean) / network.goal_scale
        return (each * valid).sum() / valid.sum() + GOAL_WEIGHT * functional.smooth_l1_loss(goal, found)

    def _held_out_loss(self) -> float:
        assert self.held_out is not None
        network = Network(self.job.description.architecture)
        network.load_state_dict(self.averaged)
        network.eval()
        parts = np.array_split(np.arange(len(self.held_out)), max(1, len(self.held_out) // 64))
        with torch.no_grad():
            losses = [
                self._loss(network, self.held_out, part, *_inputs(self.held_out, part)).item()
                for part in parts
            ]
        return float(np.mean(losses))


def prepare(job: TrainingJob) -> Trainer:
    """Read the data and make a network with its scales."""
    shape = job.description.architecture
    torch.manual_seed(job.seed)
    data = build(job.files, shape)
    held_out = build(job.held_out, shape) if job.held_out else None
    network = Network(shape)
    _set_scales(network, data, shape)
    averaged = {name: value.detach().clone() for name, value in network.state_dict().items()}
    return Trainer(job, data, held_out, network, averaged, torch.Generator().manual_seed(job.seed))


def save(trainer: Trainer, reports: list[Progress]) -> None:
    """Write the checkpoint: the weights, then the description that makes it one."""
    job, last = trainer.job, reports[-1]
    weights = {name: value.numpy() for name, value in trainer.averaged.items()}
    facts = {
        **job.description.training,
        "frames": len(trainer.data),
        "epochs": last.epoch,
        "first_loss": round(reports[0].loss, 5),
        "loss": round(last.loss, 5),
        "held_out_loss": last.held_out_loss,
        "elapsed_s": last.elapsed_s,
        "seed": job.seed,
        "parameters": sum(p.numel() for p in trainer.network.parameters()),
        "torch": torch.__version__,
        "rpent_policy_bc": __version__,
    }
    job.out.mkdir(parents=True, exist_ok=True)
    (job.out / CONFIG).unlink(missing_ok=True)
    tensors.save(job.out / WEIGHTS, weights, {"format": "pt"})
    described = job.description.model_copy(update={"training": facts})
    (job.out / CONFIG).write_text(described.model_dump_json(indent=2) + "\n", encoding="utf-8")


def main() -> None:
    """Train what the job says. It ends when whoever started it does: its standard input closes then."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    job = TrainingJob.model_validate_json(Path(sys.argv[1]).read_text(encoding="utf-8"))
    trainer = prepare(job)
    save(trainer, trainer.run())


def _end_with_parent() -> None:
    sys.stdin.read()
    os._exit(1)


def _set_scales(network: Network, data: Dataset, shape: Architecture) -> None:
    network.state_mean.copy_(torch.from_numpy(data.state.mean(0)))
    network.state_scale.copy_(torch.from_numpy(data.state.std(0)).clamp_min(0.01))
    flat = data.chunks[data.valid > 0]
    network.action_mean.copy_(torch.from_numpy(flat.mean(0)))
    network.action_scale.copy_(torch.from_numpy(flat.std(0)).clamp_min(0.02))
    network.goal_mean.copy_(torch.from_numpy(data.goals.mean(0)))
    network.goal_scale.copy_(torch.from_numpy(data.goals.std(0)).clamp_min(0.005))
    for column in switch_columns(shape):
        network.action_mean[column], network.action_scale[column] = 0.0, 1.0


def _inputs(data: Dataset, chosen: Any) -> tuple[dict[str, Tensor], Tensor]:
    images = {name: pictures(torch.from_numpy(stack[chosen])) for name, stack in data.images.items()}
    return images, torch.from_numpy(data.state[chosen])


if __name__ == "__main__":
    main()
