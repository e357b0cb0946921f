"""The options of the policy backend `robosmith`, and what a delivered policy takes and gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.errors import PolicyError
from rpent.home import expanded
from rpent.policies.api import PolicyConfig, Signature

from rpent_robosmith.catalog.entry import SERVED
from rpent_robosmith.policy.files import read_description
from rpent_robosmith.policy.format import DESCRIPTION_FILE, POLICY_FOLDER

if TYPE_CHECKING:
    from pathlib import Path

    from rpent_robosmith.facts import SpaceFacts
    from rpent_robosmith.policy.format import PolicyDescription

OBSERVATION, ACTION = "observation", "action"
"""What the one vector of an environment without named parts is called."""


class SmithPolicyConfig(PolicyConfig):
    """A policy that `rpent smith run` delivered: its folder, or the run directory that holds it."""


def policy_folder(checkpoint: str) -> Path:
    """Return the folder with the policy: the one that was named, or the delivered one of a run directory."""
    folder = expanded(checkpoint)
    inside = folder / POLICY_FOLDER
    return inside if not (folder / DESCRIPTION_FILE).is_file() and inside.is_dir() else folder


def signature(config: SmithPolicyConfig) -> Signature:
    """Return what a delivered policy takes and gives, in its environment's own names.

    Raises:
        PolicyError: The folder holds no policy of RoboSmith, or a damaged one.
    """
    return signature_of(read_description(policy_folder(config.checkpoint)))


def signature_of(description: PolicyDescription) -> Signature:
    """Return the signature of a policy by its description.

    Raises:
        PolicyError: Its actions are no vector of numbers, which no robot takes.
    """
    if description.action.kind != "box":
        raise PolicyError(
            f"The policy chooses among {description.action.n} actions; robots take vectors of numbers."
        )
    entry = description.entry
    return Signature(
        family=description.algorithm,
        state=_state(description.observation),
        action=description.action_parts or {ACTION: description.action.size},
        chunk_length=description.chunk_length,
        control_rate_hz=description.control_rate_hz,
        robot=entry.env_id if entry is not None and entry.adapter == SERVED else None,
        details={
            "environment": entry.id if entry is not None else None,
            "trainer": description.trainer,
            **description.facts,
        },
    )


def _state(observation: SpaceFacts) -> dict[str, int]:
    if observation.kind == "dict":
        return {name: part.size for name, part in sorted(observation.parts.items())}
    return {OBSERVATION: observation.size}
