"""`rpent run … --dashboard`: the run and further tasks, watched and steered in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from rpent.errors import ExitCode
from rpent.run.signals import Interrupts

from rpent_dashboard.cli import announce
from rpent_dashboard.hosting.host import Host
from rpent_dashboard.web.serving import Dashboard

if TYPE_CHECKING:
    from rpent.run.request import RunRequest

    from rpent_dashboard.config import DashboardConfig

INTERRUPTED = "Interrupted by the user."
_LOOK_S = 0.2


def run(request: RunRequest, config: DashboardConfig, *, task_given: bool) -> int:
    """Serve the dashboard with a session of this request, until Ctrl-C or until it is closed in the browser.

    Args:
        request: What the session's tasks run, each with values of its own.
        config: Where to listen.
        task_given: Queue the request itself as the first task.

    Returns:
        The exit code of the last task that ran, 0 where none did; 130 where Ctrl-C ended one.

    Raises:
        RpentError: The request or the address cannot be used; nothing has been started then.
    """
    host = Host(request.output_dir)
    with Interrupts() as interrupts:
        interrupts.raising = False
        session = host.open(request)
        try:
            with Dashboard(config, output_dir=host.output_dir, host=host) as dashboard:
                announce(dashboard)
                if task_given:
                    session.queue({})
                _wait(host, interrupts)
                running = session.performance is not None
                _close(host, interrupts)
        finally:
            host.close(impatient=True)
    return int(ExitCode.INTERRUPTED) if interrupts.pressed and running else session.exit_code


def _wait(host: Host, interrupts: Interrupts) -> None:
    while not interrupts.pressed:
        if host.closed.wait(_LOOK_S):
            return


def _close(host: Host, interrupts: Interrupts) -> None:
    """End what runs in order; a second Ctrl-C does not wait for what does not stop."""
    if not host.is_open:
        return
    click.echo("Closing the session; Ctrl-C again does not wait.", err=True)
    host.close(wait=False, reason=INTERRUPTED)
    presses = interrupts.pressed
    while not host.closed.wait(_LOOK_S):
        if interrupts.pressed > presses:
            presses = interrupts.pressed
            host.close(wait=False, impatient=True, reason=INTERRUPTED)
