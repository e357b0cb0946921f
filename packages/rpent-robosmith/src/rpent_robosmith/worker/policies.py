"""A policy in an episode, whichever framework runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent_robosmith.policy.network import NetworkPolicy

if TYPE_CHECKING:
    from rpent_robosmith.policy.format import PolicyParameters
    from rpent_robosmith.worker.api import PolicyFunction


def policy_function(parameters: PolicyParameters) -> PolicyFunction:
    """Return a policy that acts: a network by numpy, a LeRobot checkpoint by LeRobot.

    Raises:
        PolicyError: It is damaged, or its framework cannot load it.
    """
    if parameters.description.kind == "mlp":
        return NetworkPolicy(parameters)
    from rpent_robosmith.worker.lerobot_policy import LerobotFunction  # noqa: PLC0415

    return LerobotFunction(parameters)
