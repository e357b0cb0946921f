"""The job that makes a checkpoint of Stable-Baselines3 of a policy's weights, in a process that saw no foreign code.

Only the actor is in it; what the library has besides (critics, optimisers) is as fresh. A normalisation is folded into
the first layer, so that the file works alone; nothing is clipped then, which only shows far from what was seen.
"""

from __future__ import annotations

import io
import json
import zipfile
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import torch
from gymnasium import spaces
from rpent.errors import UsageError
from torch import nn

from rpent_robosmith.policy.files import read_policy
from rpent_robosmith.policy.network import NetworkPolicy
from rpent_robosmith.worker.trainers.extraction import actor_modules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from rpent_robosmith.facts import SpaceFacts
    from rpent_robosmith.policy.format import PolicyParameters
    from rpent_robosmith.worker.api import JobContext

ALGORITHMS = {
    "ppo": ("stable_baselines3", "PPO"),
    "sac": ("stable_baselines3", "SAC"),
    "td3": ("stable_baselines3", "TD3"),
    "tqc": ("sb3_contrib", "TQC"),
    "crossq": ("sb3_contrib", "CrossQ"),
}
TRIALS = 64
TOLERANCE = 1e-3
"""Of a range of actions: folding a normalisation costs a few bits."""
_DATA = "data"
_READ = (":type:", ":serialized:")
"""What the library reads again of an object; what it writes besides is for people, and for readers without pickles."""
_TOLD = ("observation_space", "action_space", "policy_class")
_ADDRESS = " at 0x"
_EPOCH = (1980, 1, 1, 0, 0, 0)


def run(params: Mapping[str, Any], context: JobContext) -> dict[str, Any]:
    """Export a policy.

    Args:
        params: `policy`: its folder.
        context: Not told anything.

    Returns:
        `name` (`policy_sac.zip`), `content` (the file as uint8), `difference` (the largest one between the library's
        deterministic prediction and ours, in a sample).

    Raises:
        PolicyError: The policy is missing or damaged.
        UsageError: The library has no such policy.
    """
    del context
    parameters = read_policy(params["policy"])
    _check(parameters)
    torch.manual_seed(0)
    model = _model(parameters)
    _fill(model, parameters)
    difference = _difference(model, parameters)
    if not difference <= TOLERANCE:
        raise UsageError(f"The exported policy would differ by {difference:g} from the delivered one.")
    buffer = io.BytesIO()
    model.save(buffer)
    return {
        "name": f"policy_{parameters.description.algorithm}.zip",
        "content": np.frombuffer(_repeatable(buffer), np.uint8),
        "difference": difference,
    }


def space_of(facts: SpaceFacts) -> spaces.Space[Any]:
    """Return a Gymnasium space of its facts."""
    if facts.kind == "discrete":
        return spaces.Discrete(facts.n or 1, start=facts.start)
    if facts.kind == "dict":
        return spaces.Dict({name: space_of(part) for name, part in sorted(facts.parts.items())})
    low, high = (
        np.broadcast_to(np.asarray(bound), (facts.size,)).reshape(facts.shape)
        for bound in (facts.low, facts.high)
    )
    dtype: Any = np.dtype(facts.dtype or "float32")
    return spaces.Box(low.astype(dtype), high.astype(dtype), facts.shape, dtype)


class _Spaces(gymnasium.Env[Any, Any]):
    """An environment that is only asked for its spaces."""

    def __init__(self, parameters: PolicyParameters) -> None:
        self.observation_space = space_of(parameters.description.observation)
        self.action_space = space_of(parameters.description.action)


def _check(parameters: PolicyParameters) -> None:
    description = parameters.description
    parts = [description.action, description.observation, *description.observation.parts.values()]
    shifted = any(part.kind == "discrete" and part.start != 0 for part in parts)
    reason = (
        f"`{description.algorithm}` is none of its algorithms"
        if description.algorithm not in ALGORITHMS or description.kind != "mlp"
        else "it has no chunks of actions"
        if description.chunk_length != 1
        else "`crossq` takes no parts"
        if description.algorithm == "crossq" and description.observation.kind == "dict"
        else "its discrete spaces begin at 0"
        if shifted
        else ""
    )
    if reason:
        raise UsageError(f"Stable-Baselines3 has no such policy: {reason}.")


def _model(parameters: PolicyParameters) -> Any:
    from importlib import import_module  # noqa: PLC0415

    description = parameters.description
    module, name = ALGORITHMS[description.algorithm]
    sizes = [parameters.weights[f"layers.{index}.weight"].shape[0] for index in range(description.layers - 1)]
    activation = nn.Tanh if description.activation == "tanh" else nn.ReLU
    settings: dict[str, Any] = {"policy_kwargs": {"net_arch": sizes, "activation_fn": activation}}
    if description.algorithm != "ppo":
        settings["buffer_size"] = 1
    kind = "MultiInputPolicy" if description.observation.kind == "dict" else "MlpPolicy"
    return getattr(import_module(module), name)(kind, _Spaces(parameters), device="cpu", **settings)


def _fill(model: Any, parameters: PolicyParameters) -> None:
    layers = _layers(parameters)
    with torch.no_grad():
        for module in actor_modules(model):
            if isinstance(module, nn.Linear):
                weight, bias = layers.pop(0)
                module.weight.copy_(torch.from_numpy(weight))
                module.bias.copy_(torch.from_numpy(bias))
            elif hasattr(module, "ra_var"):  # its normalisation is in the weights already
                module.ra_mean.zero_()
                module.ra_var.fill_(1.0 - module.eps)
                module.scale.fill_(1.0)
                module.bias.zero_()


def _layers(parameters: PolicyParameters) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    weights, normalization = parameters.weights, parameters.description.normalization
    layers = [
        [weights[f"layers.{i}.{part}"].astype(np.float64) for part in ("weight", "bias")]
        for i in range(parameters.description.layers)
    ]
    if normalization is not None:
        mean, variance = (np.asarray(weights[f"observation.{name}"], np.float64) for name in ("mean", "var"))
        weight = layers[0][0] / np.sqrt(variance + normalization.epsilon)[None, :]
        layers[0] = [weight, layers[0][1] - weight @ mean]
    return [(weight.astype(np.float32), bias.astype(np.float32)) for weight, bias in layers]


def _difference(model: Any, parameters: PolicyParameters) -> float:
    """Return the largest difference of actions, relative to their range, over observations as they were seen."""
    ours = NetworkPolicy(parameters)
    space = model.observation_space
    space.seed(0)
    worst = 0.0
    for trial in range(TRIALS):
        observation = _likely(parameters, space, trial)
        theirs, _ = model.predict(observation, deterministic=True)
        worst = max(worst, _distance(theirs, ours.act(observation), model.action_space))
    return worst


def _likely(parameters: PolicyParameters, space: spaces.Space[Any], trial: int) -> Any:
    """Return an observation like those that the policy was trained on, where its statistics are known."""
    variance = parameters.weights.get("observation.var")
    if variance is None:
        return space.sample()
    noise: NDArray[Any] = np.random.default_rng(trial).normal(size=variance.shape)
    mean: NDArray[Any] = parameters.weights["observation.mean"]
    return _shaped(mean + noise * np.sqrt(variance), space)


def _shaped(numbers: NDArray[Any], space: spaces.Space[Any]) -> Any:
    """Return an observation of its flat numbers, see `rpent_robosmith.policy.network.flattened`."""
    if isinstance(space, spaces.Box):
        return numbers.reshape(space.shape).astype(space.dtype)
    if not isinstance(space, spaces.Dict):
        return space.sample()  # one-hot vectors have no likely ones in between
    observation, start = {}, 0
    for name, part in sorted(space.spaces.items()):
        end = start + spaces.flatdim(part)
        observation[name] = _shaped(numbers[start:end], part)
        start = end
    return observation


def _distance(one: Any, other: Any, space: spaces.Space[Any]) -> float:
    if isinstance(space, spaces.Box):
        span = np.where(np.isfinite(space.high - space.low), space.high - space.low, 1.0)
        return float(np.max(np.abs(np.asarray(one, np.float64) - other) / np.maximum(span, 1e-12)))
    return float(int(one) != int(other))


def _repeatable(buffer: io.BytesIO) -> bytes:
    """Return the archive with nothing in it that depends on when, and in which process, it was made."""
    made = io.BytesIO()
    with zipfile.ZipFile(buffer) as source, zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as target:
        for name in sorted(source.namelist()):
            content = source.read(name)
            target.writestr(zipfile.ZipInfo(name, _EPOCH), _bare(content) if name == _DATA else content)
    return made.getvalue()


def _bare(content: bytes) -> bytes:
    objects = json.loads(content)
    for name, value in objects.items():
        if isinstance(value, dict) and set(_READ) <= set(value):
            told = value if name in _TOLD else _READ
            objects[name] = {key: value[key] for key in told if _ADDRESS not in str(value[key])}
    return json.dumps(objects, indent=4).encode()
