"""Policies in messages and checkpoints: plain data and arrays, checked when they are taken out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.errors import PolicyError

from rpent_robosmith.policy.format import PolicyDescription, PolicyParameters
from rpent_robosmith.policy.shapes import check_parameters

if TYPE_CHECKING:
    from collections.abc import Mapping


def pack(policy: PolicyParameters) -> dict[str, Any]:
    """Return a policy as `description` and `weights`."""
    return {
        "description": policy.description.model_dump(mode="json"),
        "weights": dict(policy.weights),
    }


def unpack(data: Mapping[str, Any]) -> PolicyParameters:
    """Return the policy of `pack`; the data may come from a process that runs untrusted code.

    Raises:
        PolicyError: They are no policy, or a damaged one.
    """
    try:
        description = PolicyDescription.model_validate(data["description"])
        weights = {str(name): np.array(weight) for name, weight in data["weights"].items()}
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise PolicyError("What came as a policy is none.") from error
    policy = PolicyParameters(description=description, weights=weights)
    check_parameters(policy)
    return policy
