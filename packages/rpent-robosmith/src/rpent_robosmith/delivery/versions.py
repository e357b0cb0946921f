"""The versions that a delivered policy was made with: of the run's own process and of its workers."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from rpent_robosmith.delivery.chosen import training_of

if TYPE_CHECKING:
    from rpent_robosmith.workflow.state import RunState

OWN = ("rpent-robosmith", "rpent-core", "langgraph", "pydantic")
"""Of the run's own process."""


def own_versions() -> dict[str, str]:
    """Return distribution → version of what the run's own process is made of."""
    found = {}
    for name in OWN:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def versions_of(state: RunState) -> dict[str, str]:
    """Return them with those that the workers told."""
    training = training_of(state)
    inspected = state.facts.versions if state.facts else {}
    trained = training.versions if training else {}
    return {**inspected, **trained, **own_versions()}
