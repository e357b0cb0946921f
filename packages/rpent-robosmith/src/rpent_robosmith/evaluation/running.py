"""Evaluations in workers: every seed has its episode in the end, be it one that crashed."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from rpent.errors import RpentError, clause

from rpent_robosmith.reports import EpisodeRecord
from rpent_robosmith.work.api import Job, WorkError
from rpent_robosmith.work.parallel import run_all
from rpent_robosmith.work.requirements import policy_requirements

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rpent_robosmith.catalog.entry import EnvEntry
    from rpent_robosmith.work.api import Bench

    Progress = Callable[[str, int, int], None]

JOB = "rpent_robosmith.worker.jobs.rollouts:run"
DEATHS = ("killed", "memory", "silence", "timeout")
"""Kinds of a `WorkError` in which an episode took the worker with it."""
_DEATHS_OF_A_SEED = 2
_MOST_DEATHS = 4


@dataclass(slots=True)
class _Policy:
    """One policy's episodes so far."""

    name: str
    source: str
    seeds: list[int]
    episodes: list[EpisodeRecord] = field(default_factory=list)
    deaths: list[int] = field(default_factory=list)
    """Seeds during which a worker died."""

    @property
    def left(self) -> list[int]:
        return self.seeds[len(self.episodes) :]

    def take(self, record: Mapping[str, Any]) -> None:
        episode = EpisodeRecord.model_validate(record)
        if not self.left or episode.seed != self.left[0]:
            raise WorkError(f"The evaluation of `{self.name}` told of a seed that it was not asked for.")
        self.episodes.append(episode)

    def died(self, reason: str) -> None:
        """Note that a worker died in the first seed that is left; twice is enough of one, and four times of all."""
        seed = self.left[0]
        self.deaths.append(seed)
        if len(self.deaths) >= _MOST_DEATHS:
            lost = self.left
        else:
            lost = [seed] if self.deaths.count(seed) >= _DEATHS_OF_A_SEED else []
        self.episodes += [_crashed(seed, reason) for seed in lost]


def evaluate(
    bench: Bench,
    entry: EnvEntry,
    policies: Mapping[str, str],
    seeds: Sequence[int],
    *,
    progress: Progress | None = None,
) -> dict[str, list[EpisodeRecord]]:
    """Return an episode for each policy and seed.

    A worker that dies, hangs or outgrows its memory is replaced by another, which goes on at the seed that it died in;
    a seed that is fatal twice is a crashed episode.

    Args:
        bench: Runs the workers, two at a time.
        entry: The environment.
        policies: Name → `random`, `zero`, or the folder of a policy.
        seeds: Of the episodes, the same for each policy.
        progress: Told a policy's name, its episodes so far, and of how many.

    Raises:
        RpentError: An episode cannot be run at all: the policy is damaged, the environment cannot be made.
    """
    all_of_them = [_Policy(name, source, list(seeds)) for name, source in policies.items()]
    while waiting := [policy for policy in all_of_them if policy.left]:
        jobs = [_job(entry, policy) for policy in waiting]
        with closing(run_all(bench, jobs, heard=_hearing(waiting, progress))) as outcomes:
            for number, outcome in outcomes:
                _settle(waiting[number], outcome)
    return {policy.name: policy.episodes for policy in all_of_them}


def _settle(policy: _Policy, outcome: dict[str, Any] | RpentError) -> None:
    if isinstance(outcome, WorkError) and outcome.kind in DEATHS:
        policy.died(outcome.message)
    elif isinstance(outcome, RpentError):
        raise outcome
    elif policy.left:
        raise WorkError(f"The evaluation of `{policy.name}` ended before its last episode.")


def _job(entry: EnvEntry, policy: _Policy) -> Job:
    return Job(
        run=JOB,
        params={"entry": entry.model_dump(mode="json"), "policy": policy.source, "seeds": policy.left},
        label=f"evaluate {policy.name}",
        **policy_requirements(entry, policy.source).fields(),
    )


def _hearing(
    waiting: Sequence[_Policy], progress: Progress | None
) -> Callable[[int, str, Mapping[str, Any]], None]:
    def heard(number: int, kind: str, data: Mapping[str, Any]) -> None:
        policy = waiting[number]
        if kind == "episode":
            try:
                policy.take(data["record"])
            except (KeyError, ValidationError) as error:
                raise WorkError(
                    f"The evaluation of `{policy.name}` sent no episode: {clause(error)}."
                ) from error
        if kind in {"episode", "progress"} and progress is not None:
            progress(policy.name, len(policy.episodes), len(policy.seeds))

    return heard


def _crashed(seed: int, reason: str) -> EpisodeRecord:
    return EpisodeRecord(seed=seed, length=0, total=0.0, success=False, error=reason)
