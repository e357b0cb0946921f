"""Environments, robots, frameworks and algorithms that a sentence names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from rpent_robosmith.agents.describing import robots_in

if TYPE_CHECKING:
    from collections.abc import Mapping, MutableMapping

    from rpent_robosmith.agents.phrases import Text

_ALGORITHMS = {
    "ppo": r"\bppo\b|\bproximal\s+policy\s+optimi[sz]ation\b",
    "sac": r"\bsac\b|\bsoft\s+actor[\s-]critic\b",
    "td3": r"\btd3\b",
    "tqc": r"\btqc\b",
    "crossq": r"\bcross[\s-]?q\b",
    "bc": r"\bbehaviou?r(?:al)?\s+cloning\b|(?<=with\s)bc\b|(?<=using\s)bc\b",
    "act": r"\baction\s+chunking\b",
}
_ROBOTS = {
    "arm": r"\brobot(?:ic)?\s+arm\b|(?<!mobile\s)\bmanipulator\b",
    "quadruped": r"\bquadruped\b|\bfour[\s-]legged\b",
    "biped": r"\bbiped\b|\btwo[\s-]legged\b",
    "hand": r"\b(?:robot(?:ic)?|shadow|dext[e]?rous)\s+hand\b",
    "mobile-manipulator": r"\bmobile\s+manipulator\b",
    "mobile-base": r"\bmobile\s+(?:base|robot)\b",
    "humanoid": r"\bhumanoid\b",
}
_FRAMEWORKS = {
    "gymnasium-robotics": r"gymnasium[\s-]robotics",
    "robosuite": r"robosuite",
    "gymnasium": r"gymnasium|gym",
}
_USING = r"(?:\b(?:with|using|by|via|use|algorithm:?)\s+)?"
_IN = r"\b(?:in|on|with|using|of|from)\s+(?:the\s+)?"
GYMNASIUM_ID = r"\b(?:[A-Za-z][\w-]*/)?[A-Z][\w-]*-v\d+\b"


def read_environment(text: Text, found: MutableMapping[str, Any], environments: Mapping[str, str]) -> None:
    """Find an environment that is named: a Gymnasium id, an id of the catalog, or its name run together (`CartPole`).

    A single lower-case word (`pendulum`) describes the task as well as it names an environment: that is left to the
    retrieval, unless it follows `environment` or stands in backticks.
    """
    named: list[tuple[int, str]] = []
    for match in re.finditer(GYMNASIUM_ID, text.rest):
        named.append((match.start(), match[0]))
        text.blank(*match.span())
    for name in sorted(environments, key=lambda known: (-len(known), known)):
        for match in re.finditer(_pattern(name), text.rest):
            if _is_a_name(match[0], text.whole[: match.start()]):
                named.append((match.start(), name))
                text.blank(*match.span())
    wanted = [name for start, name in sorted(named) if not text.refused(start)]
    found["avoid"] += sorted({name for start, name in named if text.refused(start)} - set(wanted))
    if wanted:
        found["environment"] = wanted[0]
    if len(set(wanted)) > 1:
        others = ", ".join(f"`{name}`" for name in dict.fromkeys(wanted[1:]) if name != wanted[0])
        found["notes"].append(
            f"The sentence names several environments: `{wanted[0]}` is taken, not {others}."
        )


def _pattern(name: str) -> str:
    """Return a pattern for an id: its parts with or without hyphens and spaces between them, in either case."""
    parts = name.split("-")
    return r"(?<![\w-])`?(?i:" + r"[\s_-]?".join(re.escape(part) for part in parts) + r")`?(?![\w-])"


def _is_a_name(written: str, before: str) -> bool:
    """Whether it is written as a name: hyphens, inner capitals or backticks, or it follows the word `environment`."""
    return (
        bool(re.search(r"[-_`]|[a-z][A-Z]", written))
        or re.search(r"\b(?:environment|env|task)\s+(?:named\s+|called\s+)?$", before, re.I) is not None
    )


def read_algorithm(text: Text, found: MutableMapping[str, Any]) -> None:
    """Find the algorithm, and those that are refused."""
    _read(text, found, "algorithm", {name: rf"{_USING}(?:{known})" for name, known in _ALGORITHMS.items()})


def read_framework(text: Text, found: MutableMapping[str, Any]) -> None:
    """Find the framework whose environments are wanted."""
    _read(text, found, "framework", {name: rf"{_IN}(?:{known})\b" for name, known in _FRAMEWORKS.items()})


def read_robot(text: Text, found: MutableMapping[str, Any], environments: Mapping[str, str]) -> None:
    """Find the kind of robot, where the words can mean nothing else and an environment has it.

    The words also describe the task: they stay for the retrieval.
    """
    whole = text.rest
    known = robots_in(environments.values())
    _read(text, found, "robot", {name: pattern for name, pattern in _ROBOTS.items() if name in known})
    text.rest = whole


def _read(text: Text, found: MutableMapping[str, Any], field: str, patterns: Mapping[str, str]) -> None:
    wanted: list[tuple[int, str]] = []
    for name, pattern in patterns.items():
        for match in text.take(pattern):
            if text.refused(match.start()):
                found["avoid"].append(name)
            else:
                wanted.append((match.start(), name))
    names = list(dict.fromkeys(name for _, name in sorted(wanted)))
    if names:
        found[field] = names[0]
    if len(names) > 1:
        others = ", ".join(f"`{name}`" for name in names[1:])
        found["notes"].append(
            f"The sentence names several for `{field}`: `{names[0]}` is taken, not {others}."
        )
