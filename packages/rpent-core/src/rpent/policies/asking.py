"""Asking a policy so that each request gets an answer or an error of its own, whatever the policy does."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from rpent.errors import PolicyError, RpentError, clause
from rpent.policies.validation import checked_chunk

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from rpent.policies.api import Policy, PolicyRequest

_MEMORY_WORDS = ("out of memory", "not enough memory", "can't allocate memory", "cannot allocate memory")
_log = logging.getLogger(__name__)


class Asker:
    """Asks one policy. `limit` is how many requests go together; it shrinks when memory did not suffice."""

    def __init__(self, policy: Policy, *, backend: str, limit: int) -> None:
        self.limit = limit
        self._policy, self._backend = policy, backend

    def ask(self, requests: Sequence[PolicyRequest]) -> list[NDArray[np.float64] | RpentError]:
        """Return the checked (T, D) chunk, or the error, of each request.

        When several fail together, they are asked one by one, so that only the culprit fails.
        """
        try:
            chunks = self._infer(requests)
        except BaseException as error:  # noqa: BLE001  (a backend may even call sys.exit(); the server lives on)
            if len(requests) == 1:
                return [self._failure(error)]
            if is_memory(error):
                self.limit = max(1, len(requests) // 2)
            _log.warning("%d requests failed together (%s); asking one by one", len(requests), clause(error))
        else:
            return [self._checked(chunk) for chunk in chunks]
        # Only here is the exception gone, and with it whatever memory its traceback held.
        return [self.ask([request])[0] for request in requests]

    def _infer(self, requests: Sequence[PolicyRequest]) -> Sequence[Any]:
        chunks = self._policy.infer(requests)
        if len(chunks) != len(requests):
            raise PolicyError(
                f"The policy `{self._backend}` gave {len(chunks)} answers to {len(requests)} requests."
            )
        return chunks

    def _checked(self, chunk: Any) -> NDArray[np.float64] | RpentError:
        try:
            return checked_chunk(chunk, self._policy.signature, backend=self._backend)
        except PolicyError as error:
            return error

    def _failure(self, error: BaseException) -> RpentError:
        if isinstance(error, PolicyError):
            return error
        if isinstance(error, RpentError):  # of a server that it asks; its kind must not be taken for ours
            return PolicyError(f"The policy `{self._backend}` failed: {error.message}", hint=error.hint)
        _log.error("the policy failed", exc_info=error)
        if is_memory(error):
            return PolicyError(
                f"The policy `{self._backend}` failed: it ran out of memory ({clause(error)}).",
                hint="Use a smaller `--max-batch`, another `--device`, or a machine with more memory.",
            )
        return PolicyError(f"The policy `{self._backend}` failed: {clause(error, named=True)}.")


def is_memory(error: BaseException) -> bool:
    """Whether it says that memory did not suffice, in Python's words or in torch's."""
    text = str(error).lower()
    return (
        isinstance(error, MemoryError)
        or type(error).__name__ == "OutOfMemoryError"
        or any(words in text for words in _MEMORY_WORDS)
    )
