"""The job that trains briefly with a reward candidate; the policy's episodes are another job, see `jobs.rollouts`.

The candidate is foreign code: it is loaded after the process has sealed itself, and shares it with nothing but its own
training. Nothing that scores it happens here. Messages: `progress` (done, total: training steps).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent_robosmith.rewards.screening import Screened, Screening
from rpent_robosmith.training.packing import pack
from rpent_robosmith.worker.api import TrainingTask
from rpent_robosmith.worker.jobs.train import load_trainer, use_one_thread
from rpent_robosmith.worker.making import make_env
from rpent_robosmith.worker.rewards import RewardedEnv, RewardFunction

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rpent_robosmith.policy.format import PolicyParameters
    from rpent_robosmith.worker.api import JobContext


def run(params: Mapping[str, Any], context: JobContext) -> dict[str, Any]:
    """Try one candidate.

    Args:
        params: A `Screening` as plain data.
        context: Hears of the progress; sealed before the candidate's code is loaded.

    Returns:
        `screened`, a `Screened` as plain data, and `policy` (see `training.packing`).

    Raises:
        RewardError: The code cannot be loaded, or failed in most of its calls.
        TrainingError: The trainer cannot learn from it.
        UsageError: The environment or the trainer does not accept what it is given.
    """
    screening = Screening.model_validate(params)
    use_one_thread()
    trainer = load_trainer(screening.trainer)
    context.tell("progress", done=0.0, total=float(screening.steps))
    raw = [make_env(screening.entry) for _ in range(screening.n_envs)]
    context.seal()
    reward = RewardFunction(screening.code)
    envs = [RewardedEnv(env, reward) for env in raw]
    listener = _Listener(context, screening.steps)
    steps = trainer.train(_task(screening, envs.__getitem__), listener)
    reward.require_sound()
    assert listener.policy is not None
    screened = Screened(steps=steps, **reward.summary())
    return {"screened": screened.model_dump(mode="json"), "policy": pack(listener.policy)}


def _task(screening: Screening, make: Callable[[int], Any]) -> TrainingTask:
    return TrainingTask(
        algorithm=screening.algorithm,
        entry=screening.entry,
        make_env=make,
        seed=screening.seed,
        total_steps=screening.steps,
        n_envs=screening.n_envs,
        normalize_observations=screening.normalize_observations,
        normalize_rewards=screening.normalize_rewards,
        hyperparameters=screening.hyperparameters,
        segment_steps=screening.steps,
    )


class _Listener:
    """Keeps the policy of the only segment."""

    def __init__(self, context: JobContext, total: int) -> None:
        self._context, self._total = context, total
        self.policy: PolicyParameters | None = None

    def progress(self, steps: int, **numbers: float) -> None:
        """Pass on how far it is."""
        del numbers
        self._context.tell("progress", done=float(min(steps, self._total)), total=float(self._total))

    def stopping(self) -> bool:
        """Whether the owner's time is up."""
        return self._context.stopping()

    def segment_done(
        self, steps: int, policy: PolicyParameters, save: Callable[[], Mapping[str, Any]]
    ) -> bool:
        """Keep the policy; there is no other segment."""
        del steps, save
        self.policy = policy
        return False
