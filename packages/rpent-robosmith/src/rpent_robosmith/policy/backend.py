"""A delivered policy behind the policy server: a small network, run by numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.policies.api import Policy

from rpent_robosmith.policy.config import OBSERVATION, policy_folder, signature_of
from rpent_robosmith.policy.files import read_policy
from rpent_robosmith.policy.network import NetworkPolicy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray
    from rpent.policies.api import PolicyRequest, Report

    from rpent_robosmith.policy.config import SmithPolicyConfig
    from rpent_robosmith.policy.format import PolicyParameters


class SmithPolicy(Policy):
    """Answers with the network's deterministic action; it keeps nothing between questions."""

    def __init__(self, parameters: PolicyParameters) -> None:
        self.signature = signature_of(parameters.description)
        self._named = parameters.description.observation.kind == "dict"
        self._network = NetworkPolicy(parameters)
        self._bytes = sum(weight.nbytes for weight in parameters.weights.values())

    def infer(self, requests: Sequence[PolicyRequest]) -> Sequence[NDArray[np.floating[Any]]]:
        """Return a (T, D) float32 chunk for each request."""
        return [self._answer(request.state) for request in requests]

    def facts(self) -> Mapping[str, Any]:
        """Return the size of the weights."""
        return {"weights_bytes": self._bytes}

    def _answer(self, state: Mapping[str, NDArray[np.float32]]) -> NDArray[np.floating[Any]]:
        observation: Any = dict(state) if self._named else state[OBSERVATION]
        return np.asarray(self._network.chunk(observation), np.float32)


def load(config: SmithPolicyConfig, report: Report) -> SmithPolicy:
    """Load a delivered policy.

    Raises:
        PolicyError: The folder holds no policy of RoboSmith, or a damaged one.
    """
    report("reading the policy", 0.5)
    policy = SmithPolicy(read_policy(policy_folder(config.checkpoint)))
    report("ready", 1.0)
    return policy
