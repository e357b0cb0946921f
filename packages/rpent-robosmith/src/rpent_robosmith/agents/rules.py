"""Decisions without a model: fixed rules over the evaluation, each with a reason and feedback in sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rpent_robosmith.agents.api import NoUsage
from rpent_robosmith.evaluation.verdict import report_standing
from rpent_robosmith.reports import Decision

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent_robosmith.agents.api import AgentContext, DecisionRequest
    from rpent_robosmith.reports import DecisionKind

_REFINEMENTS = 2
"""In a row, before something else is tried."""
_MANY_ERRORS = 0.1
_EARLY = 0.5


class RuleDecisions(NoUsage):
    """A `DecisionAgent`."""

    def __init__(self, context: AgentContext | None = None) -> None:
        """Rules need nothing of the context."""

    def decide(self, request: DecisionRequest) -> Decision:
        """Return one of the allowed decisions: the first that the rules prefer."""
        feedback = " ".join(observations(request))
        for kind, reason in (*preferences(request), ("stop", _at_the_end(request))):
            if kind not in request.allowed:
                continue
            algorithm = request.algorithms[0] if kind == "switch_algorithm" else None
            why = f"{reason} `{algorithm}` is next." if algorithm else reason
            return Decision(kind=kind, by="rules", reason=why, feedback=feedback, algorithm=algorithm)
        kind = request.allowed[0]
        return Decision(kind=kind, by="rules", reason="It is all that can be done.", feedback=feedback)


def preferences(request: DecisionRequest) -> Iterator[tuple[DecisionKind, str]]:
    """Yield what could be done, the best first, with its reason; the last one is always possible."""
    if request.verdict.accepted:
        yield "accept", "Every criterion and safety limit holds, and the baselines are beaten."
    if _bar(request) > 1.0 or _baseline_rate(request) >= 1.0:
        yield (
            "adjust_environment",
            "A policy that knows nothing succeeds there already, so nothing can be shown.",
        )
        yield (
            "stop",
            "A policy that knows nothing succeeds there already, so nothing can be shown by training.",
        )
    if request.training.status == "failed":
        reason = f"The training failed ({request.training.detail.rstrip('.') or 'no reason is known'})."
        first: tuple[DecisionKind, DecisionKind] = ("switch_algorithm", "refine_reward")
        if request.training.failure and request.training.reward is not None:
            first = ("refine_reward", "switch_algorithm")
        yield from _in_order(reason, *first, "adjust_environment")
    elif _errors(request) > _MANY_ERRORS:
        yield from _in_order(
            "The reward failed in many of its calls.",
            "refine_reward",
            "switch_algorithm",
            "adjust_environment",
        )
    elif not learned(request):
        yield from _in_order(
            "The policy is no better than one that knows nothing.",
            "switch_algorithm",
            "refine_reward",
            "adjust_environment",
        )
    elif _refined(request) >= _REFINEMENTS:
        reason = f"{_REFINEMENTS} other rewards did not suffice."
        yield from _in_order(reason, "switch_algorithm", "refine_reward", "adjust_environment")
    else:
        yield from _in_order(
            "The policy has learned something, but not enough.",
            "refine_reward",
            "switch_algorithm",
            "adjust_environment",
        )


def learned(request: DecisionRequest) -> bool:
    """Whether the policy is better than every baseline, in success or in progress."""
    ours = report_standing(request.verdict.trained.metrics, request.entry)
    return all(
        ours > report_standing(baseline.metrics, request.entry) for baseline in request.verdict.baselines
    )


def observations(request: DecisionRequest) -> Iterator[str]:
    """Yield what whoever writes the next rewards should know; the template agent reads these very words."""
    verdict, trained = request.verdict, request.verdict.trained
    rate = trained.metrics.get("success_rate", math.nan)
    if trained.episodes:
        yield f"The success rate is {rate:.0%}."
    failed = [name for name, holds in verdict.safety.items() if not holds]
    if failed:
        yield f"A safety limit does not hold: {', '.join(f'`{name}`' for name in failed)}."
    if trained.episodes and not learned(request):
        yield "There is no progress over policies that know nothing."
    elif trained.episodes and not all(verdict.criteria.values()):
        yield "The policy comes near, but not often enough to a success."
    if _ends_early(request):
        yield "Episodes end early."
    if request.reward is not None and request.reward.components:
        parts = ", ".join(
            f"`{name}` {value:.3g}" for name, value in sorted(request.reward.components.items())
        )
        yield f"Components of the reward, mean of a step: {parts}."


def _at_the_end(request: DecisionRequest) -> str:
    if request.iteration >= request.task.iterations:
        return f"It was the last of {request.task.iterations} iterations."
    return "Nothing else is left to change."


def _in_order(reason: str, *kinds: DecisionKind) -> Iterator[tuple[DecisionKind, str]]:
    what = {
        "refine_reward": "Other rewards are tried.",
        "switch_algorithm": "Another algorithm is tried with the same reward.",
        "adjust_environment": "Another environment is tried.",
    }
    for kind in kinds:
        yield kind, f"{reason} {what[kind]}"


def _baseline_rate(request: DecisionRequest) -> float:
    rates = [baseline.metrics.get("success_rate", math.nan) for baseline in request.verdict.baselines]
    return max((rate for rate in rates if not math.isnan(rate)), default=0.0)


def _bar(request: DecisionRequest) -> float:
    return _baseline_rate(request) + request.verdict.margin - 1e-9


def _errors(request: DecisionRequest) -> float:
    calls = request.training.reward_calls
    return request.training.reward_errors / calls if calls else 0.0


def _refined(request: DecisionRequest) -> int:
    """Return how many refinements there were since something else was tried."""
    count = 0
    for decision in reversed(request.earlier):
        if decision.kind != "refine_reward":
            break
        count += 1
    return count


def _ends_early(request: DecisionRequest) -> bool:
    """Whether most failures end by themselves in the first half of the time that they have."""
    limit = request.facts.max_episode_steps
    failures = [episode for episode in request.verdict.trained.failures if not episode.error]
    if not failures or not limit:
        return False
    early = sum(episode.terminated and episode.length < _EARLY * limit for episode in failures)
    return early > len(failures) / 2
