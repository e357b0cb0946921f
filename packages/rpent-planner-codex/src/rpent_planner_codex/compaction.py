"""Asks Codex to summarise a conversation that the model server found too long."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openai_codex import Thread
    from rpent.cancel import CancelToken

START_S = 5.0
"""How long Codex may take to begin."""
_LOOK_S = 0.1


def compact(thread: Thread, cancel: CancelToken) -> bool:
    """Have the thread summarised and wait for it; returns whether that worked.

    Codex tells of it on a turn that the SDK does not name, so the thread's state is watched: it leaves `systemError`,
    where the failed turn left it, and becomes idle.
    """
    thread.compact()
    begun, deadline = False, time.monotonic() + START_S
    while not cancel.cancelled:
        state = thread.read().thread.status.root.type
        if state == "idle":
            return True
        if state == "active":
            begun = True
        elif begun or time.monotonic() > deadline:
            return False
        cancel.wait(_LOOK_S)
    return False
