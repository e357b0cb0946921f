"""The control actions that were really carried out, kept until the agent fetches them."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_ACTIONS = 20_000
"""Actions kept at most (1.1 MB), some 17 minutes. When full, the oldest go."""


class Executed:
    """Remembers the actions behind the guardrails: repeated from the same state, they pass unchanged.

    Args:
        length: Of an action.
    """

    def __init__(self, length: int) -> None:
        self._length = length
        self._actions: deque[NDArray[np.float64]] = deque(maxlen=MAX_ACTIONS)

    def add(self, action: NDArray[np.float64]) -> None:
        """Remember the action of a control step."""
        self._actions.append(action.copy())

    def clear(self) -> None:
        """Forget what led to a state that is no more."""
        self._actions.clear()

    def drain(self, step: int) -> dict[str, Any]:
        """Return and forget the actions that led to control step `step`: (T, length), and the step they begin at."""
        kept = np.array(self._actions, np.float64).reshape(-1, self._length)
        self._actions.clear()
        return {"actions": kept, "first_step": step - len(kept)}
