"""`eval_report.json`: the evaluation of the delivered policy, its baselines, and how it came about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent_robosmith.delivery.chosen import is_accepted, reward_of, training_of, verdict_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpent_robosmith.reports import EvaluationReport, TrainingReport
    from rpent_robosmith.workflow.state import RunState

VERSION = 1


def document(state: RunState, versions: Mapping[str, str]) -> dict[str, Any]:
    """Return the whole report as plain data, without times and paths of this machine."""
    verdict, training, reward = verdict_of(state), training_of(state), reward_of(state)
    return {
        "version": VERSION,
        "sentence": state.task.sentence,
        "status": outcome(state),
        "detail": state.detail,
        "environment": _environment(state),
        "iteration": state.best_iteration,
        "algorithm": training.algorithm if training else state.algorithm,
        "reward": None if reward is None else reward.plain(exclude={"code"}),
        "margin": verdict.margin if verdict else state.task.margin,
        "beats_baselines": verdict.beats_baselines if verdict else None,
        "criteria": verdict.criteria if verdict else {},
        "safety": verdict.safety if verdict else {},
        "reasons": list(verdict.reasons) if verdict else [],
        "policies": _policies(state),
        "failures": [one.seed for one in verdict.trained.failures] if verdict else [],
        "seeds": _seeds(state),
        "iterations": iterations(state),
        "usage": state.usage.plain(),
        "versions": dict(versions),
    }


def outcome(state: RunState) -> str:
    """Return `accepted`, `not accepted`, or `failed` where a node did."""
    if state.status == "failed" and state.next_node is not None and state.next_node != "delivery":
        return "failed"
    return "accepted" if is_accepted(state) else "not accepted"


def iterations(state: RunState) -> list[dict[str, Any]]:
    """Return what happened in each iteration: trainings, metrics, decision."""
    rows = []
    last = max([state.iteration, *(training.iteration for training in state.trainings)])
    for number in range(1, last + 1):
        verdict = state.verdicts[number - 1] if number <= len(state.verdicts) else None
        decision = state.decisions[number - 1] if number <= len(state.decisions) else None
        rows.append(
            {
                "iteration": number,
                "candidates": [
                    one.plain(exclude={"code"})
                    for one in state.candidates
                    if one.id.startswith(f"i{number}-")
                ],
                "trainings": [_training(one) for one in state.trainings if one.iteration == number],
                "accepted": verdict.accepted if verdict else None,
                "metrics": _numbers(verdict.trained) if verdict else {},
                "decision": decision.plain() if decision else None,
            }
        )
    return rows


def _training(training: TrainingReport) -> dict[str, Any]:
    plain = training.plain()
    plain.pop("policy")
    return plain


def _policies(state: RunState) -> dict[str, Any]:
    verdict = verdict_of(state)
    if verdict is None:
        return {}
    return {one.policy: one.plain() for one in (verdict.trained, *verdict.baselines)}


def _numbers(report: EvaluationReport) -> dict[str, Any]:
    numbers: dict[str, Any] = report.plain()["metrics"]
    return numbers


def _environment(state: RunState) -> dict[str, Any] | None:
    if state.entry is None:
        return None
    return state.entry.plain(
        include={"id", "name", "adapter", "env_id", "kwargs", "max_episode_steps", "success", "progress"},
    )


def _seeds(state: RunState) -> dict[str, Any]:
    verdict = verdict_of(state)
    return {
        "run": state.task.seed,
        "trainings": [training.seed for training in state.trainings],
        "evaluation": [one.seed for one in verdict.trained.episodes] if verdict else [],
    }
