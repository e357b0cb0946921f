"""Reward design: candidates are proposed, tried in sealed workers and scored in clean ones; the best is trained with.

Files, below the run directory: `rewards/i1/proposals.json`, and `rewards/i1/i1-c2.json` for each candidate as soon as
it is known how it did, so that a resumed search repeats nothing.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rpent.errors import RpentError

from rpent_robosmith.agents.api import RewardRequest
from rpent_robosmith.agents.factory import spent
from rpent_robosmith.rewards.screening import Screening, cheaper, screening_steps
from rpent_robosmith.rewards.search import (
    AT_ONCE,
    OWN_ORIGIN,
    SearchFolder,
    best,
    candidates_of,
    has_own_reward,
    screen_all,
    tried,
)
from rpent_robosmith.stages.evaluation import first_iteration_here
from rpent_robosmith.stages.training import chosen
from rpent_robosmith.training.plan import order_for
from rpent_robosmith.work.api import Job, Limits
from rpent_robosmith.work.requirements import requirements

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rpent_robosmith.catalog.entry import EnvEntry
    from rpent_robosmith.facts import EnvFacts
    from rpent_robosmith.reports import RewardCandidate
    from rpent_robosmith.training.choice import Choice
    from rpent_robosmith.workflow.state import RunState
    from rpent_robosmith.workflow.workshop import Workshop

JOB = "rpent_robosmith.worker.jobs.screen:run"
FOLDER = "rewards"
WALL_S = 600.0
SILENCE_S = 60.0
"""A reward that loops is out after so many seconds."""
MEMORY_BYTES = 3 * 2**30
MESSAGE_BYTES = 128 * 2**20
"""A trial sends one policy, and nothing else that is large."""
_BUDGET_SHARE, _LEAST_S = 0.4, 12.0
"""Of the run's remaining time, what a search may take before its trials are asked to end; each has so much at least."""


def run(state: RunState, workshop: Workshop) -> RunState:
    """Search for the reward of this iteration's training.

    Raises:
        RpentError: No candidate can be trained with, or whoever writes them cannot be asked.
        EnvironmentSetupError: The trainer is not installed.
    """
    if state.entry is None or state.facts is None:
        raise RpentError("There is nothing to reward: the run has no inspected environment.")
    choice = chosen(state)
    if choice.algorithm.paradigm != "rl":
        workshop.listener.say(f"`{choice.name}` learns from demonstrations and needs no reward.")
        return state.model_copy(update={"reward": None})
    entry, facts = state.entry, state.facts
    earlier = _earlier(state)
    folder = SearchFolder(workshop.folder / FOLDER / f"i{state.iteration}")
    candidates = folder.candidates(
        lambda: _proposed(state, workshop, entry, facts, choice=choice, earlier=earlier)
    )
    scored = screen_all(
        workshop.bench,
        candidates,
        _jobs(state, workshop, entry, choice),
        entry,
        facts,
        keep=_keeping(folder, workshop),
        told=_telling(workshop, sum(not tried(item) for item in candidates)),
    )
    reward = _best(state, choice, (*earlier, *scored))
    if reward is None:
        raise _none_left(state, scored)
    workshop.listener.say(f"Reward `{reward.id}` is trained with: {reward.idea or reward.origin}.")
    return state.model_copy(
        update={
            "candidates": (*state.candidates, *scored),
            "reward": reward,
            "usage": spent(workshop),
        }
    )


def _none_left(state: RunState, scored: Sequence[RewardCandidate]) -> RpentError:
    if not scored:
        return RpentError(
            "Nobody proposed a reward, and the environment has none of its own.",
            hint="`--rewards templates` writes some from the environment's measures.",
        )
    reasons = "; ".join(f"`{item.id}`: {item.failure}" for item in scored[:3])
    return RpentError(
        f"None of {len(scored)} rewards can be trained with ({reasons.rstrip('.')}).",
        hint=f"`{FOLDER}/i{state.iteration}/` in the run directory has all of them.",
    )


def _proposed(
    state: RunState,
    workshop: Workshop,
    entry: EnvEntry,
    facts: EnvFacts,
    *,
    choice: Choice,
    earlier: Sequence[RewardCandidate],
) -> list[RewardCandidate]:
    """Return new candidates: the environment's own reward where it was not tried yet, and what the agent writes."""
    own = has_own_reward(facts) and not any(
        item.origin == OWN_ORIGIN and item.algorithm == choice.name for item in earlier
    )
    count = state.task.candidates - own
    request = RewardRequest(
        task=state.task,
        entry=entry,
        facts=facts,
        iteration=state.iteration,
        count=count,
        earlier=earlier,
        training=state.trainings[-1] if state.trainings else None,
        feedback=state.decisions[-1].feedback if state.decisions else "",
    )
    proposals = workshop.rewards.propose(request)[:count] if count else ()
    found = candidates_of(
        proposals, state.iteration, own=own, taken=[item.code for item in earlier if item.failure or not own]
    )
    return [item.model_copy(update={"algorithm": choice.name}) for item in found]


def _earlier(state: RunState) -> tuple[RewardCandidate, ...]:
    """Return the candidates of earlier iterations in the present environment."""
    first = first_iteration_here(state)
    return tuple(item for item in state.candidates if iteration_of(item) >= first)


def iteration_of(candidate: RewardCandidate) -> int:
    """Return the iteration that a candidate is of, from its id `i1-c2`."""
    return int(candidate.id[1:].partition("-")[0])


def _best(state: RunState, choice: Choice, candidates: Sequence[RewardCandidate]) -> RewardCandidate | None:
    """Return the best candidate that this algorithm was not trained with, else the best one."""
    here = first_iteration_here(state)
    trained = {
        training.reward
        for training in state.trainings
        if training.algorithm == choice.name and training.iteration >= here
    }
    pool = [item for item in candidates if item.algorithm == choice.name]
    return best([item for item in pool if item.id not in trained]) or best(pool)


def _jobs(
    state: RunState, workshop: Workshop, entry: EnvEntry, choice: Choice
) -> Callable[[RewardCandidate], Job]:
    first = not state.trainings or state.trainings[0].algorithm == choice.name
    order = order_for(state.task, entry, choice, first=first)
    needs = requirements(entry, choice.trainer).fields()
    limits = Limits(
        wall_s=WALL_S,
        ask_s=_asked_after(workshop.deadline(), state.task.candidates),
        silence_s=SILENCE_S,
        memory_bytes=MEMORY_BYTES,
        message_bytes=MESSAGE_BYTES,
    )

    def job(candidate: RewardCandidate) -> Job:
        screening = Screening(
            entry=entry,
            code=candidate.code,
            algorithm=order.algorithm,
            trainer=order.trainer,
            seed=order.seed,
            steps=screening_steps(order.algorithm, order.total_steps),
            n_envs=order.n_envs,
            normalize_observations=order.normalize_observations,
            normalize_rewards=order.normalize_rewards,
            hyperparameters=cheaper(order.hyperparameters),
        )
        return Job(
            run=JOB,
            params=screening.model_dump(mode="json"),
            sealed=True,
            limits=limits,
            label=f"try {candidate.id}",
            **needs,
        )

    return job


def _asked_after(seconds_left: float | None, candidates: int) -> float | None:
    """Return after how many seconds a trial is asked to end; None where the run's time has no limit."""
    if seconds_left is None:
        return None
    return max(_LEAST_S, seconds_left * _BUDGET_SHARE / math.ceil(candidates / AT_ONCE))


def _keeping(folder: SearchFolder, workshop: Workshop) -> Callable[[RewardCandidate], None]:
    def keep(candidate: RewardCandidate) -> None:
        folder.keep(candidate)
        workshop.listener.say(told(candidate))

    return keep


def _telling(workshop: Workshop, count: int) -> Callable[[RewardCandidate, str, Mapping[str, Any]], None]:
    """Return what shows how far all of so many trials are, in one bar."""
    shares: dict[str, float] = {}

    def tell(candidate: RewardCandidate, kind: str, data: Mapping[str, Any]) -> None:
        done, total = data.get("done"), data.get("total")
        if kind == "progress" and isinstance(done, float) and isinstance(total, float) and total > 0:
            shares[candidate.id] = max(shares.get(candidate.id, 0.0), min(done / total, 1.0))
            workshop.listener.progress("try rewards", sum(shares.values()), count, candidate.id)

    return tell


def told(candidate: RewardCandidate) -> str:
    """Return how a candidate did, in one sentence."""
    who = f"Reward `{candidate.id}` ({candidate.origin})"
    if candidate.failure:
        return f"{who} is out: {candidate.failure}"
    progress = "" if candidate.progress is None else f", progress {candidate.progress:.3g}"
    errors = f", {candidate.errors} of {candidate.calls} calls failed" if candidate.errors else ""
    return f"{who}: {candidate.success_rate or 0.0:.0%} success{progress}{errors}."
