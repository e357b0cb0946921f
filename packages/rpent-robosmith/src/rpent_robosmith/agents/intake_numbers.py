"""Criteria, budgets and counts in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent_robosmith.agents.phrases import AT_MOST, COMPARISON, LESS, NUMBER, PERCENT, number, operator, whole
from rpent_robosmith.task import Criterion

if TYPE_CHECKING:
    import re
    from collections.abc import MutableMapping

    from rpent_robosmith.agents.phrases import Text

_ALIASES = {
    "success": "success_rate",
    "success rate": "success_rate",
    "return": "mean_return",
    "reward": "mean_return",
    "score": "mean_return",
    "length": "mean_length",
    "error": "error_rate",
    "errors": "error_rate",
    "error rate": "error_rate",
}
_RATES = ("success_rate", "error_rate")
_N = rf"(?P<n>{NUMBER})"
_C = rf"(?P<c>{COMPARISON})"
_P = rf"(?P<p>{PERCENT})?"
_SYMBOLS = r"(?P<metric>[a-z_]\w*(?:\s+rate)?)\s*(?P<c>>=|<=|≥|≤|>|<)\s*"
_OCCASIONS = r"(?:times?|episodes|runs|trials|attempts|cases|tries)"
_TIMES = rf"(?:of\s+(?:the|all|its)\s+{_OCCASIONS}|success(?:\s+rate)?|successful)"
_BOUND = rf"(?:{AT_MOST}|{LESS}|within|in|for|about|around|in\s+about)"
_TRAIN = r"(?:train(?:ing|ed)?|learn(?:ing|ed)?)"
_MORE_THAN_AN_EPISODE = 5_000
_MINUTES = {"s": 1 / 60, "m": 1.0, "h": 60.0}
_UNIT = r"(?P<u>seconds?|secs?|minutes?|mins?|hours?|hrs?|h)\b"


def read_criteria(text: Text, found: MutableMapping[str, Any]) -> None:
    """Find what an evaluation must show: `with 90 % success`, `9 out of 10 times`, `mean_return >= -200`."""
    criteria: dict[str, Criterion] = {}
    safety: list[Criterion] = []
    for match in text.take(rf"(?P<keep>\b(?:keep|never|always|safety:?)\s+)?{_SYMBOLS}{_N}{_P}"):
        criterion = _criterion(_metric(match["metric"]), operator(match["c"]), match)
        if match["keep"]:
            safety.append(criterion)
        else:
            criteria[criterion.metric] = criterion
    for criterion in (*_successes(text), *_means(text)):
        criteria.setdefault(criterion.metric, criterion)
    found["criteria"] = tuple(criteria.values())
    found["safety"] = tuple(safety)


def _successes(text: Text) -> list[Criterion]:
    found = []
    shares = rf"(?:{_C}\s+)?{_N}\s+(?:times\s+)?(?:out\s+)?of\s+(?P<all>{NUMBER})(?:\s+{_OCCASIONS})?\b"
    for match in text.take(shares):
        share = number(match["n"]) / max(number(match["all"]), 1e-9)
        found.append(Criterion(metric="success_rate", operator=_op(match["c"]), threshold=round(share, 6)))
    patterns = (
        rf"(?:{_C}\s+)?{_N}(?P<p>{PERCENT})\s+{_TIMES}",
        rf"success(?:\s+rate|es)?(?:\s+(?:of|is|in))?\s+(?:{_C}\s+)?{_N}{_P}(?:\s+{_TIMES})?",
        rf"succeed(?:s|ing)?\s+(?:in\s+)?(?:{_C}\s+)?{_N}(?P<p>{PERCENT})(?:\s+{_TIMES})?",
    )
    found += [
        _criterion("success_rate", operator(match["c"] or ""), match)
        for pattern in patterns
        for match in text.take(pattern)
    ]
    return [criterion for criterion in found if criterion.threshold > 0]


def _means(text: Text) -> list[Criterion]:
    named = r"(?:mean|average)?\s*\b(?P<metric>return|reward|score|error\s+rate|episode\s+length)s?\s+"
    compared = rf"{named}(?:of\s+)?{_C}\s+{_N}{_P}"
    plain = rf"(?:mean|average)?\s*\b(?P<metric>return)\s+of\s+(?P<c>){_N}(?P<p>)"
    per_episode = (
        rf"(?:in|within|after)\s+{_C}\s+{_N}\s+steps\s+(?:per|an|each|every|on)\s+(?:episode|average)"
    )
    found = [
        _criterion(_metric(match["metric"]), operator(match["c"]), match)
        for pattern in (compared, plain)
        for match in text.take(pattern)
    ]
    return found + [
        _criterion("mean_length", operator(match["c"]), match, percent=False)
        for match in text.take(per_episode)
    ]


def _op(comparison: str | None) -> Any:
    return operator(comparison or "")


def _metric(name: str) -> str:
    name = " ".join(name.lower().split())
    return _ALIASES.get(name.removeprefix("episode "), name)


def _criterion(metric: str, sign: Any, match: re.Match[str], *, percent: bool = True) -> Criterion:
    value = number(match["n"])
    if percent and (match["p"] or (metric in _RATES and value > 1)):
        value /= 100
    return Criterion(metric=metric, operator=sign, threshold=round(value, 9))


def read_budget(text: Text, found: MutableMapping[str, Any]) -> None:
    """Find what the run may cost: steps and minutes of training, minutes of the run, tokens and USD of a model."""
    budget: dict[str, Any] = {}
    steps = r"(?:(?:environment|env|training|simulation|time)[\s-]?)*(?:time)?steps?\b"
    for pattern in (
        rf"\b{_TRAIN}\s+(?:it\s+|them\s+)?(?:{_BOUND}\s+|with\s+|over\s+|on\s+)*{_N}\s+{steps}",
        rf"(?:{_BOUND}\s+|budget\s+of\s+)*{_N}\s+(?:environment|env|training)\s+(?:time)?steps?\b",
        rf"(?:{_BOUND}\s+|budget\s+of\s+)+{_N}\s+{steps}(?=\s+of\s+training)",
    ):
        for match in text.take(pattern):
            budget.setdefault("total_steps", whole(match["n"]))
    _read_many_steps(text, budget, steps)
    for match in text.take(rf"\b{_TRAIN}\s+(?:it\s+|time\s+)?(?:{_BOUND}\s+|of\s+)*{_N}\s*{_UNIT}"):
        budget.setdefault("training_minutes", _minutes(match))
    for match in text.take(rf"(?:{_BOUND}\s+)+{_N}\s*{_UNIT}\s+of\s+training"):
        budget.setdefault("training_minutes", _minutes(match))
    for match in text.take(
        rf"(?:\b(?:within|in|{AT_MOST}|{LESS}|budget\s+of|take)\s+)+{_N}\s*(?P<u>minutes?|mins?|hours?|hrs?)\b"
    ):
        budget.setdefault("minutes", _minutes(match))
    _read_model_budget(text, budget)
    found["budget"] = budget


def _read_many_steps(text: Text, budget: dict[str, Any], steps: str) -> None:
    """Find steps that are not said to be of the training, and can be of nothing else: no episode has so many."""
    for match in text.take(rf"(?:{_BOUND}|{AT_MOST}|with|over|use|using|spend)\s+{_N}\s+{steps}"):
        if whole(match["n"]) >= _MORE_THAN_AN_EPISODE:
            budget.setdefault("total_steps", whole(match["n"]))


def _read_model_budget(text: Text, budget: dict[str, Any]) -> None:
    for match in text.take(rf"(?:\b(?:{AT_MOST}|{LESS}|budget\s+of|spend)\s+)+{_N}\s+tokens\b"):
        budget["model_tokens"] = whole(match["n"])
    money = rf"(?:\b(?:{AT_MOST}|{LESS}|budget\s+of|spend|cost)\s+)+"
    for match in text.take(rf"{money}(?:\$\s?(?P<n>{NUMBER})|(?P<m>{NUMBER})\s?(?:dollars?|usd)\b)"):
        budget["model_cost_usd"] = number(match["n"] or match["m"])


def _minutes(match: re.Match[str]) -> float:
    return round(number(match["n"]) * _MINUTES[match["u"][0].lower()], 6)


def read_evaluation(text: Text, found: MutableMapping[str, Any]) -> None:
    """Find over how many episodes a policy is judged."""
    judged = r"(?:evaluat\w*|test\w*|judg\w*|measur\w*)\s+(?:it\s+|them\s+)?(?:on|over|with|in|for)\s+"
    for pattern in (rf"{judged}{_N}\s+episodes\b", rf"\b{_N}\s+(?:evaluation|test)\s+episodes\b"):
        for match in text.take(pattern):
            found.setdefault("evaluation", {})["episodes"] = whole(match["n"])


def read_counts(text: Text, found: MutableMapping[str, Any]) -> None:
    """Find seed, iterations, candidates and margin."""
    for match in text.take(r"\b(?:random\s+)?seed\s+(?:of\s+|is\s+|=\s*)?(?P<n>\d+)"):
        found["seed"] = int(match["n"])
    for match in text.take(rf"(?:{AT_MOST}\s+)?{_N}\s+(?:iterations?|rounds?)\b"):
        found["iterations"] = whole(match["n"])
    for match in text.take(rf"(?:try\s+)?{_N}\s+(?:reward\s+)?(?:candidates?|reward\s+functions?|rewards)\b"):
        found["candidates"] = whole(match["n"])
    beaten = r"beat(?:s|ing)?\s+(?:the\s+)?(?:random|baselines?|best\s+baseline)(?:\s+polic\w+)?\s+by\s+"
    for match in text.take(rf"{beaten}(?:{COMPARISON}\s+)?{_N}{_P}(?:\s?(?:percentage\s+)?points)?"):
        value = number(match["n"])
        found["margin"] = round(value / 100 if match["p"] or value > 1 else value, 9)
