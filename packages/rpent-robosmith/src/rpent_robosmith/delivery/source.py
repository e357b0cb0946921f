"""`reward_function.py`: the reward that the delivered policy was trained with."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rpent_robosmith.reports import RewardCandidate
    from rpent_robosmith.workflow.state import RunState


def source(state: RunState, reward: RewardCandidate) -> str:
    """Return the module: where it comes from as comments, then the code as it was trained with."""
    facts = [
        f"Task: {state.task.sentence}",
        f"Environment: {state.entry.id} ({state.entry.env_id})" if state.entry else "",
        f"Candidate {reward.id} by {reward.origin}: {reward.idea}".rstrip(": "),
        f"Success rate after its short training: {reward.success_rate:g}"
        if reward.success_rate is not None
        else "",
        f"Calls that failed there: {reward.errors} of {reward.calls}" if reward.calls else "",
    ]
    header = "".join(f"# {' '.join(fact.split())}\n" for fact in facts if fact)
    return f"{header}\n{reward.code.strip()}\n"
