"""Environments, measures, evaluations and candidates in the words that a model is asked with."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rpent_robosmith.catalog.entry import EnvEntry
    from rpent_robosmith.facts import EnvFacts, NumberFacts, SpaceFacts
    from rpent_robosmith.measures import Measure, Quantity
    from rpent_robosmith.reports import (
        CurvePoint,
        EvaluationReport,
        RewardCandidate,
        TrainingReport,
        Verdict,
    )

MAX_NUMBERS = 64
"""Numbers of a space that are told one by one."""
MAX_CANDIDATES = 12
MAX_POINTS = 24
_ONLY_NAMED = " Only where it is named."
_STAND_IN = 1e30
"""Bounds beyond it stand for none."""


def environment_line(entry: EnvEntry, *, choosable: bool = True) -> str:
    """Return an environment in a line, for those who choose one.

    Args:
        entry: The environment.
        choosable: Whether it may be chosen for a sentence that does not name it: it runs here, and can be learned.
    """
    robot = entry.robot if entry.robot_model is None else f"{entry.robot} ({entry.robot_model})"
    line = f"{entry.name}: {entry.description} Robot: {robot}. Framework: {entry.adapter}."
    return line if choosable else line + _ONLY_NAMED


def choosable(environments: Mapping[str, str]) -> dict[str, str]:
    """Return those environments that may be chosen for a sentence that does not name them."""
    return {name: line for name, line in environments.items() if not line.endswith(_ONLY_NAMED)}


def robots_in(lines: Iterable[str]) -> frozenset[str]:
    """Return the kinds and models of robots in such lines."""
    found = (re.search(r"Robot: ([\w-]+)(?: \(([\w-]+)\))?\. Framework: ", line) for line in lines)
    return frozenset(name for match in found if match for name in match.groups() if name)


def environment(entry: EnvEntry, facts: EnvFacts) -> str:
    """Return what an environment is, and what its observations and actions mean."""
    lines = [
        f"{entry.name} (`{entry.id}`): {entry.description}",
        f"An episode has {facts.max_episode_steps or 'no limit of'} steps"
        + (f" at {facts.control_rate_hz:g} Hz." if facts.control_rate_hz else "."),
        "Observation (`obs` and `next_obs`):",
        *_space(facts.observation, facts.observation_numbers, "obs"),
        "Action (`action`):",
        *_space(facts.action, {"": facts.action_numbers}, "action"),
    ]
    if facts.info_keys:
        lines.append(f"Entries of `info` that are numbers: {', '.join(facts.info_keys)}.")
    return "\n".join(lines)


def success(entry: EnvEntry) -> str:
    """Return when an episode is a success, and the measures."""
    wanted = entry.success
    if wanted.signal is not None:
        words = f'The environment says so itself: `info["{wanted.signal}"]`'
        words += " at the last step." if wanted.when == "last" else " at any step."
    else:
        bounds = _bounds(wanted.at_least, wanted.at_most)
        words = f"An episode is a success where `{wanted.measure}` is {bounds}."
    if wanted.terminated is not None:
        words += f" It must {'' if wanted.terminated else 'not '}have ended by itself."
    lines = [words, f"Better is told from worse by `{entry.progress}`.", "Measures, one number an episode:"]
    lines += [f"- {measure_words(name, measure)}" for name, measure in entry.measures.items()]
    return "\n".join(
        [*lines, "- `return`: the sum of the environment's own reward", "- `length`: the number of steps"]
    )


def measure_words(name: str, measure: Measure) -> str:
    """Return how a measure is read from an episode."""
    step = _quantity(measure.quantity)
    if measure.minus is not None:
        step = f"{step} - {_quantity(measure.minus)}"
    if measure.map != "none":
        step = f"{measure.map}({step})"
    over = f"the last {measure.last} steps" if measure.last else "all steps"
    if measure.reduce == "fraction":
        how = f"share of {over} whose {step} is {_bounds(measure.at_least, measure.at_most)}"
    else:
        how = f"{measure.reduce} over {over} of {step}"
    unit = f" [{measure.unit}]" if measure.unit else ""
    summary = f" {measure.summary.rstrip('.')};" if measure.summary else ""
    return f"`{name}`{unit}:{summary} {how}; {measure.better} is better"


def evaluation(report: EvaluationReport) -> str:
    """Return an evaluation's metrics in one line."""
    numbers = ", ".join(
        f"{name} {value:.4g}{_interval(report, name)}" for name, value in sorted(report.metrics.items())
    )
    return f"{report.policy} policy over {len(report.episodes)} episodes: {numbers}"


def verdict(judged: Verdict) -> str:
    """Return an evaluation against the task."""
    held = {**judged.criteria, **judged.safety}
    lines = [
        evaluation(judged.trained),
        *(evaluation(baseline) for baseline in judged.baselines),
        *(f"- {name}: {'holds' if holds else 'does not hold'}" for name, holds in held.items()),
        f"- beats the baselines by {judged.margin:g}: {'yes' if judged.beats_baselines else 'no'}",
        *judged.reasons,
    ]
    for episode in judged.trained.failures[:5]:
        ending = (
            "crashed" if episode.error else "ended by itself" if episode.terminated else "ran out of time"
        )
        measures = ", ".join(f"{name} {value:.3g}" for name, value in sorted(episode.measures.items()))
        lines.append(f"Failed: seed {episode.seed}, {episode.length} steps, {ending}. {measures}")
    return "\n".join(lines)


def training(report: TrainingReport) -> str:
    """Return how a training went: its end, its errors, its curve."""
    lines = [
        f"{report.algorithm} for {report.steps} steps: {report.status.replace('_', ' ')}. {report.detail}".strip()
    ]
    if report.reward_calls:
        lines.append(f"The reward failed in {report.reward_errors} of {report.reward_calls} calls.")
    for point in _spread(report.curve, MAX_POINTS):
        numbers = {
            "success rate": point.success_rate,
            "progress": point.progress,
            "environment's own return": point.mean_return,
            "reward of the trained function": point.reward,
            **point.extra,
        }
        told = ", ".join(f"{name} {value:.4g}" for name, value in numbers.items() if value is not None)
        lines.append(f"- {point.steps} steps: {told}")
    return "\n".join(lines)


def candidates(earlier: Sequence[RewardCandidate]) -> Iterator[str]:
    """Yield the earlier rewards, the best first; the code of the best two and of the latest that failed."""
    ranked = sorted(earlier, key=_standing, reverse=True)[:MAX_CANDIDATES]
    shown = {one.id for one in ranked[:2]} | {one.id for one in earlier if one.failure and one is earlier[-1]}
    for one in ranked:
        lines = [f"{one.id} ({one.origin}): {one.idea}".rstrip(": ")]
        lines.append(f"  {candidate_numbers(one)}")
        if one.failure:
            lines.append(f"  Out: {one.failure}")
        if one.components:
            parts = ", ".join(f"{name} {value:.3g}" for name, value in sorted(one.components.items()))
            lines.append(f"  Components, mean of a step: {parts}")
        if one.id in shown:
            lines.append(f"```python\n{one.code.strip()}\n```")
        yield "\n".join(lines)


def candidate_numbers(one: RewardCandidate) -> str:
    """Return how a candidate did."""
    numbers = {"score": one.score, "success rate": one.success_rate, "progress": one.progress}
    told = [f"{name} {value:.4g}" for name, value in numbers.items() if value is not None]
    if one.calls:
        told.append(f"{one.errors} errors in {one.calls} calls")
    return ", ".join(told) or "not scored"


def _standing(one: RewardCandidate) -> tuple[bool, float, float]:
    def known(value: float | None) -> float:
        return value if value is not None and not math.isnan(value) else -math.inf

    return (not one.failure, known(one.score), known(one.progress))


def _spread(points: Sequence[CurvePoint], count: int) -> list[CurvePoint]:
    if len(points) <= count:
        return list(points)
    step = (len(points) - 1) / (count - 1)
    return [points[round(number * step)] for number in range(count)]


def _interval(report: EvaluationReport, name: str) -> str:
    found = report.intervals.get(name)
    return f" [{found.low:.4g}, {found.high:.4g}]" if found else ""


def _space(space: SpaceFacts, numbers: dict[str, tuple[NumberFacts, ...]], name: str) -> Iterator[str]:
    if space.kind == "dict":
        for key, part in space.parts.items():
            yield from _space(part, {"": numbers.get(key, ())}, f'{name}["{key}"]')
        return
    if space.kind == "discrete":
        yield from _choices(space, numbers.get("", ()), name)
        return
    yield f"- `{name}`: {space.kind}, shape {space.shape}, {space.dtype}"
    known = numbers.get("", ())
    for number, meaning in enumerate(known[:MAX_NUMBERS]):
        unit = f" [{meaning.unit}]" if meaning.unit else ""
        yield f"  - `{name}[{number}]`: {meaning.name}{unit}, {_range(meaning.low, meaning.high)}"
    if len(known) > MAX_NUMBERS:
        yield f"  - … and {len(known) - MAX_NUMBERS} more"
    if not known and space.low and space.high:
        yield f"  - from {_number(min(space.low))} to {_number(max(space.high))}"


def _choices(space: SpaceFacts, meanings: Sequence[NumberFacts], name: str) -> Iterator[str]:
    count = space.n or 1
    yield f"- `{name}`: an integer from {space.start} to {space.start + count - 1}"
    if len(meanings) == count:
        yield from (
            f"  - {space.start + number}: {meaning.name}"
            for number, meaning in enumerate(meanings[:MAX_NUMBERS])
        )
    else:
        yield from (f"  - {meaning.name}" for meaning in meanings[:MAX_NUMBERS])


def _range(low: float, high: float) -> str:
    if abs(low) > _STAND_IN and abs(high) > _STAND_IN:
        return "unbounded"
    return f"from {_number(low)} to {_number(high)}"


def _number(value: float) -> str:
    return "unbounded" if abs(value) > _STAND_IN or math.isnan(value) else f"{value + 0.0:.5g}"


def _bounds(at_least: float | None, at_most: float | None) -> str:
    parts = []
    if at_least is not None:
        parts.append(f"at least {at_least:g}")
    if at_most is not None:
        parts.append(f"at most {at_most:g}")
    return " and ".join(parts)


def _quantity(quantity: Quantity) -> str:
    source = {
        "observation": "next_obs",
        "action": "action",
        "info": "info",
        "reward": "the environment's reward",
    }
    text = source[quantity.of]
    if quantity.key is not None:
        text += f'["{quantity.key}"]'
    if quantity.index:
        text += "[" + ", ".join(str(number) for number in quantity.index) + "]"
    return text
