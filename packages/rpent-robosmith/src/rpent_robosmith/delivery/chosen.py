"""Which iteration's policy is delivered, and what belongs to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rpent_robosmith.reports import RewardCandidate, TrainingReport, Verdict
    from rpent_robosmith.workflow.state import RunState


def verdict_of(state: RunState) -> Verdict | None:
    """Return the verdict on the policy that is delivered; None while nothing was evaluated."""
    iteration = state.best_iteration
    if iteration is None or not 1 <= iteration <= len(state.verdicts):
        return None
    return state.verdicts[iteration - 1]


def training_of(state: RunState) -> TrainingReport | None:
    """Return the training whose policy is delivered: the best evaluated one, else the last that left a policy."""
    if state.best_iteration is not None:
        found = [one for one in state.trainings if one.iteration == state.best_iteration and one.policy]
        if found:
            return found[-1]
    left = [one for one in state.trainings if one.policy]
    return left[-1] if left else None


def reward_of(state: RunState) -> RewardCandidate | None:
    """Return the reward that the delivered policy was trained with, else the one at hand."""
    training = training_of(state)
    if training is not None:
        return next((one for one in state.candidates if one.id == training.reward), None)
    return state.reward


def is_accepted(state: RunState) -> bool:
    """Whether the delivered policy meets everything that was asked for."""
    verdict = verdict_of(state)
    return verdict is not None and verdict.accepted
