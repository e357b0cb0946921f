"""From proposals to scored candidates, each kept on disk as soon as it is known how it did."""

from __future__ import annotations

import json
import math
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from rpent.errors import ExitCode, RpentError, UsageError, clause
from rpent.runs.files import write_json

from rpent_robosmith.evaluation.statistics import summarise
from rpent_robosmith.evaluation.verdict import signed_progress
from rpent_robosmith.reports import EpisodeRecord, RewardCandidate
from rpent_robosmith.rewards.check import check_reward
from rpent_robosmith.rewards.trial import TrialBench
from rpent_robosmith.work.api import WorkError
from rpent_robosmith.work.parallel import run_all

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from rpent_robosmith.agents.api import Proposal
    from rpent_robosmith.catalog.entry import EnvEntry
    from rpent_robosmith.facts import EnvFacts
    from rpent_robosmith.work.api import Bench, Job

    Told = Callable[[RewardCandidate, str, Mapping[str, Any]], None]

OWN_ORIGIN = "environment"
OWN_CODE = """\
def compute_reward(obs, action, next_obs, info):
    reward = float(info["env_reward"])
    return reward, {"environment": reward}
"""
"""The environment's own reward, as a candidate like the others."""
AT_ONCE = 2
_PROPOSALS_FILE = "proposals.json"
_FEW_ERRORS = 0.1
_TEXT = 500


def has_own_reward(facts: EnvFacts) -> bool:
    """Whether the environment was seen to give a reward of its own."""
    return facts.reward_range is None or any(facts.reward_range)


def own_candidate() -> RewardCandidate:
    """Return the environment's own reward; its id is given with its place."""
    return RewardCandidate(id="", code=OWN_CODE, origin=OWN_ORIGIN, idea="the environment's own reward")


def candidates_of(
    proposals: Sequence[Proposal], iteration: int, *, own: bool, taken: Sequence[str] = ()
) -> list[RewardCandidate]:
    """Return candidates with ids and the verdict of the static check, none of them twice.

    Args:
        proposals: Of whoever writes rewards.
        iteration: Part of the ids.
        own: Whether the environment's own reward comes first.
        taken: Code of earlier candidates.
    """
    found = [own_candidate()] if own else []
    seen = {*taken, OWN_CODE} if own else set(taken)
    for proposal in proposals:
        if proposal.code in seen:
            continue
        seen.add(proposal.code)
        problems = check_reward(proposal.code)
        found.append(
            RewardCandidate(
                id="",
                code=proposal.code,
                origin=proposal.origin,
                idea=proposal.idea,
                failure=problems[0] if problems else "",
            )
        )
    return [
        candidate.model_copy(update={"id": f"i{iteration}-c{number}"})
        for number, candidate in enumerate(found, start=1)
    ]


@dataclass(frozen=True, slots=True)
class SearchFolder:
    """What a search has found so far; a resumed one repeats neither a question to a model nor a trial."""

    path: Path
    """`rewards/i1` in the run directory."""

    def candidates(self, propose: Callable[[], list[RewardCandidate]]) -> list[RewardCandidate]:
        """Return the candidates that were kept, with how they did where that is known; else new ones, kept first.

        Where a search came to its end and every trial failed, the reason may have been the machine's (no memory, no
        disk, a killed worker), so that all of them are tried again.

        Raises:
            RunDirectoryError: The folder cannot be written.
        """
        kept = self._kept()
        if kept is None:
            kept = propose()
            self._make()
            write_json(self.path / _PROPOSALS_FILE, [item.plain() for item in kept])
        scored = [self._scored(item) for item in kept]
        return kept if all(item.failure for item in scored) else scored

    def keep(self, candidate: RewardCandidate) -> None:
        """Keep how a candidate did.

        Raises:
            RunDirectoryError: The folder cannot be written.
        """
        write_json(self.path / f"{candidate.id}.json", candidate.plain())

    def _make(self) -> None:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RpentError(f"`{self.path}` cannot be made: {clause(error)}.") from error

    def _kept(self) -> list[RewardCandidate] | None:
        try:
            data = json.loads((self.path / _PROPOSALS_FILE).read_text())
            return [RewardCandidate.model_validate(item) for item in data]
        except (
            OSError,
            ValueError,
            TypeError,
            RecursionError,
        ):  # none yet, or a damaged one: it is written anew
            return None

    def _scored(self, candidate: RewardCandidate) -> RewardCandidate:
        try:
            found = RewardCandidate.model_validate_json((self.path / f"{candidate.id}.json").read_bytes())
        except (OSError, ValidationError, ValueError):
            return candidate
        same = (found.id, found.code) == (candidate.id, candidate.code)
        return found if same else candidate


def screen_all(
    bench: Bench,
    candidates: Sequence[RewardCandidate],
    make_job: Callable[[RewardCandidate], Job],
    entry: EnvEntry,
    facts: EnvFacts,
    *,
    keep: Callable[[RewardCandidate], None],
    told: Told | None = None,
) -> list[RewardCandidate]:
    """Try every candidate that was not tried and is not out, two at a time, and return all in their order.

    Args:
        bench: Runs the trials, each in processes of its own: a candidate that hangs, exits or grows costs only itself.
        candidates: Of one iteration.
        make_job: The sealed training of one.
        entry: Says what success and progress are.
        facts: Of the environment: its spaces.
        keep: Called with each candidate as soon as it is known how it did.
        told: Called with each message of a trial.

    Raises:
        RpentError: A trial failed for a reason that is not its candidate's.
    """
    results = {item.id: item for item in candidates}
    waiting = [item for item in candidates if not tried(item)]

    def heard(number: int, kind: str, data: Mapping[str, Any]) -> None:
        if told is not None:
            told(waiting[number], kind, data)

    jobs = [make_job(item) for item in waiting]
    trials = TrialBench(bench, entry, facts)
    with closing(run_all(trials, jobs, at_once=AT_ONCE, heard=heard)) as outcomes:
        for number, outcome in outcomes:
            scored = _scored(waiting[number], outcome, entry)
            keep(scored)
            results[scored.id] = scored
    return [results[item.id] for item in candidates]


def tried(candidate: RewardCandidate) -> bool:
    """Whether it is known how the candidate did."""
    return candidate.score is not None or bool(candidate.failure)


def rank(candidate: RewardCandidate) -> tuple[bool, float, float]:
    """Return what candidates are ordered by: few errors, then success rate, then progress."""
    sound = candidate.errors <= _FEW_ERRORS * candidate.calls
    unknown = -math.inf
    return (
        sound,
        unknown if candidate.success_rate is None else candidate.success_rate,
        unknown if candidate.progress is None else candidate.progress,
    )


def best(candidates: Sequence[RewardCandidate], *, trained: Sequence[str] = ()) -> RewardCandidate | None:
    """Return the best candidate that was scored; of two equals one that was not trained with, then the earlier one."""
    scored = [item for item in candidates if item.score is not None and not item.failure]
    if not scored:
        return None
    return max(scored, key=lambda item: (*rank(item), item.id not in trained))


def _scored(
    candidate: RewardCandidate, outcome: dict[str, Any] | RpentError, entry: EnvEntry
) -> RewardCandidate:
    if isinstance(outcome, WorkError) and outcome.exit_code == ExitCode.USAGE:
        raise UsageError(outcome.message, hint=outcome.hint) from outcome
    if isinstance(outcome, WorkError):
        return candidate.model_copy(update={"failure": outcome.message[:_TEXT]})
    if isinstance(outcome, RpentError):
        raise outcome
    screened = outcome["screened"]
    try:
        episodes = [EpisodeRecord.model_validate(item) for item in outcome["episodes"]]
    except ValidationError as error:
        raise WorkError(f"The episodes of `{candidate.id}` are none: {clause(error)}.") from error
    report = summarise("screened", episodes, measures=entry.measures)
    rate = report.metrics["success_rate"]
    if math.isnan(rate):
        return candidate.model_copy(update={"failure": "Its trial had no episodes."})
    return candidate.model_copy(
        update={
            "score": rate,
            "success_rate": rate,
            "progress": signed_progress(report.metrics, entry),
            "errors": screened.errors,
            "calls": screened.calls,
            "components": screened.shown_components(),
        }
    )
