"""Policies out of sealed workers: only the network is theirs, and all that is said of it is the owner's own knowledge.

Code that shared a process with a training can forge what came of it. A description from there would name the
environment in which a clean worker films the policy, the spaces that it acts in, or files that are no numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field
from rpent.errors import PolicyError

from rpent_robosmith.data import Data
from rpent_robosmith.policy.format import Normalization, PolicyDescription, PolicyParameters
from rpent_robosmith.policy.shapes import MAX_LAYERS, check_parameters

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from rpent_robosmith.catalog.entry import EnvEntry
    from rpent_robosmith.facts import EnvFacts

_OF_THE_NETWORK = ("activation", "layers", "output", "normalization", "chunk_length")


class _Scaling(Data):
    epsilon: float = Field(gt=0, le=1, allow_inf_nan=False)
    clip: float = Field(gt=0, allow_inf_nan=False)


class _Network(Data):
    """What a trainer alone knows of its network."""

    activation: Literal["tanh", "relu"]
    layers: int = Field(ge=1, le=MAX_LAYERS)
    output: Literal["clip", "tanh_scaled", "argmax"]
    normalization: _Scaling | None = None
    chunk_length: int = Field(1, ge=1, le=4096)


def adopted(
    data: Any,
    *,
    entry: EnvEntry,
    facts: EnvFacts,
    algorithm: str,
    trainer: str,
    about: Mapping[str, Any] | None = None,
) -> PolicyParameters:
    """Return a policy that a sealed worker sent, checked, with a description of our own.

    Args:
        data: `description` and `weights`, as `training.packing.pack` makes them; anything, where code was hostile.
        entry: The environment that it was trained in.
        facts: Of that environment, inspected by a process without foreign code.
        algorithm: That was ordered.
        trainer: That was ordered.
        about: Plain data worth knowing, of the owner's.

    Raises:
        PolicyError: It is no network for this environment: other files, shapes, sizes, or numbers that are not finite.
    """
    try:
        told = data["description"]
        network = _Network.model_validate(
            {name: told[name] for name in _OF_THE_NETWORK if name in told}, strict=True
        )
        if told.get("kind", "mlp") != "mlp":
            raise PolicyError("A policy that was trained with a reward is a network, and this is none.")
        weights = _arrays(data["weights"])
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise PolicyError("What came as a policy is none.") from error
    scaling = network.normalization
    policy = PolicyParameters(
        description=PolicyDescription(
            algorithm=algorithm,
            trainer=trainer,
            observation=facts.observation,
            action=facts.action,
            action_parts=facts.action_parts,
            activation=network.activation,
            layers=network.layers,
            output=network.output,
            normalization=None if scaling is None else Normalization(**dict(scaling)),
            chunk_length=network.chunk_length,
            entry=entry,
            control_rate_hz=facts.control_rate_hz,
            facts=dict(about or {}),
        ),
        weights=weights,
    )
    check_parameters(policy)
    return policy


def _arrays(weights: Any) -> dict[str, NDArray[np.generic]]:
    found: dict[str, NDArray[np.generic]] = {}
    for name, weight in weights.items():
        if not isinstance(name, str) or not isinstance(weight, np.ndarray):
            raise TypeError(name)
        found[name] = np.array(weight)
    return found
