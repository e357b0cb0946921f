"""The whole state of a run: what `checkpoint.json` holds, typed and versioned."""

from __future__ import annotations

from typing import Any, Literal

from rpent_robosmith.catalog.entry import EnvEntry
from rpent_robosmith.data import Data
from rpent_robosmith.facts import EnvFacts
from rpent_robosmith.reports import Decision, RewardCandidate, TrainingReport, Usage, Verdict
from rpent_robosmith.task import TaskSpec

SCHEMA_VERSION = 1

NodeName = Literal[
    "intake", "environment", "inspect", "reward", "training", "evaluation", "decision", "delivery"
]
NODES: tuple[NodeName, ...] = (
    "intake",
    "environment",
    "inspect",
    "reward",
    "training",
    "evaluation",
    "decision",
    "delivery",
)
"""In the order of a first pass; `decision` may go back to `environment`, `reward` or `training`."""


class NodeRecord(Data):
    """One execution of a node that came to an end."""

    node: NodeName
    iteration: int
    status: Literal["done", "failed"]
    detail: str = ""


class Match(Data):
    """An environment that the retrieval weighed."""

    entry: str
    score: float
    available: bool
    reason: str = ""


class RunState(Data):
    """Everything that a resumed run needs; times and process ids are elsewhere, so that equal runs are equal here."""

    version: int = SCHEMA_VERSION
    run_id: str
    task: TaskSpec
    options: dict[str, Any] = {}
    """The effective configuration: model, base_url, agents, interpreter, ..."""
    iteration: int = 1
    next_node: NodeName | None = "intake"
    """None: the run has ended."""
    status: Literal["running", "succeeded", "failed"] = "running"
    detail: str = ""
    history: tuple[NodeRecord, ...] = ()
    entry: EnvEntry | None = None
    matches: tuple[Match, ...] = ()
    left_environments: tuple[str, ...] = ()
    """Those that `adjust_environment` went away from; they are not chosen again."""
    facts: EnvFacts | None = None
    candidates: tuple[RewardCandidate, ...] = ()
    """Of all iterations."""
    reward: RewardCandidate | None = None
    """The one that is trained with now."""
    algorithm: str | None = None
    trainings: tuple[TrainingReport, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    """One an iteration."""
    decisions: tuple[Decision, ...] = ()
    best_iteration: int | None = None
    """The iteration whose policy is delivered."""
    usage: Usage = Usage()
    files: dict[str, str] = {}
    """Delivered file → sha256."""
