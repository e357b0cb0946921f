"""Rewards without a model: templates over the environment's declared measures, then variations of the best one."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from rpent_robosmith.agents.api import NoUsage, Proposal
from rpent_robosmith.rewards.signals import signals
from rpent_robosmith.rewards.templates import Plan, bounded_numbers, parse, write

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rpent_robosmith.agents.api import AgentContext, RewardRequest
    from rpent_robosmith.catalog.entry import EnvEntry
    from rpent_robosmith.reports import RewardCandidate
    from rpent_robosmith.rewards.signals import Signal

_ENOUGH_TRIES = 400
_ACTION_COST = 0.01
_AT_THE_END = 10.0
"""For the one step with which a successful episode ends."""


class TemplateRewards(NoUsage):
    """A `RewardAgent`: the same request always gives the same text."""

    def __init__(self, context: AgentContext | None = None) -> None:
        """The context's seed is not used: a request carries its task's."""

    def propose(self, request: RewardRequest) -> Sequence[Proposal]:
        """Return up to `request.count` rewards, none that is among the earlier ones.

        The first iteration takes the families that fit the environment, the likeliest first. Later ones vary the best
        of the earlier rewards, as its score, the training and the feedback suggest, and add one family that is new.
        """
        taken = {candidate.code for candidate in request.earlier}
        proposals: list[Proposal] = []
        for number, plan in enumerate(_plans(request)):
            if len(proposals) >= request.count or number >= _ENOUGH_TRIES:
                break
            code = write(plan, request.task, request.entry, request.facts)
            if code not in taken:
                taken.add(code)
                proposals.append(Proposal(code=code, origin=plan.origin, idea=plan.idea))
        return tuple(proposals)


def families(request: RewardRequest) -> Iterator[Plan]:
    """Yield a plan of each family that fits the environment, the likeliest first."""
    entry, facts = request.entry, request.facts
    cost = _ACTION_COST if facts.action.kind == "box" else 0.0
    ends, lasts = entry.success.terminated is True, _lasts(entry)
    success = _AT_THE_END if ends else 1.0 if entry.success.signal is not None else 0.0
    found = signals(entry, facts)
    aims = [signal for signal in found if signal.measure in {entry.success.measure, entry.progress}]
    if lasts and not aims:
        yield from _of_lasting(found, bool(bounded_numbers(facts)), cost)
    of_signal = _with_own if entry.success.measure == "return" else _towards_the_end if ends else _of_signal
    for turn in zip_longest(*map(of_signal, aims or found)):  # so that few candidates are of several measures
        for plan in filter(None, turn):
            yield replace(plan, success=success, alive=1.0 if lasts else 0.0, action_cost=cost)
    if success:
        yield Plan(shape="signal", success=success, action_cost=cost)
    if cost:
        yield Plan(shape="environment", action_cost=cost)


def _lasts(entry: EnvEntry) -> bool:
    """Whether an episode that goes on is one that does well."""
    if entry.success.terminated is not None:
        return not entry.success.terminated
    return entry.success.measure == "length" and entry.success.at_least is not None


def _of_lasting(found: Sequence[Signal], bounded: bool, cost: float) -> Iterator[Plan]:
    errors = [signal.measure for signal in found if signal.kind == "error"]
    if errors:
        yield Plan(shape="exponential", measure="+".join(errors), alive=1.0, action_cost=cost)
    if bounded:
        yield Plan(shape="centred", alive=1.0, action_cost=cost)
    for measure in errors if len(errors) > 1 else ():
        yield Plan(shape="exponential", measure=measure, alive=1.0, action_cost=cost)
    yield Plan(shape="alive", alive=1.0, action_cost=cost)


def _of_signal(signal: Signal) -> Iterator[Plan]:
    name = signal.measure
    if signal.kind == "gain":
        yield Plan(shape="gain", measure=name)
        yield Plan(shape="squashed", measure=name)
        yield Plan(shape="gain", measure=name, own=1.0)
        return
    yield Plan(shape="distance", measure=name, bonus=1.0)
    yield Plan(shape="exponential", measure=name, bonus=1.0)
    yield Plan(shape="distance", measure=name, own=1.0)
    if signal.needs_only_observation:
        yield Plan(shape="potential", measure=name, bonus=1.0)
    yield Plan(shape="tolerance", measure=name, bonus=1.0)


def _with_own(signal: Signal) -> Iterator[Plan]:
    """Yield plans for a success that is the environment's own return: none leaves its reward out."""
    if signal.kind == "gain":
        yield Plan(shape="gain", measure=signal.measure, own=1.0)
        yield Plan(shape="squashed", measure=signal.measure, own=1.0)
        return
    yield Plan(shape="distance", measure=signal.measure, own=1.0)
    yield Plan(shape="exponential", measure=signal.measure, own=1.0)
    if signal.needs_only_observation:
        yield Plan(shape="potential", measure=signal.measure, own=1.0)


def _towards_the_end(signal: Signal) -> Iterator[Plan]:
    """Yield plans for a success that ends the episode: none pays for staying on the way."""
    if signal.kind == "gain":
        yield Plan(shape="gain", measure=signal.measure, own=1.0)
        yield Plan(shape="squashed", measure=signal.measure, own=1.0)
        return
    yield Plan(shape="distance", measure=signal.measure)
    if signal.needs_only_observation:
        yield Plan(shape="potential", measure=signal.measure)
    yield Plan(shape="distance", measure=signal.measure, own=1.0)
    yield Plan(shape="tolerance", measure=signal.measure)


def _plans(request: RewardRequest) -> Iterator[Plan]:
    fresh = families(request)
    best = _best(request.earlier)
    chance = random.Random(f"{request.task.seed}/{request.iteration}")  # noqa: S311 (a seeded choice, no secret)
    if best is None:
        start = list(fresh)
        yield from start
        while start:
            yield _varied(chance.choice(start), chance)
        return
    tried = {plan for candidate in request.earlier if (plan := parse(candidate.origin)) is not None}
    unseen = [plan for plan in fresh if plan not in tried]
    plan = parse(best.origin)
    if plan is None:  # the environment's own, or a model's: what was not tried comes first
        yield from unseen
        of_templates = _best([item for item in request.earlier if parse(item.origin) is not None])
        plan = (parse(of_templates.origin) if of_templates else None) or Plan(shape="environment")
    yield from _suggested(plan, request)
    yield from unseen[:1]
    while True:
        yield _varied(plan, chance)


def _best(earlier: Sequence[RewardCandidate]) -> RewardCandidate | None:
    scored = [candidate for candidate in earlier if candidate.score is not None and not candidate.failure]
    if not scored:
        return None
    return max(
        scored, key=lambda item: (item.score or 0.0, item.progress if item.progress is not None else -1e300)
    )


def _suggested(plan: Plan, request: RewardRequest) -> Iterator[Plan]:
    """Yield what the feedback and the last training suggest."""
    words = request.feedback.lower()
    if "safety" in words and request.task.safety:
        plan = replace(plan, safety=plan.safety * 4)
        yield plan
    ends = request.entry.success.terminated is True  # then nothing may pay for staying
    if "end early" in words and not ends:
        yield replace(plan, alive=2 * plan.alive + 1.0)
    if "comes near" in words and plan.measure:
        yield replace(plan, width=plan.width / 2, bonus=0.0 if ends else 2 * plan.bonus + 1.0)
    if "no progress" in words and plan.measure:
        yield replace(plan, width=plan.width * 3)


def _varied(plan: Plan, chance: random.Random) -> Plan:
    """Return the plan with its numbers multiplied or divided by up to 4."""

    def about(value: float) -> float:
        return float(f"{value * 4 ** chance.uniform(-1, 1):.3g}")

    return replace(
        plan,
        width=about(plan.width) if plan.measure else plan.width,
        bonus=about(plan.bonus),
        success=about(plan.success),
        alive=about(plan.alive),
        action_cost=about(plan.action_cost or _ACTION_COST) if chance.random() < 0.8 else 0.0,
        own=chance.choice([plan.own, 0.3, 1.0]) if plan.shape != "environment" else 0.0,
    )
