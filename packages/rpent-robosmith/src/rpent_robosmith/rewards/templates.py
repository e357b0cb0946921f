"""Reward functions as source text, from a plan of few numbers: the same plan always gives the same text."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from rpent_robosmith.rewards.signals import limits, signals

if TYPE_CHECKING:
    from rpent_robosmith.catalog.entry import EnvEntry
    from rpent_robosmith.facts import EnvFacts
    from rpent_robosmith.rewards.signals import Signal
    from rpent_robosmith.task import TaskSpec

DISCOUNT = 0.99
"""Of potential-based shaping: the trainers' own (Ng, Harada, Russell, "Policy invariance under reward transformations",
ICML 1999, theorem 1)."""

SHAPES = {
    "environment": "the environment's own reward",
    "distance": "the negative error, so that every step towards the goal pays",
    "exponential": "an exponential of the error, bounded by 1 and steepest near the goal",
    "tolerance": "a bonus within the tolerance, and a little slope outside it",
    "potential": "the decrease of the error since the step before, and a bonus within the tolerance",
    "gain": "the measure, counted towards its better side",
    "squashed": "the measure, counted towards its better side and squashed to [-1, 1] so that outliers do not count",
    "signal": "the environment's own success signal",
    "alive": "a constant for each step that the episode lasts",
    "centred": "a constant for each step, less where observations come near their bounds",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """A reward, as the numbers that a search varies."""

    shape: str
    """One of `SHAPES`."""
    measure: str = ""
    """Which of the environment's measures, several with `+` between them; empty for shapes without one."""
    width: float = 1.0
    """Error (or gain) that counts as one, in units of the signal's own width."""
    bonus: float = 0.0
    """For each step within the tolerance."""
    own: float = 0.0
    """Weight of the environment's own reward."""
    success: float = 0.0
    """For each step at which the environment says success, or ends the episode where that is the success."""
    alive: float = 0.0
    """For each step."""
    action_cost: float = 0.0
    """Weight of the mean squared action."""
    safety: float = 1.0
    """Weight of what exceeds the task's safety limits; without effect where it has none."""

    @property
    def origin(self) -> str:
        """`template:exponential(measure=distance,width=0.5)`: also what `parse` reads back."""
        parts = [
            f"{field.name}={getattr(self, field.name)}"
            for field in fields(self)
            if field.name != "shape" and getattr(self, field.name) != field.default
        ]
        return f"template:{self.shape}({','.join(parts)})"

    @property
    def idea(self) -> str:
        """What it does, for people."""
        extras = [
            ("the environment's own reward", self.own),
            ("a bonus near the goal", self.bonus if self.shape not in {"tolerance", "potential"} else 0.0),
            ("the success signal", self.success if self.shape != "signal" else 0.0),
            ("a constant for each step", self.alive if self.shape not in {"alive", "centred"} else 0.0),
            ("a cost of large actions", self.action_cost),
        ]
        more = " and ".join(name for name, weight in extras if weight)
        about = f" ({', '.join(f'`{name}`' for name in self.measure.split('+'))})" if self.measure else ""
        return f"{SHAPES[self.shape]}{about}{f', with {more}' if more else ''}"


def parse(origin: str) -> Plan | None:
    """Return the plan that an origin was written from; None for an origin of another kind."""
    match = re.fullmatch(r"template:(\w+)\((.*)\)", origin)
    if match is None or match[1] not in SHAPES:
        return None
    known = {field.name for field in fields(Plan)} - {"shape"}
    values: dict[str, Any] = {}
    for part in filter(None, match[2].split(",")):
        name, _, value = part.partition("=")
        if name not in known:
            return None
        try:
            values[name] = value if name == "measure" else float(value)
        except ValueError:
            return None
    return Plan(shape=match[1], **values)


def write(plan: Plan, task: TaskSpec, entry: EnvEntry, facts: EnvFacts) -> str:
    """Return the plan as source text of a reward function.

    Raises:
        ValueError: The plan names a measure that the environment does not have.
    """
    chosen = _chosen(plan, entry, facts)
    beyond = limits(task, entry, facts)
    terms = [*_main_terms(plan, chosen, facts), *_extra_terms(plan, chosen, entry, facts)]
    terms += [
        (
            f"safety_{item.measure}",
            f"-{_number(plan.safety / item.span)} * {item.function}(next_obs, action, info)",
        )
        for item in beyond
    ]
    functions = [item.source for item in (*chosen, *beyond)]
    body = "\n".join(f"        {name!r}: float({expression})," for name, expression in terms)
    main = (
        "def compute_reward(obs, action, next_obs, info):\n"
        f"    components = {{\n{body}\n    }}\n"
        "    return float(sum(components.values())), components\n"
    )
    return "\n\n".join(["import numpy as np\n", *functions, main])


def _chosen(plan: Plan, entry: EnvEntry, facts: EnvFacts) -> list[Signal]:
    known = {signal.measure: signal for signal in signals(entry, facts)}
    names = plan.measure.split("+") if plan.measure else []
    for name in names:
        if name not in known:
            raise ValueError(f"`{entry.id}` has no measure `{name}`")
    return [known[name] for name in names]


def _main_terms(plan: Plan, chosen: list[Signal], facts: EnvFacts) -> list[tuple[str, str]]:
    if plan.shape == "environment":
        return [("environment", 'info["env_reward"]')]
    if plan.shape == "centred":
        return [("centred", _centred(facts))]
    share = "" if len(chosen) < 2 else f" / {len(chosen)}"
    return [(signal.measure, f"{_shaped(plan, signal)}{share}") for signal in chosen]


def _shaped(plan: Plan, signal: Signal) -> str:
    width = _number(plan.width * signal.width)
    after = f"{signal.function}(next_obs, action, info)"
    before = f"{signal.function}(obs, action, info)"
    return {
        "distance": f"-{after} / {width}",
        "exponential": f"np.exp(-{after} / {width})",
        "tolerance": f"-0.1 * min({after} / {width}, 1.0)",
        "potential": f"({before} - {DISCOUNT} * {after}) / {width}",
        "gain": f"{after} / {width}",
        "squashed": f"np.tanh({after} / {width})",
    }[plan.shape]


def _extra_terms(plan: Plan, chosen: list[Signal], entry: EnvEntry, facts: EnvFacts) -> list[tuple[str, str]]:
    terms = []
    errors = [signal for signal in chosen if signal.kind == "error"]
    if plan.bonus and errors:
        inside = " and ".join(
            f"{signal.function}(next_obs, action, info) <= {_number(signal.tolerance)}" for signal in errors
        )
        terms.append(("near", f"{_number(plan.bonus)} if {inside} else 0.0"))
    if plan.own and plan.shape != "environment":
        terms.append(("environment", f'{_number(plan.own)} * info["env_reward"]'))
    if plan.success and (said := _success(entry)):
        terms.append(("success", f"{_number(plan.success)} if {said} else 0.0"))
    if plan.alive:
        terms.append(("alive", _number(plan.alive)))
    if plan.action_cost and facts.action.kind == "box":
        terms.append(("action", f"-{_number(plan.action_cost)} * np.mean(np.square(action))"))
    return terms


def _success(entry: EnvEntry) -> str:
    """Return what says at a step that the episode succeeds; empty where nothing does."""
    if entry.success.signal is not None:
        return f"info.get({entry.success.signal!r}, 0.0)"
    return 'info["terminated"]' if entry.success.terminated is True else ""


def _centred(facts: EnvFacts) -> str:
    """Return the mean squared share of the way to the bounds, over the numbers of the observation that have some."""
    bounded = bounded_numbers(facts)
    middles = [_short((low + high) / 2) for _, low, high in bounded]
    halves = [_short((high - low) / 2) for _, low, high in bounded]
    chosen = f"np.asarray(next_obs, dtype=float).reshape(-1)[{[number for number, _, _ in bounded]}]"
    return f"-np.mean(np.square(({chosen} - np.array({middles})) / np.array({halves})))"


def bounded_numbers(facts: EnvFacts) -> list[tuple[int, float, float]]:
    """Return (index, low, high) of the numbers of a box observation that have sensible bounds, at most 64."""
    space = facts.observation
    if space.kind != "box" or len(space.low) != space.size or len(space.high) != space.size:
        return []
    pairs = zip(space.low, space.high, strict=True)
    return [(n, low, high) for n, (low, high) in enumerate(pairs) if 0 < high - low < 2e3][:64]


def _number(value: float) -> str:
    return repr(_short(value))


def _short(value: float) -> float:
    return float(f"{value:.4g}")
