"""Action chunking with transformers (https://arxiv.org/abs/2304.13705), through LeRobot's own classes.

What it learns from are demonstrations of the environment's flat observation; its steps are those of the optimiser. What
it gives is a LeRobot checkpoint: configuration, weights, pipelines with statistics.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import rpent_torch.vision
import torch
from rpent.errors import UsageError

from rpent_robosmith.policy.format import PolicyDescription, PolicyParameters
from rpent_robosmith.training.hyperparameters import validated
from rpent_robosmith.worker.api import Trainer, TrainingError
from rpent_robosmith.worker.demonstrations import Demonstrations, read_demonstrations
from rpent_robosmith.worker.lerobot_policy import ACTION, ENVIRONMENT, STATE
from rpent_robosmith.worker.spaces import space_facts
from rpent_robosmith.worker.trainers.optimizing import optimizer_arrays, restore_optimizer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from rpent_robosmith.facts import SpaceFacts
    from rpent_robosmith.worker.api import TrainingCallbacks, TrainingTask

rpent_torch.vision.install()

DEFAULTS: dict[str, Any] = {
    "learning_rate": 1e-3,
    "weight_decay": 1e-4,
    "batch_size": 64,
    "chunk_length": 8,
    "execute_steps": 1,
    "dim_model": 64,
    "n_heads": 4,
    "dim_feedforward": 128,
    "n_encoder_layers": 2,
    "n_decoder_layers": 1,
    "use_vae": True,
    "latent_dim": 8,
    "kl_weight": 1.0,
    "dropout": 0.0,
    "failed_episodes": False,
}
"""Small enough for minutes on a CPU; LeRobot's own are for pictures and a GPU."""
_TELL_S = 1.0


class ActTrainer(Trainer):
    """ACT of LeRobot 0.4."""

    def train(self, task: TrainingTask, callbacks: TrainingCallbacks) -> int:
        """Train on the task's dataset.

        Raises:
            UsageError: There is no dataset, it does not fit, or a hyperparameter is not accepted.
            TrainingError: The networks diverged.
        """
        if task.dataset is None:
            raise UsageError("`act` learns from demonstrations.", hint="Give them: `--dataset PATH`.")
        env = task.make_env(0)
        observation, action = space_facts(env.observation_space), space_facts(env.action_space)
        if action.kind != "box":
            raise UsageError(f"`act` acts in `box` spaces, and the environment has a `{action.kind}` one.")
        values = {**DEFAULTS, **validated("act", task.hyperparameters)}
        shown = read_demonstrations(
            task.dataset, observation, action, only_successes=not values["failed_episodes"]
        )
        torch.manual_seed(task.seed)
        learner = _Learner(task, values, shown, observation, action)
        return learner.run(callbacks)


class _Learner:
    """One training: the policy, its optimiser, and batches that depend on seed and segment alone."""

    def __init__(
        self,
        task: TrainingTask,
        values: Mapping[str, Any],
        shown: Demonstrations,
        observation: SpaceFacts,
        action: SpaceFacts,
    ) -> None:
        self._task, self._values, self._shown = task, values, shown
        self._observation, self._action = observation, action
        self._settings = _settings(values, shown)
        self._policy, self._before, self._after = _build(self._settings, shown)
        self._optimizer = torch.optim.AdamW(
            self._policy.get_optim_params(), lr=values["learning_rate"], weight_decay=values["weight_decay"]
        )
        self._ends = _ends_of_episodes(shown.episodes)
        self.steps = self._segment = 0
        if task.resume is not None:
            self._restore(task.resume)

    def run(self, callbacks: TrainingCallbacks) -> int:
        """Train until the steps are done or a callback says stop."""
        task, told = self._task, time.monotonic()
        while self.steps < task.total_steps:
            self._segment += 1
            random = np.random.default_rng([task.seed, self._segment])
            torch.manual_seed(int(random.integers(2**31)))
            stopped = False
            until = min(self.steps + task.segment_steps, task.total_steps)
            self._policy.train()
            while self.steps < until and not stopped:
                losses = self._step(random)
                self.steps += 1
                if time.monotonic() - told >= _TELL_S:
                    told = time.monotonic()
                    callbacks.progress(self.steps, **losses)
                    stopped = callbacks.stopping()
            if not callbacks.segment_done(self.steps, self._parameters(), self._save) or stopped:
                break
        return self.steps

    def _step(self, random: np.random.Generator) -> dict[str, float]:
        rows = random.integers(0, len(self._shown.episodes), self._values["batch_size"])
        steps = rows[:, None] + np.arange(self._values["chunk_length"])
        last = self._ends[rows][:, None]
        seen = torch.from_numpy(self._shown.observations[rows])
        batch = {
            STATE: seen,
            ENVIRONMENT: seen,
            ACTION: torch.from_numpy(self._shown.actions[np.minimum(steps, last)]),
            "action_is_pad": torch.from_numpy(steps > last),
        }
        loss, parts = self._policy.forward(self._before(batch))
        if not torch.isfinite(loss):
            raise TrainingError(
                f"The training diverged after {self.steps} steps: its loss is not finite.",
                hint="A smaller `learning_rate` may help.",
            )
        self._optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._policy.parameters(), 10.0)
        self._optimizer.step()
        return {name: float(value) for name, value in parts.items()}

    def _parameters(self) -> PolicyParameters:
        with tempfile.TemporaryDirectory() as folder:
            for part in (self._policy, self._before, self._after):
                part.save_pretrained(folder)
            files = {
                path.name: np.frombuffer(path.read_bytes(), np.uint8)
                for path in sorted(Path(folder).iterdir())
                if path.suffix in (".json", ".safetensors")
            }
        task = self._task
        description = PolicyDescription(
            kind="lerobot",
            algorithm="act",
            trainer="act",
            observation=self._observation,
            action=self._action,
            activation="relu",
            layers=0,
            output="clip",
            chunk_length=self._values["chunk_length"],
            entry=task.entry,
            facts={
                "seed": task.seed,
                "steps": self.steps,
                "execute_steps": self._settings.n_action_steps,
                "notes": list(self._shown.notes),
            },
        )
        return PolicyParameters(description=description, weights=dict(files))

    def _save(self) -> dict[str, Any]:
        return {
            "segment": self._segment,
            "steps": self.steps,
            "policy": {
                name: value.detach().numpy().copy() for name, value in self._policy.state_dict().items()
            },
            "optimizer": optimizer_arrays(self._optimizer),
        }

    def _restore(self, saved: Mapping[str, Any]) -> None:
        self._segment, self.steps = int(saved["segment"]), int(saved["steps"])
        weights = {name: torch.from_numpy(np.array(value)) for name, value in saved["policy"].items()}
        self._policy.load_state_dict(weights)
        restore_optimizer(self._optimizer, saved["optimizer"])


def _settings(values: Mapping[str, Any], shown: Demonstrations) -> Any:
    from lerobot.configs.types import FeatureType, PolicyFeature  # noqa: PLC0415
    from lerobot.policies.factory import make_policy_config  # noqa: PLC0415

    chunk, seen = values["chunk_length"], shown.observations.shape[1:]
    if values["dim_model"] % values["n_heads"]:
        raise UsageError(f"`dim_model` must be a multiple of `n_heads`, {values['n_heads']}.")
    return make_policy_config(
        "act",
        input_features={
            STATE: PolicyFeature(FeatureType.STATE, seen),
            ENVIRONMENT: PolicyFeature(FeatureType.ENV, seen),
        },
        output_features={ACTION: PolicyFeature(FeatureType.ACTION, shown.actions.shape[1:])},
        device="cpu",
        push_to_hub=False,
        pretrained_backbone_weights=None,
        normalization_mapping=_mean_std(),
        chunk_size=chunk,
        n_action_steps=min(values["execute_steps"], chunk),
        dim_model=values["dim_model"],
        n_heads=values["n_heads"],
        dim_feedforward=values["dim_feedforward"],
        n_encoder_layers=values["n_encoder_layers"],
        n_decoder_layers=values["n_decoder_layers"],
        use_vae=values["use_vae"],
        n_vae_encoder_layers=values["n_encoder_layers"],
        latent_dim=values["latent_dim"],
        kl_weight=values["kl_weight"],
        dropout=values["dropout"],
        optimizer_lr=values["learning_rate"],
        optimizer_weight_decay=values["weight_decay"],
    )


def _mean_std() -> dict[str, Any]:
    from lerobot.configs.types import NormalizationMode  # noqa: PLC0415

    return dict.fromkeys(("VISUAL", "STATE", "ENV", "ACTION"), NormalizationMode.MEAN_STD)


def _build(settings: Any, shown: Demonstrations) -> tuple[Any, Any, Any]:
    from lerobot.policies.factory import get_policy_class, make_pre_post_processors  # noqa: PLC0415

    seen = _statistics(shown.observations)
    statistics = {STATE: seen, ENVIRONMENT: seen, ACTION: _statistics(shown.actions)}
    before, after = make_pre_post_processors(settings, dataset_stats=statistics)
    return get_policy_class("act")(settings), before, after


def _statistics(rows: NDArray[Any]) -> dict[str, torch.Tensor]:
    values = np.asarray(rows, np.float64)
    found = {
        "mean": values.mean(axis=0),
        "std": np.maximum(values.std(axis=0), 1e-3),
        "min": values.min(axis=0),
        "max": values.max(axis=0),
    }
    return {name: torch.from_numpy(value.astype(np.float32)) for name, value in found.items()}


def _ends_of_episodes(episodes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return (N,) the last step of the episode that each step is of."""
    ends = np.flatnonzero(np.append(np.diff(episodes) != 0, True))
    return ends[episodes]
