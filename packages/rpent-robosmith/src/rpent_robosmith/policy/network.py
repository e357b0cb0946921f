"""A delivered policy, run by numpy: the same actions as the trainer's own deterministic prediction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.errors import PolicyError

from rpent_robosmith.policy.shapes import check_parameters, input_size, output_size

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from rpent_robosmith.facts import SpaceFacts
    from rpent_robosmith.policy.format import PolicyParameters


class NetworkPolicy:
    """A policy in an episode: flattens, normalises, goes through the layers, and scales to the action space."""

    def __init__(self, parameters: PolicyParameters) -> None:
        check_parameters(parameters)
        if parameters.description.kind != "mlp":
            raise PolicyError(
                "The policy is a LeRobot checkpoint, which is not run by numpy.",
                hint="Its folder is served by the backend `lerobot`: `--policy lerobot --checkpoint FOLDER`.",
            )
        description, weights = parameters.description, parameters.weights
        self._observation = description.observation
        self._action = description.action
        self._width = input_size(description.observation)
        self._chunk_length = description.chunk_length
        self._layers = [
            (
                np.ascontiguousarray(np.asarray(weights[f"layers.{i}.weight"], np.float32).T),
                np.asarray(weights[f"layers.{i}.bias"], np.float32),
            )
            for i in range(description.layers)
        ]
        self._activation = np.tanh if description.activation == "tanh" else _relu
        self._normalize = _normalizer(parameters)
        self._finish = _finisher(description.output, description.action)
        self._queue: list[NDArray[np.generic] | int] = []

    def reset(self, seed: int) -> None:
        """Begin an episode; the policy is deterministic, so the seed changes nothing."""
        del seed
        self._queue.clear()

    def act(self, observation: Any) -> NDArray[np.generic] | int:
        """Return one action for the environment, from the queued chunk where there is one.

        Args:
            observation: As the environment gives it.

        Raises:
            PolicyError: The observation has other parts or sizes than the policy was trained with.
        """
        if not self._queue:
            self._queue = self._answer(self.flatten(observation))
        return self._queue.pop(0)

    def chunk(self, observation: Any) -> NDArray[np.generic]:
        """Return the whole answer to one observation: (T, D) for boxes, (T,) for discrete actions."""
        return np.asarray(self._answer(self.flatten(observation)))

    def flatten(self, observation: Any) -> NDArray[np.float32]:
        """Return the (S,) float32 vector that the network takes, before its normalisation."""
        return flattened(observation, self._observation, self._width)

    def _answer(self, vector: NDArray[np.float32]) -> list[NDArray[np.generic] | int]:
        x = self._normalize(vector)
        last = len(self._layers) - 1
        for i, (weight, bias) in enumerate(self._layers):
            x = x @ weight + bias
            if i < last:
                x = self._activation(x)
        if self._chunk_length == 1:
            return [self._finish(x)]
        return [self._finish(part) for part in x.reshape(self._chunk_length, output_size(self._action))]


def flattened(observation: Any, space: SpaceFacts, width: int | None = None) -> NDArray[np.float32]:
    """Return an observation as the (S,) float32 vector that networks take.

    Args:
        observation: As the environment gives it.
        space: Its space; parts of a Dict come in sorted order, discrete ones as one-hot vectors.
        width: S, where it is known already.

    Raises:
        PolicyError: The observation has other parts or sizes than the space.
    """
    boxed = space.kind == "box"
    vector = np.asarray(observation, np.float32).reshape(-1) if boxed else _flat(observation, space)
    width = input_size(space) if width is None else width
    if vector.size != width:
        raise PolicyError(f"The policy takes {width} numbers, and the observation has {vector.size}.")
    return vector


def _flat(observation: Any, space: SpaceFacts, name: str = "") -> NDArray[np.float32]:
    if space.kind == "dict":
        missing = [key for key in space.parts if key not in observation]
        if missing:
            raise PolicyError(f"The observation lacks `{missing[0]}`, which the policy takes.")
        parts = [_flat(observation[key], space.parts[key], key) for key in sorted(space.parts)]
        return np.concatenate(parts) if parts else np.zeros(0, np.float32)
    if space.kind == "discrete":
        return _one_hot(int(observation) - space.start, space.n or 0)
    vector = np.asarray(observation, np.float32).reshape(-1)
    if vector.size != space.size:
        raise PolicyError(
            f"The policy takes {space.size} numbers as `{name}`, and the observation has {vector.size}."
        )
    return vector


def _one_hot(index: int, count: int) -> NDArray[np.float32]:
    if not 0 <= index < count:
        raise PolicyError(f"The observation {index} is none of the {count} that the policy takes.")
    vector = np.zeros(count, np.float32)
    vector[index] = 1.0
    return vector


def _relu(x: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.maximum(x, 0, dtype=np.float32)


def _normalizer(parameters: PolicyParameters) -> Callable[[NDArray[np.float32]], NDArray[np.float32]]:
    normalization = parameters.description.normalization
    if normalization is None:
        return lambda x: x
    mean = np.asarray(parameters.weights["observation.mean"], np.float64)
    scale = np.sqrt(np.asarray(parameters.weights["observation.var"], np.float64) + normalization.epsilon)
    clip = normalization.clip
    return lambda x: np.clip((x - mean) / scale, -clip, clip).astype(np.float32)


def _finisher(output: str, action: SpaceFacts) -> Callable[[NDArray[np.float32]], NDArray[np.generic] | int]:
    if output == "argmax":
        start = action.start
        return lambda x: int(np.argmax(x)) + start
    dtype = np.dtype(action.dtype or "float32")
    low = np.broadcast_to(np.asarray(action.low, np.float32), (action.size,)).reshape(action.shape)
    high = np.broadcast_to(np.asarray(action.high, np.float32), (action.size,)).reshape(action.shape)
    shape = action.shape
    if output == "clip":
        return lambda x: np.clip(x.reshape(shape), low, high).astype(dtype)
    half = np.float32(0.5)
    return lambda x: (low + half * (np.tanh(x.reshape(shape)) + np.float32(1)) * (high - low)).astype(dtype)
