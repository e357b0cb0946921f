"""The deterministic policy of a model of Stable-Baselines3, as numbers that numpy runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from torch import nn

from rpent_robosmith.policy.format import Normalization, PolicyDescription, PolicyParameters
from rpent_robosmith.worker.spaces import space_facts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from stable_baselines3.common.base_class import BaseAlgorithm

    from rpent_robosmith.worker.api import TrainingTask

Affine = tuple["NDArray[np.float64]", "NDArray[np.float64]"]
_ACTIVATIONS = {nn.Tanh: "tanh", nn.ReLU: "relu"}


def extract(model: BaseAlgorithm, task: TrainingTask, trainer: str) -> PolicyParameters:
    """Return what the model does when it is asked deterministically; its training mode is left as it is."""
    env = model.get_env()
    assert env is not None
    original = env.unwrapped_spaces
    layers, activation = linear_layers(list(actor_modules(model)))
    weights: dict[str, NDArray[np.generic]] = {}
    for index, (weight, bias) in enumerate(layers):
        weights[f"layers.{index}.weight"] = weight.astype(np.float32)
        weights[f"layers.{index}.bias"] = bias.astype(np.float32)
    normalization = None
    normalized = model.get_vec_normalize_env()
    if normalized is not None and normalized.norm_obs:
        statistics: Any = normalized.obs_rms
        weights["observation.mean"] = np.array(statistics.mean, np.float64)
        weights["observation.var"] = np.array(statistics.var, np.float64)
        normalization = Normalization(epsilon=normalized.epsilon, clip=normalized.clip_obs)
    action = space_facts(original[1])
    squashed = model.policy.squash_output
    description = PolicyDescription(
        algorithm=task.algorithm,
        trainer=trainer,
        observation=space_facts(original[0]),
        action=action,
        activation=activation,
        layers=len(layers),
        output="argmax" if action.kind == "discrete" else "tanh_scaled" if squashed else "clip",
        normalization=normalization,
        entry=task.entry,
        facts={"seed": task.seed, "steps": int(model.num_timesteps)},
    )
    return PolicyParameters(description=description, weights=weights)


def actor_modules(model: BaseAlgorithm) -> Iterator[nn.Module]:
    """Yield the modules that an observation goes through on its way to the (unsquashed) action or logits."""
    policy: Any = model.policy
    if hasattr(policy, "mlp_extractor"):
        yield from policy.mlp_extractor.policy_net
        yield policy.action_net
        return
    actor = policy.actor
    if hasattr(actor, "latent_pi"):
        yield from actor.latent_pi
        yield actor.mu
        return
    yield from (module for module in actor.mu if module is not actor.mu[-1])


def linear_layers(modules: list[nn.Module]) -> tuple[list[Affine], str]:
    """Return (weight, bias) of each linear layer with the normalisations between them folded in, and the activation.

    Raises:
        ValueError: There is a module that this does not know.
    """
    layers: list[Affine] = []
    activations: set[str] = set()
    scale: NDArray[np.float64] | None = None
    shift: NDArray[np.float64] | None = None
    for module in modules:
        if isinstance(module, nn.Linear):
            layers.append(_linear(module, scale, shift))
            scale = shift = None
        elif hasattr(module, "ra_mean"):
            scale, shift = _renorm(module)
        elif type(module) in _ACTIVATIONS:
            activations.add(_ACTIVATIONS[type(module)])
        else:
            raise ValueError(f"A policy with a `{type(module).__name__}` cannot be taken over.")
    if len(activations) > 1:
        raise ValueError("A policy with several kinds of activations cannot be taken over.")
    return layers, activations.pop() if activations else "relu"


def _linear(
    module: nn.Linear, scale: NDArray[np.float64] | None, shift: NDArray[np.float64] | None
) -> Affine:
    weight = module.weight.detach().cpu().numpy().astype(np.float64)
    bias = module.bias.detach().cpu().numpy().astype(np.float64)
    if scale is None or shift is None:
        return weight, bias
    return weight * scale[None, :], bias + weight @ shift


def _renorm(module: Any) -> Affine:
    """Return scale and shift of a batch renormalisation in use: scale * x + shift."""
    mean, variance, gain, offset = (
        value.detach().cpu().numpy().astype(np.float64)
        for value in (module.ra_mean, module.ra_var, module.scale, module.bias)
    )
    scale = gain / np.sqrt(variance + module.eps)
    return scale, offset - scale * mean
