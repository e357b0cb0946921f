"""One trial in two processes: a sealed one that trains beside the candidate's code, and a clean one that scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from rpent.errors import PolicyError, clause

from rpent_robosmith.policy.adopting import adopted
from rpent_robosmith.rewards.screening import EPISODES, FIRST_SEED, Screened
from rpent_robosmith.work.api import Job, Limits, WorkError
from rpent_robosmith.work.requirements import requirements

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rpent_robosmith.catalog.entry import EnvEntry
    from rpent_robosmith.facts import EnvFacts
    from rpent_robosmith.policy.format import PolicyParameters
    from rpent_robosmith.work.api import Bench

    Heard = Callable[[str, Mapping[str, Any]], None]

JOB = "rpent_robosmith.worker.jobs.rollouts:run"
LIMITS = Limits(wall_s=600.0, silence_s=60.0)
"""Of the clean worker; a policy that it cannot be done with in this time is no good one."""
SEEDS = tuple(range(FIRST_SEED, FIRST_SEED + EPISODES))


@dataclass(frozen=True, slots=True)
class TrialBench:
    """A `Bench` on which the job of a trial is followed by the episodes that score its policy.

    The result of a trial is `screened`, a `Screened`, and `episodes`, as the clean worker gives them.
    """

    bench: Bench
    entry: EnvEntry
    facts: EnvFacts
    """Of a clean inspection: the spaces that the policy must fit."""
    seeds: Sequence[int] = SEEDS

    def run(self, job: Job, heard: Heard | None = None) -> dict[str, Any]:
        """Run a trial, see `rpent_robosmith.work.api.Bench`.

        Raises:
            WorkError: The training failed, what came of it is no policy, or the policy's episodes came to no end.
        """
        answer = self.bench.run(job, heard)
        screened, policy = self._taken(job, answer)
        scored = self.bench.run(self._scoring(job, policy), heard)
        return {"screened": screened, "episodes": scored["episodes"]}

    def _taken(self, job: Job, answer: Mapping[str, Any]) -> tuple[Screened, PolicyParameters]:
        try:
            screened = Screened.model_validate(answer.get("screened"))
            policy = adopted(
                answer.get("policy"),
                entry=self.entry,
                facts=self.facts,
                algorithm=str(job.params.get("algorithm", "")),
                trainer=str(job.params.get("trainer", "")),
            )
        except (ValidationError, PolicyError) as error:
            raise WorkError(f"Its trial gave no result: {clause(error)}.", kind="protocol") from error
        return screened, policy

    def _scoring(self, job: Job, policy: PolicyParameters) -> Job:
        packed = {"description": policy.description.model_dump(mode="json"), "weights": policy.weights}
        return Job(
            run=JOB,
            params={
                "entry": self.entry.model_dump(mode="json"),
                "policy": packed,
                "seeds": list(self.seeds),
            },
            limits=LIMITS,
            label=f"score {job.label.removeprefix('try ')}",
            **requirements(self.entry).fields(),
        )
