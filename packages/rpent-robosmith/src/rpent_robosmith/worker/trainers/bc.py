"""Behaviour cloning of state-based demonstrations: a small network regresses, or classifies, the demonstrated actions.

Its steps are those of the optimiser. Observations are normalised by the demonstrations' own mean and variance.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from rpent.errors import UsageError
from torch import nn

from rpent_robosmith.policy.format import Normalization, PolicyDescription, PolicyParameters
from rpent_robosmith.training.hyperparameters import validated
from rpent_robosmith.worker.api import Trainer, TrainingError
from rpent_robosmith.worker.demonstrations import read_demonstrations
from rpent_robosmith.worker.spaces import space_facts
from rpent_robosmith.worker.trainers.optimizing import optimizer_arrays, restore_optimizer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from rpent_robosmith.facts import SpaceFacts
    from rpent_robosmith.worker.api import TrainingCallbacks, TrainingTask
    from rpent_robosmith.worker.demonstrations import Demonstrations

DEFAULTS: dict[str, Any] = {
    "learning_rate": 1e-3,
    "learning_rate_schedule": "constant",
    "weight_decay": 1e-5,
    "batch_size": 256,
    "net_arch": [128, 128],
    "activation": "relu",
    "chunk_length": 1,
    "validation_fraction": 0.1,
    "failed_episodes": False,
}
_TELL_S = 1.0


class BcTrainer(Trainer):
    """Supervised learning of the demonstrated actions."""

    def train(self, task: TrainingTask, callbacks: TrainingCallbacks) -> int:
        """Train on the task's dataset; returns the optimiser's steps.

        Raises:
            UsageError: There is no dataset, it does not fit the environment, or a hyperparameter is not accepted.
            TrainingError: The network diverged.
        """
        if task.dataset is None:
            raise UsageError("`bc` learns from demonstrations.", hint="Give them: `--dataset PATH`.")
        values = {**DEFAULTS, **validated("bc", task.hyperparameters)}
        env = task.make_env(0)
        observation, action = space_facts(env.observation_space), space_facts(env.action_space)
        shown = read_demonstrations(
            task.dataset, observation, action, only_successes=not values["failed_episodes"]
        )
        torch.manual_seed(task.seed)
        return _Learner(task, values, shown, observation, action).run(callbacks)


class _Learner:
    """One training: network, optimiser, and batches that depend on seed and segment alone."""

    def __init__(
        self,
        task: TrainingTask,
        values: Mapping[str, Any],
        shown: Demonstrations,
        observation: SpaceFacts,
        action: SpaceFacts,
    ) -> None:
        self._task, self._values, self._notes = task, values, shown.notes
        self._observation, self._action = observation, action
        self._train, self._check = shown.split(values["validation_fraction"], task.seed)
        seen = shown.observations[self._train].astype(np.float64)
        self._mean, self._var = seen.mean(axis=0), seen.var(axis=0) + 1e-8
        scaled = (shown.observations - self._mean) / np.sqrt(self._var + Normalization().epsilon)
        self._inputs = torch.from_numpy(np.clip(scaled, -10, 10).astype(np.float32))
        self._targets = _Targets(shown, action, values["chunk_length"])
        sizes = [self._inputs.shape[1], *values["net_arch"], self._targets.outputs]
        self._network = _mlp(sizes, values["activation"])
        self._optimizer = torch.optim.AdamW(
            self._network.parameters(), lr=values["learning_rate"], weight_decay=values["weight_decay"]
        )
        self._steps = self._segment = 0
        if task.resume is not None:
            self._restore(task.resume)

    def run(self, callbacks: TrainingCallbacks) -> int:
        """Train until the steps are done or a callback says stop."""
        task, told = self._task, time.monotonic()
        while self._steps < task.total_steps:
            self._segment += 1
            random = np.random.default_rng([task.seed, self._segment])
            until, stopped = min(self._steps + task.segment_steps, task.total_steps), False
            while self._steps < until and not stopped:
                loss = self._step(random)
                if time.monotonic() - told >= _TELL_S:
                    told = time.monotonic()
                    callbacks.progress(self._steps, loss=loss)
                    stopped = callbacks.stopping()
            callbacks.progress(self._steps, validation_loss=self._checked())
            if not callbacks.segment_done(self._steps, self._parameters(), self._save) or stopped:
                break
        return self._steps

    def _step(self, random: np.random.Generator) -> float:
        if self._values["learning_rate_schedule"] == "linear":
            for group in self._optimizer.param_groups:
                group["lr"] = self._values["learning_rate"] * (1 - self._steps / self._task.total_steps)
        rows = self._train[random.integers(0, len(self._train), self._values["batch_size"])]
        loss = self._targets.loss(self._network(self._inputs[rows]), rows)
        if not torch.isfinite(loss):
            raise TrainingError(
                f"The training diverged after {self._steps} steps: its loss is not finite.",
                hint="A smaller `learning_rate` may help.",
            )
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call, unused-ignore]
        self._optimizer.step()
        self._steps += 1
        return float(loss)

    def _checked(self) -> float:
        """Return the loss over the episodes that are not learned from; NaN where there are none."""
        if not len(self._check):
            return float("nan")
        with torch.no_grad():
            return float(self._targets.loss(self._network(self._inputs[self._check]), self._check))

    def _parameters(self) -> PolicyParameters:
        linear = [module for module in self._network if isinstance(module, nn.Linear)]
        weights: dict[str, NDArray[np.generic]] = {}
        for index, module in enumerate(linear):
            weights[f"layers.{index}.weight"] = module.weight.detach().numpy().copy()
            weights[f"layers.{index}.bias"] = module.bias.detach().numpy().copy()
        last = len(linear) - 1
        weights |= self._targets.unscaled(
            weights[f"layers.{last}.weight"], weights[f"layers.{last}.bias"], last
        )
        weights["observation.mean"], weights["observation.var"] = self._mean, self._var
        description = PolicyDescription(
            algorithm="bc",
            trainer="bc",
            observation=self._observation,
            action=self._action,
            activation=self._values["activation"],
            layers=len(linear),
            output="argmax" if self._action.kind == "discrete" else "clip",
            normalization=Normalization(),
            chunk_length=self._values["chunk_length"],
            entry=self._task.entry,
            facts={"seed": self._task.seed, "steps": self._steps, "notes": list(self._notes)},
        )
        return PolicyParameters(description=description, weights=weights)

    def _save(self) -> dict[str, Any]:
        network = {name: value.numpy().copy() for name, value in self._network.state_dict().items()}
        return {
            "segment": self._segment,
            "steps": self._steps,
            "network": network,
            "optimizer": optimizer_arrays(self._optimizer),
        }

    def _restore(self, saved: Mapping[str, Any]) -> None:
        self._segment, self._steps = int(saved["segment"]), int(saved["steps"])
        self._network.load_state_dict(
            {name: torch.from_numpy(np.array(value)) for name, value in saved["network"].items()}
        )
        restore_optimizer(self._optimizer, saved["optimizer"])


class _Targets:
    """What the network is to answer: the next T actions of the same episode, the last one repeated at its end."""

    def __init__(self, shown: Demonstrations, action: SpaceFacts, chunk_length: int) -> None:
        self._discrete = action.kind == "discrete"
        ends = np.flatnonzero(np.diff(shown.episodes, append=shown.episodes[-1] + 1))
        last = ends[shown.episodes]
        rows = np.minimum(np.arange(len(last))[:, None] + np.arange(chunk_length), last[:, None])
        actions = shown.actions[rows]
        self._chunk = chunk_length
        if self._discrete:
            self.outputs = int(action.n or 0) * chunk_length
            self._values = torch.from_numpy(actions.astype(np.int64))
            return
        self.outputs = action.size * chunk_length
        flat = shown.actions.reshape(len(shown.actions), -1).astype(np.float64)
        self._mean = np.tile(flat.mean(axis=0), chunk_length)
        self._std = np.tile(np.maximum(flat.std(axis=0), 1e-3), chunk_length)
        scaled = (actions.reshape(len(actions), -1) - self._mean) / self._std
        self._values = torch.from_numpy(scaled.astype(np.float32))

    def loss(self, answers: torch.Tensor, rows: NDArray[np.int64]) -> torch.Tensor:
        """Return the mean squared error in standard deviations, or the cross entropy."""
        wanted = self._values[rows]
        if self._discrete:
            logits = answers.reshape(len(answers) * self._chunk, -1)
            return nn.functional.cross_entropy(logits, wanted.reshape(-1))
        return nn.functional.mse_loss(answers, wanted)

    def unscaled(
        self, weight: NDArray[np.generic], bias: NDArray[np.generic], layer: int
    ) -> dict[str, NDArray[np.generic]]:
        """Return the last layer such that it gives actions instead of scaled ones."""
        if self._discrete:
            return {}
        scaled_bias = bias.astype(np.float64) * self._std + self._mean
        return {
            f"layers.{layer}.weight": (weight.astype(np.float64) * self._std[:, None]).astype(np.float32),
            f"layers.{layer}.bias": scaled_bias.astype(np.float32),
        }


def _mlp(sizes: list[int], activation: str) -> nn.Sequential:
    modules: list[nn.Module] = []
    for index in range(len(sizes) - 1):
        modules.append(nn.Linear(sizes[index], sizes[index + 1]))
        if index < len(sizes) - 2:
            modules.append(nn.Tanh() if activation == "tanh" else nn.ReLU())
    return nn.Sequential(*modules)
