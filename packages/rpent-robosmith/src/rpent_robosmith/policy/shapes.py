"""Which weights a policy must have, and how large: checked before anything is computed with them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
from rpent.errors import PolicyError

if TYPE_CHECKING:
    from rpent_robosmith.facts import SpaceFacts
    from rpent_robosmith.policy.format import PolicyDescription, PolicyParameters

FILE_NAME = re.compile(r"[a-z][a-z0-9_]*\.(json|safetensors)")
MAX_FILES_BYTES = 480 * 2**20
"""Of a checkpoint, in all: it goes through one message."""
MAX_LAYERS = 64
MAX_NUMBERS = 64 * 2**20
"""Weights at most, in all: 256 MiB of float32."""


def input_size(space: SpaceFacts) -> int:
    """Return how many numbers an observation becomes; a discrete one is a one-hot vector.

    Raises:
        PolicyError: No network of ours takes such a space.
    """
    if space.kind == "dict":
        return sum(input_size(part) for part in space.parts.values())
    if space.kind == "discrete" and space.n:
        return space.n
    if space.kind == "box":
        return space.size
    raise PolicyError(f"Policies take boxes, discrete observations and dicts of them, not `{space.kind}`.")


def output_size(space: SpaceFacts) -> int:
    """Return how many numbers the network gives for one action: logits of a discrete one.

    Raises:
        PolicyError: No network of ours acts in such a space.
    """
    if space.kind == "discrete" and space.n:
        return space.n
    if space.kind == "box" and space.shape:
        return space.size
    raise PolicyError(f"Policies act in boxes and discrete spaces, not in `{space.kind}`.")


def expected_shapes(description: PolicyDescription) -> dict[str, tuple[int, ...] | None]:
    """Return the name and shape of each array; None where the hidden size is the file's own affair."""
    shapes: dict[str, tuple[int, ...] | None] = {}
    for i in range(description.layers):
        shapes[f"layers.{i}.weight"] = None
        shapes[f"layers.{i}.bias"] = None
    if description.normalization is not None:
        size = (input_size(description.observation),)
        shapes["observation.mean"] = shapes["observation.var"] = size
    return shapes


def check_parameters(parameters: PolicyParameters) -> None:
    """Refuse a policy whose description and weights do not fit together.

    Raises:
        PolicyError: An array is missing, too many, of another shape or dtype, or not finite; or the output does not
            fit the action space.
    """
    description, weights = parameters.description, parameters.weights
    if description.kind != "mlp":
        _check_files(parameters)
        return
    _check_output(description)
    if not 1 <= description.layers <= MAX_LAYERS:
        raise PolicyError(f"A policy has 1 to {MAX_LAYERS} layers, not {description.layers}.")
    expected = expected_shapes(description)
    if set(expected) != set(weights):
        odd = sorted(set(expected) ^ set(weights))
        raise PolicyError(f"The policy's description and its weights disagree about `{odd[0]}`.")
    if sum(weight.size for weight in weights.values()) > MAX_NUMBERS:
        raise PolicyError(f"The policy has more than {MAX_NUMBERS} numbers.")
    for name, shape in expected.items():
        _check_array(name, weights[name], shape)
    _check_chain(parameters)


def _check_files(parameters: PolicyParameters) -> None:
    """Refuse files that LeRobot does not save; pickles are none of them."""
    files = parameters.weights
    if missing := [name for name in ("config.json", "model.safetensors") if name not in files]:
        raise PolicyError(f"The policy lacks the file `{missing[0]}`.")
    for name, content in files.items():
        if not FILE_NAME.fullmatch(name) or name in ("policy.json", "policy.safetensors"):
            raise PolicyError(f"A policy of LeRobot has no file `{name[:80]}`.")
        if content.dtype != np.uint8 or content.ndim != 1:
            raise PolicyError(f"The file `{name}` of the policy is no sequence of bytes.")
    if sum(content.size for content in files.values()) > MAX_FILES_BYTES:
        raise PolicyError(f"The policy's files have more than {MAX_FILES_BYTES} bytes.")


def _check_output(description: PolicyDescription) -> None:
    action = description.action
    size = output_size(action)
    if (description.output == "argmax") != (action.kind == "discrete"):
        raise PolicyError(f"The output `{description.output}` does not fit `{action.kind}` actions.")
    if not 1 <= description.chunk_length <= 4096:
        raise PolicyError(f"A chunk has 1 to 4096 actions, not {description.chunk_length}.")
    if action.kind == "box":
        _check_bounds(description, size)


def _check_bounds(description: PolicyDescription, size: int) -> None:
    action = description.action
    for bounds in (action.low, action.high):
        if len(bounds) not in (1, size):
            raise PolicyError(f"The action has {size} numbers and {len(bounds)} bounds.")
    if description.output == "tanh_scaled" and not np.isfinite([*action.low, *action.high]).all():
        raise PolicyError("The output `tanh_scaled` needs finite action bounds.")
    if action.dtype and np.dtype(action.dtype).kind != "f":
        raise PolicyError(f"Actions in boxes are floating-point numbers, not `{action.dtype}`.")


def _check_array(name: str, array: np.ndarray, shape: tuple[int, ...] | None) -> None:
    dtype = np.float64 if name.startswith("observation.") else np.float32
    if array.dtype != dtype:
        raise PolicyError(f"`{name}` of the policy is {array.dtype}, not {np.dtype(dtype)}.")
    if shape is not None and array.shape != shape:
        raise PolicyError(f"`{name}` of the policy has the shape {array.shape}, not {shape}.")
    if not np.isfinite(array).all():
        raise PolicyError(f"`{name}` of the policy holds numbers that are not finite.")
    if name == "observation.var" and (array < 0).any():
        raise PolicyError("`observation.var` of the policy holds negative numbers.")


def _check_chain(parameters: PolicyParameters) -> None:
    description, weights = parameters.description, parameters.weights
    size = input_size(description.observation)
    for i in range(description.layers):
        weight, bias = weights[f"layers.{i}.weight"], weights[f"layers.{i}.bias"]
        if weight.ndim != 2 or weight.shape[1] != size or bias.shape != weight.shape[:1]:
            raise PolicyError(
                f"Layer {i} of the policy takes {size} numbers, and its weights have the shapes "
                f"{weight.shape} and {bias.shape}."
            )
        size = weight.shape[0]
    wanted = output_size(description.action) * description.chunk_length
    if size != wanted:
        raise PolicyError(f"The policy's last layer gives {size} numbers, and its actions need {wanted}.")
