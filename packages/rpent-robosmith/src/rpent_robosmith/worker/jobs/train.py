"""The job that trains: segments, a comparison of policies after each, and the best one as the result.

Messages: `ready` (the environments are made; `versions`), `progress` (steps, total, numbers), `evaluation` (a point of
the learning curve, and whether it is the best), `checkpoint` (segment, data).
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rpent.plugins import registry

from rpent_robosmith.training.checkpoints import APPENDED, KEEP_ROWS, CheckpointFolder
from rpent_robosmith.training.order import TrainingOrder, TrainingResult
from rpent_robosmith.training.packing import pack
from rpent_robosmith.worker.api import Trainer, TrainingError, TrainingTask
from rpent_robosmith.worker.control import controlling
from rpent_robosmith.worker.loading import instance
from rpent_robosmith.worker.making import make_env
from rpent_robosmith.worker.rewarding import Rewarding
from rpent_robosmith.worker.selecting import Judge
from rpent_robosmith.worker.supervising import Supervisor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import gymnasium

    from rpent_robosmith.worker.api import JobContext

_VERSIONS = ("gymnasium", "mujoco", "numpy", "sb3-contrib", "stable-baselines3", "torch")


def run(params: Mapping[str, Any], context: JobContext) -> dict[str, Any]:
    """Train as ordered.

    Args:
        params: `order`, a `TrainingOrder` as plain data.
        context: Hears of the progress and keeps the checkpoints.

    Returns:
        `result`, a `TrainingResult` as plain data, and `policy` (see `training.packing`), None where it failed.

    Raises:
        UsageError: The order does not fit the environment or the algorithm.
        RewardError: The candidate's code cannot be loaded, or fails on most steps.
    """
    order = TrainingOrder.model_validate(params["order"])
    trainer = load_trainer(order.trainer)
    use_one_thread()
    saved = _saved(order, context)
    made = [make_env(order.entry) for _ in range(order.n_envs)]
    judge = None if order.selection is None else Judge(order.entry, order.selection, make_env(order.entry))
    versions = {name: number for name in _VERSIONS if (number := _version(name))}
    context.tell("ready", versions=versions)
    if order.reward is not None:
        context.seal()
    rewarding = Rewarding(order.reward)
    environments = rewarding.environments(made)
    supervisor = Supervisor(order, context, judge, rewarding, saved)
    try:
        steps = trainer.train(_task(order, environments, saved), supervisor)
        supervisor.require_learned()
        rewarding.require_sound()
    except TrainingError as error:
        result = TrainingResult(
            status="failed",
            detail=" ".join(filter(None, (error.message, error.hint))),
            steps=supervisor.steps,
            standing=supervisor.counted(),
            versions=versions,
        )
        return {"result": result.model_dump(mode="json"), "policy": None}
    return _ended(supervisor, steps, versions, made[0])


def load_trainer(name: str) -> Trainer:
    """Return the trainer of a plugin.

    Raises:
        PluginError: It is not installed, cannot be imported here, or is no trainer.
    """
    spec = registry.get("trainers", name)
    trainer: Trainer = instance(Trainer, spec.trainer, spec.needs, f"trainer `{name}`")
    return trainer


def use_one_thread() -> None:
    """Let torch compute in one thread: small networks are quickest so, and sums are always in the same order."""
    try:
        import torch  # noqa: PLC0415  (not every trainer has it)
    except ImportError:
        return
    torch.set_num_threads(1)


def _task(
    order: TrainingOrder, environments: Sequence[gymnasium.Env[Any, Any]], saved: Mapping[str, Any] | None
) -> TrainingTask:
    return TrainingTask(
        algorithm=order.algorithm,
        entry=order.entry,
        make_env=environments.__getitem__,
        seed=order.seed,
        total_steps=order.total_steps,
        n_envs=order.n_envs,
        normalize_observations=order.normalize_observations,
        normalize_rewards=order.normalize_rewards,
        hyperparameters=order.hyperparameters,
        segment_steps=order.segment_steps,
        resume=None if saved is None else saved["trainer"],
        dataset=order.dataset_path or order.dataset,
    )


def _saved(order: TrainingOrder, context: JobContext) -> dict[str, Any] | None:
    """Return the checkpoint to go on from: `trainer` as the trainer saved it, and what the supervisor keeps."""
    found = None if order.checkpoints is None else CheckpointFolder(Path(order.checkpoints)).read()
    if found is None:
        return None
    segment, data = found
    if data.get("order") != order.fingerprint:
        context.tell("note", line="The checkpoint is of another training; this one starts anew.")
        return None
    trainer = data["trainer"] | {key: data[key] for key in (APPENDED, KEEP_ROWS) if key in data}
    return {**data, "segment": segment, "trainer": trainer}


def _ended(
    supervisor: Supervisor, steps: int, versions: dict[str, str], env: gymnasium.Env[Any, Any]
) -> dict[str, Any]:
    policy = supervisor.policy
    if policy is None:
        raise RuntimeError("the trainer ended without a policy")
    status = (
        "time_limit" if supervisor.out_of_time else "early_stopped" if supervisor.ended_by else "finished"
    )
    result = TrainingResult(
        status=status,
        detail=supervisor.ended_by,
        steps=steps,
        standing=supervisor.counted(),
        versions=versions,
    )
    return {"result": result.model_dump(mode="json"), "policy": pack(controlling(policy, env))}


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
