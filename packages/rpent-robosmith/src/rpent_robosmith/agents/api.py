"""What agents do. The deterministic ones need no key; those of a model are asked through pydantic-ai."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rpent_robosmith.agents.model import ModelClient
    from rpent_robosmith.catalog.entry import EnvEntry
    from rpent_robosmith.facts import EnvFacts
    from rpent_robosmith.reports import (
        Decision,
        DecisionKind,
        RewardCandidate,
        TrainingReport,
        Usage,
        Verdict,
    )
    from rpent_robosmith.task import TaskSpec


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentContext:
    """What an agent is made with."""

    model: str | None = None
    """`openai-chat:NAME`, as for the planner `api`."""
    base_url: str | None = None
    key_variable: str | None = None
    seed: int = 0
    max_tokens: int | None = None
    """Budget of the whole run; None is no limit."""
    max_cost_usd: float | None = None
    log: str | None = None
    """File that every exchange with a model is appended to."""
    request_timeout_s: float = 300.0
    """Of one request to the model, waiting for a rate limit apart."""
    seconds_left: Callable[[], float | None] | None = None
    """Of the run's wall-clock budget; None, or a call that returns None, is no limit."""
    say: Callable[[str], None] | None = None
    """Told, a line each, what people should know: an answer that could not be used, a retry."""
    client: ModelClient | None = None
    """The run's model, shared by its agents so that budgets hold for all of them; made from the above when None."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Proposal:
    """A reward that somebody wrote; not yet checked."""

    code: str
    origin: str
    idea: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class RewardRequest:
    """What is known when rewards are written."""

    task: TaskSpec
    entry: EnvEntry
    facts: EnvFacts
    iteration: int
    count: int
    earlier: Sequence[RewardCandidate] = ()
    """Of all iterations before, with scores, errors and components."""
    training: TrainingReport | None = None
    """The last one, for feedback."""
    feedback: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class DecisionRequest:
    """What is known after an evaluation."""

    task: TaskSpec
    entry: EnvEntry
    facts: EnvFacts
    iteration: int
    verdict: Verdict
    training: TrainingReport
    reward: RewardCandidate | None
    allowed: Sequence[DecisionKind]
    """What can be done now; the answer is one of them."""
    algorithms: Sequence[str] = ()
    """Installed ones that fit the environment and were not tried."""
    earlier: Sequence[Decision] = ()


class IntakeAgent(Protocol):
    """Reads the user's sentence."""

    def read(self, task: TaskSpec, environments: Mapping[str, str]) -> TaskSpec:
        """Complete a task spec; fields in `task.stated` stay as they are.

        Args:
            task: The sentence and what the user stated.
            environments: Catalog id → one line. One that ends in `Only where it is named.` is of an environment that
                does not run here, or cannot be learned; nobody chooses it for a sentence that does not name it.
        """

    def usage(self) -> Usage:
        """Return what it has cost so far."""


class RewardAgent(Protocol):
    """Writes rewards."""

    def propose(self, request: RewardRequest) -> Sequence[Proposal]:
        """Return up to `request.count` rewards, none that is among the earlier ones."""

    def usage(self) -> Usage:
        """Return what it has cost so far."""


class DecisionAgent(Protocol):
    """Decides after an evaluation. Never accepts against the verdict: the stage sees to it."""

    def decide(self, request: DecisionRequest) -> Decision:
        """Return one of the allowed decisions."""

    def usage(self) -> Usage:
        """Return what it has cost so far."""


@dataclass(slots=True)
class NoUsage:
    """For agents without a model."""

    _usage: Usage = field(init=False)

    def usage(self) -> Usage:
        """Return nothing spent."""
        from rpent_robosmith.reports import Usage  # noqa: PLC0415

        return Usage()
