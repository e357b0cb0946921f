"""From an instruction's text to the words of its commands."""

from __future__ import annotations

import re

from rpent_planner_flash.lexicon import COPULAS, DETERMINERS


def commands(text: str) -> list[list[str]]:
    """Return the words of the sentences that ask for something, without those that only tell what is the case."""
    lowered = re.sub(r"[\u2019`]", "'", text.lower())
    sentences = []
    for sentence in re.split(r"(?<=\.)\s", lowered):
        tokens = re.findall(r"[a-z0-9]+(?:-[a-z0-9]+)*|'s\b|[,;.]", sentence)
        tells = bool(tokens) and tokens[0] in DETERMINERS and not COPULAS.isdisjoint(tokens)
        if not tells and tokens[:2] != ["make", "sure"]:
            sentences.append(tokens)
    return sentences


def stems(word: str) -> list[str]:
    """Return the verbs that a word in `-ing` may come from: `placing` → `plac`, `place`; `setting` → `set`."""
    if len(word) < 6 or not word.endswith("ing"):
        return []
    stem = word.removesuffix("ing")
    return [stem, stem + "e", *([stem[:-1]] if stem[-1] == stem[-2] else [])]
