"""Names of tool calls that hold for a whole run."""

from __future__ import annotations

import threading
import uuid
from typing import TYPE_CHECKING, Any

from rpent.encodable import encodable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class CallIds:
    """Gives every call an id that no other call of the run has; some model servers number each reply's anew."""

    def __init__(self, history: Iterable[Mapping[str, Any]] = ()) -> None:
        """Take the transcript entries of a resumed run, whose ids are taken."""
        self._taken = {str(entry["call_id"]) for entry in history if "call_id" in entry}
        self._lock = threading.Lock()

    def new(self, wanted: str | None = None) -> str:
        """Return the wanted id, or one like it where it is taken."""
        wanted = encodable(wanted) if wanted else f"call_{uuid.uuid4().hex[:12]}"
        with self._lock:
            identity, number = wanted, 1
            while identity in self._taken:
                number += 1
                identity = f"{wanted}_{number}"
            self._taken.add(identity)
        return identity
