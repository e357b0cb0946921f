"""What stages find out: candidates, trainings, evaluations, decisions. Each is plain data, kept in the checkpoint."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from rpent_robosmith.data import Data

_BELOW = r"^[\w-][\w.-]*(/[\w-][\w.-]*)*$"
"""A path below the run directory, with no way out of it."""


class EpisodeRecord(Data):
    """One episode of an evaluation."""

    seed: int
    length: int
    total: float
    """Sum of the environment's own reward."""
    success: bool
    measures: dict[str, float] = {}
    terminated: bool = False
    truncated: bool = False
    error: str = ""
    """Why it crashed; a crashed episode is a failure, reported apart, and enters no mean."""


class Interval(Data):
    """A confidence interval."""

    low: float
    high: float


class EvaluationReport(Data):
    """A policy (or a baseline) over seeded episodes."""

    policy: str
    """`trained`, `random`, `zero`."""
    episodes: tuple[EpisodeRecord, ...]
    metrics: dict[str, float]
    """`success_rate`, `mean_return`, `mean_length`, `error_rate`, `mean_<measure>`."""
    intervals: dict[str, Interval] = {}
    """Of the same names; Wilson for rates, bootstrap for means."""
    confidence: float = 0.95

    @property
    def failures(self) -> tuple[EpisodeRecord, ...]:
        """The episodes that were no success."""
        return tuple(episode for episode in self.episodes if not episode.success)


class Verdict(Data):
    """An evaluation against the task: criteria, safety limits and baselines."""

    accepted: bool
    trained: EvaluationReport
    baselines: tuple[EvaluationReport, ...]
    criteria: dict[str, bool]
    """`success_rate >= 0.8` → whether it holds."""
    safety: dict[str, bool] = {}
    margin: float
    beats_baselines: bool
    reasons: tuple[str, ...]
    """Sentences: why it is, or is not, accepted."""


class RewardCandidate(Data):
    """A reward function, and how it did."""

    id: str = Field(pattern=r"^[\w.-]*$")
    """`i1-c2`: iteration and number; files are named after it."""
    code: str
    origin: str
    """Who wrote it: `template:distance`, `model:...`."""
    idea: str = ""
    score: float | None = None
    """The task's own success measure after a short training; None where it could not be scored."""
    success_rate: float | None = None
    progress: float | None = None
    errors: int = 0
    """Calls that raised or gave no finite number."""
    calls: int = 0
    components: dict[str, float] = {}
    """Mean of each component."""
    failure: str = ""
    """Why the candidate is out."""
    algorithm: str = ""
    """What it was tried with: scores compare only where it is the same."""


class CurvePoint(Data):
    """One point of a learning curve."""

    steps: int
    success_rate: float | None = None
    progress: float | None = None
    mean_return: float | None = None
    """The environment's own."""
    reward: float | None = None
    """The trained reward's own mean episode total."""
    extra: dict[str, float] = {}


class TrainingReport(Data):
    """One training."""

    iteration: int
    algorithm: str
    trainer: str
    seed: int
    reward: str | None
    """The candidate's id; None trained on the environment's own reward or on a dataset."""
    steps: int = 0
    """Executed, not requested."""
    status: Literal["finished", "early_stopped", "time_limit", "failed"]
    detail: str = ""
    failure: str = ""
    """Kind of the `WorkError` that it failed with (`reward`, `timeout`, `silence`, `memory`, `killed`, `protocol`,
    `error`); empty where it did not fail, or did so in the trainer's own words."""
    best_steps: int | None = None
    curve: tuple[CurvePoint, ...] = ()
    policy: str | None = Field(None, pattern=_BELOW)
    """Folder of the best checkpoint, relative to the run directory."""
    reward_errors: int = 0
    reward_calls: int = 0
    hyperparameters: dict[str, Any] = {}
    """As trained with: the algorithm's, and `n_envs`, `normalize_observations`, `total_steps`, ..."""
    order: str = ""
    """Fingerprint of all that determines the training: equal ones are not repeated."""
    versions: dict[str, str] = {}
    """Of what it was trained with."""


DecisionKind = Literal["accept", "refine_reward", "switch_algorithm", "adjust_environment", "stop"]


class Decision(Data):
    """What to do after an evaluation."""

    kind: DecisionKind
    by: str
    """`rules`, `model:...`."""
    reason: str
    feedback: str = ""
    """For whoever writes the next rewards."""
    algorithm: str | None = None
    """For `switch_algorithm`."""


class Usage(Data):
    """What models cost."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = Field(default=None)
