"""Asking a robot's plugin what a field accepts: it may raise, never answer, or answer what is no list of choices."""

from __future__ import annotations

import logging
import threading
from itertools import islice
from typing import TYPE_CHECKING, Any

from rpent.encodable import encodable
from rpent.plugins.named import load_named
from rpent.runs.files import plain
from rpent.specs import Choice

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_CHOICES = 400
MAX_LABEL = 300
PATIENCE_S = 10.0
"""So long an answer is waited for; the first one of a simulator may read its files."""

_unanswered: dict[str, threading.Thread] = {}


def ask(choices: str, field: str, values: Mapping[str, Any]) -> list[Choice]:
    """Return a robot's own choices; empty where it has none, fails, or has not answered an earlier question yet.

    Args:
        choices: Names the plugin's function.
        field: What is to be filled.
        values: Those of all fields.
    """
    if (earlier := _unanswered.get(choices)) is not None and earlier.is_alive():
        return []
    found: list[Choice] = []
    asking = threading.Thread(
        target=_answer, args=(choices, field, values, found), name="rpent-dashboard-choices", daemon=True
    )
    asking.start()
    asking.join(PATIENCE_S)
    if asking.is_alive():
        _unanswered[choices] = asking
        logging.getLogger(__name__).error("The robot's choices for `%s` do not come.", field)
        return []
    return found


def _answer(choices: str, field: str, values: Mapping[str, Any], found: list[Choice]) -> None:
    try:
        answer = load_named(choices, "robot's choices")(field, values)
        given = [_clean(choice) for choice in islice(answer, MAX_CHOICES) if isinstance(choice, Choice)]
        found += [choice for choice in given if choice.value is not None]
    except (Exception, SystemExit):
        logging.getLogger(__name__).exception("The robot's choices for `%s` cannot be had.", field)


def _clean(choice: Choice) -> Choice:
    """Return it as JSON can carry it."""
    return Choice(value=encodable(plain(choice.value)), label=encodable(str(choice.label or "")[:MAX_LABEL]))
