"""The training job with a trainer that needs no framework: selection, early ends, budgets, failures, resuming."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from rpent.errors import UsageError
from rpent_robosmith.catalog.load import find
from rpent_robosmith.policy.format import PolicyDescription, PolicyParameters
from rpent_robosmith.task import Criterion
from rpent_robosmith.training.checkpoints import CheckpointFolder
from rpent_robosmith.training.order import Selection, TrainingOrder, TrainingResult
from rpent_robosmith.training.packing import unpack
from rpent_robosmith.worker.api import Trainer, TrainingError
from rpent_robosmith.worker.jobs import train
from rpent_robosmith.worker.rewards import RewardError
from rpent_robosmith.worker.spaces import space_facts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rpent_robosmith.worker.api import TrainingCallbacks, TrainingTask

GOOD = (0.0, 0.5, 1.0, 1.0)
"""Gains of a controller that balances: push to where the pole falls."""


class Scripted(Trainer):
    """Its n-th segment gives the controller with the n-th gain; it steps the environments at random."""

    gains: Sequence[float] = GOOD
    seconds = 0.0
    error: Exception | None = None

    def train(self, task: TrainingTask, callbacks: TrainingCallbacks) -> int:
        env = task.make_env(0)
        segment = 0 if task.resume is None else int(task.resume["segment"])
        steps = segment * task.segment_steps
        while steps < task.total_steps:
            segment += 1
            env.reset(seed=task.seed + segment)
            env.action_space.seed(segment)
            for _ in range(task.segment_steps):
                time.sleep(self.seconds)
                steps += 1
                if any(env.step(env.action_space.sample())[2:4]):
                    env.reset()
                callbacks.progress(steps)
                if callbacks.stopping():
                    break
            if self.error is not None and segment == 2:
                raise self.error
            gain = self.gains[min(segment, len(self.gains)) - 1]
            policy = controller(env, gain)
            saved = {"segment": segment, "appended": {"rows": np.full(2, segment)}}
            if not callbacks.segment_done(steps, policy, lambda saved=saved: saved) or callbacks.stopping():
                break
        return steps


def controller(env: Any, gain: float) -> PolicyParameters:
    """Push right where angle + angular velocity (and a bit of position) say so, times the gain."""
    row = np.array([0.05, 0.2, 1.0, 0.5], np.float32) * gain
    description = PolicyDescription(
        algorithm="scripted",
        trainer="scripted",
        observation=space_facts(env.observation_space),
        action=space_facts(env.action_space),
        activation="relu",
        layers=1,
        output="argmax",
    )
    weights = {
        "layers.0.weight": np.stack([-row, row]),
        "layers.0.bias": np.zeros(2, np.float32),
    }
    return PolicyParameters(description=description, weights=weights)


class Owner:
    """Keeps what is told, and the checkpoints."""

    def __init__(self, folder: Path | None = None) -> None:
        self.told: list[tuple[str, dict[str, Any]]] = []
        self.folder = None if folder is None else CheckpointFolder(folder)
        self.sealed = False
        self.ends_at = 10**9

    def tell(self, kind: str, **data: Any) -> None:
        self.told.append((kind, data))
        if kind == "checkpoint" and self.folder is not None:
            self.folder.write(data["segment"], data["data"])

    def seal(self, *, readable: Sequence[str] = ()) -> None:
        del readable
        self.sealed = True

    def stopping(self) -> bool:
        return sum(kind == "evaluation" for kind, _ in self.told) >= self.ends_at

    def points(self) -> list[dict[str, Any]]:
        return [data["point"] for kind, data in self.told if kind == "evaluation"]


@pytest.fixture
def ordered(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[TrainingResult, Any, Owner]]:
    def run(
        owner: Owner | None = None, *, trainer: Mapping[str, Any] | None = None, **fields: Any
    ) -> tuple[TrainingResult, Any, Owner]:
        scripted = type("Scripted", (Scripted,), dict(trainer or {}))
        monkeypatch.setattr(train, "load_trainer", lambda _name: scripted())
        owner = owner or Owner()
        settings = {"total_steps": 240, "segment_steps": 60, "seed": 0, **fields}
        order = TrainingOrder(entry=find("cartpole"), algorithm="scripted", trainer="scripted", **settings)
        answer = train.run({"order": order.model_dump(mode="json")}, owner)
        policy = None if answer["policy"] is None else unpack(answer["policy"])
        return TrainingResult.model_validate(answer["result"]), policy, owner

    return run


def selection(**fields: Any) -> Selection:
    return Selection(episodes=4, **fields)


def test_the_best_policy_is_kept_not_the_last(ordered: Any) -> None:
    result, policy, owner = ordered(
        trainer={"gains": (0.0, 1.0, -1.0, 0.0)}, selection=selection(solved_after=9)
    )
    assert result.status == "finished"
    assert result.steps == 240
    assert result.standing.best_steps == 120
    assert policy.weights["layers.0.weight"][1, 2] == 1.0
    assert [point["steps"] for point in owner.points()] == [60, 120, 180, 240]
    assert [point["success_rate"] for point in owner.points()] == [0.0, 1.0, 0.0, 0.0]


def test_showing_everything_twice_ends_it(ordered: Any) -> None:
    criteria = (Criterion(metric="success_rate", operator=">=", threshold=0.9),)
    result, _, _ = ordered(trainer={"gains": (1.0, 1.1, 1.2, 1.3)}, selection=selection(criteria=criteria))
    assert result.status == "early_stopped"
    assert result.steps == 120
    assert "2 evaluations in a row" in result.detail


def test_a_criterion_that_does_not_hold_keeps_it_going(ordered: Any) -> None:
    criteria = (Criterion(metric="mean_return", operator=">=", threshold=501),)
    result, _, _ = ordered(trainer={"gains": (1.0, 1.1, 1.2, 1.3)}, selection=selection(criteria=criteria))
    assert result.status == "finished"
    assert result.standing.best == (False, 1.0, 500.0)


def test_patience_ends_it(ordered: Any) -> None:
    result, _, _ = ordered(
        trainer={"gains": (0.0, -0.1)}, selection=selection(patience=1, least_fraction=0.5), total_steps=600
    )
    assert result.status == "early_stopped"
    assert result.steps == 300
    assert "nothing better" in result.detail


def test_without_a_selection_the_last_policy_is_the_result(ordered: Any) -> None:
    result, policy, owner = ordered(selection=None)
    assert result.standing.best_steps is None
    assert policy.weights["layers.0.weight"][1, 2] == 1.0
    assert all(point["success_rate"] is None for point in owner.points())


def test_the_time_limit_ends_it_in_the_middle_of_a_segment(ordered: Any) -> None:
    result, policy, _ = ordered(trainer={"seconds": 0.01}, seconds=1.0, selection=selection(solved_after=9))
    assert result.status == "time_limit"
    assert 0 < result.steps < 240
    assert result.steps % 60
    assert policy is not None


def test_the_owner_can_end_it(ordered: Any) -> None:
    owner = Owner()
    owner.ends_at = 2
    result, _, _ = ordered(owner, selection=selection(solved_after=9))
    assert result.status == "time_limit"
    assert result.steps <= 121


def test_a_training_that_changes_nothing_has_failed(ordered: Any) -> None:
    result, policy, _ = ordered(trainer={"gains": (0.5,)}, selection=selection(solved_after=9))
    assert result.status == "failed"
    assert "changed nothing" in result.detail
    assert policy is None


def test_divergence_is_a_failure_that_says_after_how_many_steps(ordered: Any) -> None:
    error = TrainingError("The training diverged after 120 steps.", hint="A smaller `learning_rate`.")
    result, policy, _ = ordered(trainer={"error": error})
    assert (result.status, result.steps) == ("failed", 120)
    assert result.detail == "The training diverged after 120 steps. A smaller `learning_rate`."
    assert policy is None


def test_a_mistake_of_the_user_is_no_failed_training(ordered: Any) -> None:
    with pytest.raises(UsageError, match="no hyperparameter"):
        ordered(trainer={"error": UsageError("`x` is no hyperparameter.")})


def test_reward_code_is_loaded_when_the_process_is_sealed(ordered: Any) -> None:
    code = 'def compute_reward(obs, action, next_obs, info):\n    return 2.0, {"two": 2.0}\n'
    result, _, owner = ordered(reward=code, selection=selection(solved_after=9))
    assert owner.sealed
    assert result.standing.reward_calls == 240
    assert result.standing.reward_errors == 0
    lengths = [point["reward"] for point in owner.points() if point["reward"] is not None]
    assert all(total % 2 == 0 or total > 10 for total in lengths)


def test_a_reward_that_fails_on_most_steps_fails_the_job(ordered: Any) -> None:
    code = "def compute_reward(obs, action, next_obs, info):\n    return obs[99], {}\n"
    with pytest.raises(RewardError, match="IndexError"):
        ordered(reward=code)


@pytest.mark.parametrize("segments", [1, 2, 3])
def test_going_on_gives_the_same_result(ordered: Any, tmp_path: Path, segments: int) -> None:
    fields = {"selection": selection(solved_after=9), "trainer": {"gains": (0.0, 1.0, 0.2, 0.5)}}
    whole, policy, _ = ordered(**fields)
    interrupted = Owner(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        ordered(_Killed(tmp_path, after=segments), **fields)
    assert CheckpointFolder(tmp_path).segment == segments
    resumed, again, owner = ordered(interrupted, checkpoints=str(tmp_path), **fields)
    assert resumed == whole
    np.testing.assert_array_equal(again.weights["layers.0.weight"], policy.weights["layers.0.weight"])
    assert len(owner.points()) == 4 - segments


class _Killed(Owner):
    """Is killed after a checkpoint is written."""

    def __init__(self, folder: Path, after: int) -> None:
        super().__init__(folder)
        self._after = after

    def tell(self, kind: str, **data: Any) -> None:
        super().tell(kind, **data)
        if kind == "checkpoint" and data["segment"] == self._after:
            raise KeyboardInterrupt


def test_a_checkpoint_of_another_training_is_not_gone_on_from(ordered: Any, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        ordered(_Killed(tmp_path, after=2), seed=1)
    _, _, owner = ordered(seed=0, checkpoints=str(tmp_path), selection=selection(solved_after=9))
    assert ("note", {"line": "The checkpoint is of another training; this one starts anew."}) in owner.told
    assert len(owner.points()) == 4
