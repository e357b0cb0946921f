"""`report.md`: what was asked for, what came of it, how, and on what evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpent_robosmith.delivery.chosen import reward_of, training_of, verdict_of
from rpent_robosmith.delivery.evaluation import outcome
from rpent_robosmith.delivery.markdown import block, code, number, table, text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rpent_robosmith.reports import EvaluationReport, TrainingReport
    from rpent_robosmith.workflow.state import RunState

_HEADLINES = {
    "accepted": "The policy is **accepted**.",
    "not accepted": "**Nothing is accepted**: no policy met everything that was asked for.",
    "failed": "**The run failed** before it came to its end.",
}
_MAX_FAILURES = 20
_TOLD = (
    "Steps, learning curves and why a training ended are what the sealed process with the reward in it told. Success "
    "rates here and the verdict are not: they come from processes that only had the policy's numbers."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Material:
    """What the report is made of besides the state."""

    files: Sequence[str]
    """Delivered so far."""
    versions: Mapping[str, str]
    notes: Sequence[str] = ()
    """What could not be delivered, and why; caveats."""
    film_seeds: Sequence[int] = ()


def report(state: RunState, material: Material) -> str:
    """Return the report, the same for equal runs."""
    parts: list[Callable[[RunState, Material], str]] = [
        _head,
        _task,
        _evaluation,
        _failures,
        _iterations,
        _rewards,
        _plots,
        _evidence,
    ]
    return "\n\n".join(part for part in (make(state, material) for make in parts) if part) + "\n"


def _head(state: RunState, material: Material) -> str:
    verdict = verdict_of(state)
    lines = [f"# {text(state.task.sentence)}", _HEADLINES[outcome(state)]]
    if state.detail:
        lines.append(text(state.detail))
    if verdict is not None:
        lines.append("\n".join(f"- {text(reason)}" for reason in verdict.reasons))
    if material.notes:
        lines.append("\n".join(f"- Note: {text(note)}" for note in material.notes))
    return "\n\n".join(lines)


def _task(state: RunState, _material: Material) -> str:
    task, entry, training = state.task, state.entry, training_of(state)
    rows = [
        ("Criteria", ", ".join(code(one) for one in task.criteria)),
        ("Safety limits", ", ".join(code(one) for one in task.safety) or "none"),
        ("Margin over the best baseline", number(task.margin)),
        ("Seed", str(task.seed)),
    ]
    if entry is not None:
        rows += [
            ("Environment", f"{code(entry.id)}, {code(entry.env_id)} of {code(entry.adapter)}"),
            ("", text(entry.description)),
            ("Success of an episode", text(_success(state))),
        ]
    if training is not None:
        rows += [
            ("Algorithm", f"{code(training.algorithm)} of {code(training.trainer)}"),
            ("Steps", f"{training.steps:,} executed, best after {training.best_steps or training.steps:,}"),
            (
                "Hyperparameters",
                code(_pairs(training)) if training.hyperparameters else "the algorithm's own",
            ),
        ]
    rows += [("", text(note)) for note in task.notes]
    return "## Task\n\n" + table(("", ""), rows)


def _pairs(training: TrainingReport) -> str:
    return ", ".join(f"{key}={value}" for key, value in training.hyperparameters.items())


def _success(state: RunState) -> str:
    assert state.entry is not None
    success = state.entry.success
    if success.signal is not None:
        return f"the environment's own signal {success.signal} ({success.when})"
    bounds = [f"at least {success.at_least:g}"] if success.at_least is not None else []
    bounds += [f"at most {success.at_most:g}"] if success.at_most is not None else []
    ended = {None: "", True: ", and it ended by itself", False: ", and it did not end by itself"}
    return f"declared: {success.measure} {' and '.join(bounds)}{ended[success.terminated]}"


def _evaluation(state: RunState, _material: Material) -> str:
    verdict = verdict_of(state)
    if verdict is None:
        return "## Evaluation\n\nNo policy was evaluated."
    reports = (verdict.trained, *verdict.baselines)
    names = list(dict.fromkeys(name for one in reports for name in one.metrics))
    rows = [(code(name), *(_value(one, name) for one in reports)) for name in names]
    episodes = verdict.trained.episodes
    told = f"{len(episodes)} episodes, seeds {episodes[0].seed} to {episodes[-1].seed}; " if episodes else ""
    checks = [
        (code(name), "holds" if holds else "**does not hold**") for name, holds in verdict.criteria.items()
    ]
    checks += [
        (f"safety {code(name)}", "holds" if ok else "**violated**") for name, ok in verdict.safety.items()
    ]
    checks.append(("beats the baselines by the margin", "yes" if verdict.beats_baselines else "**no**"))
    return "\n\n".join(
        [
            "## Evaluation",
            f"{told}in brackets the interval at {verdict.trained.confidence:.0%} confidence. These seeds neither "
            "train nor choose a policy.",
            table(("metric", *(text(one.policy) for one in reports)), rows),
            table(("check", ""), checks),
        ]
    )


def _value(report: EvaluationReport, name: str) -> str:
    interval = report.intervals.get(name)
    shown = number(report.metrics.get(name))
    return shown if interval is None else f"{shown} [{number(interval.low)}, {number(interval.high)}]"


def _failures(state: RunState, _material: Material) -> str:
    verdict = verdict_of(state)
    failed = verdict.trained.failures if verdict else ()
    if not failed:
        return ""
    rows = [
        (str(one.seed), str(one.length), number(one.total), text(one.error) or _ended(one.terminated))
        for one in failed[:_MAX_FAILURES]
    ]
    more = (
        f"\n\n… and {len(failed) - _MAX_FAILURES} more in `eval_report.json`."
        if len(failed) > _MAX_FAILURES
        else ""
    )
    return "### Failed episodes\n\n" + table(("seed", "length", "return", "how"), rows) + more


def _ended(terminated: bool) -> str:
    return "ended by itself" if terminated else "cut at the step limit"


def _iterations(state: RunState, _material: Material) -> str:
    if not state.trainings:
        return ""
    rows = []
    for one in state.trainings:
        verdict = state.verdicts[one.iteration - 1] if one.iteration <= len(state.verdicts) else None
        decision = state.decisions[one.iteration - 1] if one.iteration <= len(state.decisions) else None
        rows.append(
            (
                str(one.iteration),
                code(one.algorithm),
                code(one.reward) if one.reward else "the environment's own",
                f"{one.steps:,}",
                text(one.status.replace("_", " ") + (f": {one.detail}" if one.detail else "")),
                _value(verdict.trained, "success_rate") if verdict else "–",
                f"{code(decision.kind)} by {code(decision.by)}: {text(decision.reason)}" if decision else "–",
            )
        )
    head = ("", "algorithm", "reward", "steps", "training", "success rate", "decision")
    told = "" if all(one.reward is None for one in state.trainings) else f"\n\n{_TOLD}"
    return "## Iterations\n\n" + table(head, rows) + told


def _rewards(state: RunState, _material: Material) -> str:
    if not state.candidates:
        return ""
    rows = [
        (
            code(one.id),
            code(one.origin),
            text(one.idea) or "–",
            number(one.success_rate),
            number(one.progress),
            f"{one.errors} of {one.calls}",
            text(one.failure) or "–",
        )
        for one in state.candidates
    ]
    head = ("candidate", "by", "idea", "success rate", "progress", "failed calls", "out because")
    chosen = reward_of(state)
    shown = (
        f"\n\nThe delivered policy was trained with {code(chosen.id)}:\n\n{block(chosen.code, 'python')}"
        if chosen
        else ""
    )
    told = (
        "Each was scored by the task's own success measure after a short training, never by its own return, and in a "
        "process that its code never entered."
    )
    return f"## Rewards\n\n{told}\n\n{table(head, rows)}{shown}"


def _plots(_state: RunState, material: Material) -> str:
    names = [name for name in material.files if name.startswith("plots/")]
    if not names:
        return ""
    pictures = [f"![{_title(name)}]({name})" for name in names]
    return "## Plots\n\n" + "\n\n".join(pictures)


def _title(name: str) -> str:
    return name.removeprefix("plots/").removesuffix(".svg").replace("_", " ")


def _evidence(state: RunState, material: Material) -> str:
    usage = state.usage
    cost = "unknown" if usage.cost_usd is None else f"{usage.cost_usd:.4f} USD"
    lines = [
        "## Evidence",
        "Files: " + ", ".join(code(name) for name in sorted({*material.files, "report.md"})) + ".",
    ]
    if material.film_seeds:
        lines.append(
            f"`policy_rollout.mp4` shows the episodes with the seeds {', '.join(map(str, material.film_seeds))}."
        )
    if usage.requests:
        lines.append(
            f"Models: {usage.requests} requests, {usage.input_tokens:,} + {usage.output_tokens:,} tokens, cost {cost}."
        )
    lines.append(
        table(("package", "version"), [(code(k), code(v)) for k, v in sorted(material.versions.items())])
    )
    lines.append(
        "`reproduce.sh` does it again; `run_state.json` holds times, `checkpoint.json` the whole state."
    )
    return "\n\n".join(lines)
