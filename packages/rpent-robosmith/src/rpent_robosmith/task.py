"""What is to be trained, how well, and at what cost: the task spec."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from rpent_robosmith.data import Data

METRICS = ("success_rate", "mean_return", "mean_length", "error_rate")
"""What every evaluation knows; `mean_<measure>` of the environment's measures besides."""
OPERATORS = (">=", ">", "<=", "<")
MOST_STEPS = 10_000_000_000
MOST_MINUTES = 525_600.0
"""A year."""


class Criterion(Data):
    """One thing that an evaluation must show."""

    metric: str
    operator: Literal[">=", ">", "<=", "<"]
    threshold: float

    def holds(self, value: float) -> bool:
        """Whether a value meets it; NaN never does."""
        return {
            ">=": value >= self.threshold,
            ">": value > self.threshold,
            "<=": value <= self.threshold,
            "<": value < self.threshold,
        }[self.operator]

    def __str__(self) -> str:
        return f"{self.metric} {self.operator} {self.threshold:g}"


class Budget(Data):
    """What a run may cost; None means no limit."""

    total_steps: int | None = Field(None, ge=1, le=MOST_STEPS)
    """Environment steps of one training; None takes the environment's usual number."""
    minutes: float | None = Field(None, gt=0, le=MOST_MINUTES)
    """Wall clock of the whole run."""
    training_minutes: float | None = Field(None, gt=0, le=MOST_MINUTES)
    """Wall clock of one training."""
    model_tokens: int | None = Field(None, ge=1)
    model_cost_usd: float | None = Field(None, gt=0, allow_inf_nan=False)


class EvaluationPlan(Data):
    """How a policy is judged. The seeds are none of those that choose or train it."""

    episodes: int = Field(20, ge=1, le=10_000)
    """A seed each."""
    first_seed: int = Field(1_000_000, ge=1_000_000)
    """Below are the seeds of those that choose (from 500 000) and of trainings."""
    confidence: float = Field(0.95, gt=0.5, lt=1)


class TaskSpec(Data):
    """From the user's sentence and options, completed by intake; what the user stated is never overwritten."""

    sentence: str
    environment: str | None = None
    """Catalog entry, or a Gymnasium id; None lets the scout choose."""
    robot: str | None = None
    framework: str | None = None
    """Only environments of this adapter."""
    scene: dict[str, Any] | None = None
    """A declarative scene that is synthesised to an MJCF environment instead of choosing from catalogs."""
    tags: tuple[str, ...] = ()
    """Words that describe the task, for the retrieval."""
    algorithm: str | None = None
    criteria: tuple[Criterion, ...] = (Criterion(metric="success_rate", operator=">=", threshold=0.8),)
    safety: tuple[Criterion, ...] = ()
    """Limits on measures; violated, a policy is not accepted."""
    margin: float = Field(0.1, ge=0, le=1)
    """By how much the success rate must exceed that of the best baseline."""
    seed: int = Field(0, ge=0, lt=2**31)
    iterations: int = Field(3, ge=1, le=20)
    """Evaluations at most."""
    candidates: int = Field(4, ge=1, le=64)
    """Rewards that are tried in each iteration."""
    budget: Budget = Budget()
    evaluation: EvaluationPlan = EvaluationPlan()
    hyperparameters: dict[str, Any] = {}
    """Of the trainer, over the environment's and the algorithm's own."""
    dataset: str | None = None
    """For imitation."""
    stated: tuple[str, ...] = ()
    """Names of the fields that the user gave."""
    chosen: tuple[str, ...] = ()
    """Names of the fields that a model filled in by choice; a run may go back on them, as `adjust_environment` does."""
    avoid: tuple[str, ...] = ()
    """Environments, robots and algorithms that the sentence says no to, by the names of catalogs and trainers."""
    notes: tuple[str, ...] = ()
    """What the sentence asks for and no field holds, and what was read in one of several ways; for people."""
