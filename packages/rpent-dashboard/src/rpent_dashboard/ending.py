"""Ctrl-C at the dashboard's terminal: what runs is ended in order, a second one does not wait."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rpent.run.signals import Interrupts

    from rpent_dashboard.hosting.host import Host

INTERRUPTED = "Interrupted by the user."
LOOK_S = 0.2
"""How often the terminal's thread looks for a signal."""


def end_session(host: Host, interrupts: Interrupts) -> None:
    """Close the open session, where there is one, and wait for its end."""
    if not host.is_open:
        return
    with suppress(OSError):  # nobody reads any more: the terminal was closed
        click.echo("Closing the session; Ctrl-C again does not wait.", err=True)
    host.close(wait=False, reason=INTERRUPTED)
    presses = interrupts.pressed
    while not host.closed.wait(LOOK_S):
        if interrupts.pressed > presses:
            presses = interrupts.pressed
            host.close(wait=False, impatient=True, reason=INTERRUPTED)
