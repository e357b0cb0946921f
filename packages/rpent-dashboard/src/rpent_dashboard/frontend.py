"""`rpent run … --dashboard`: the run and further tasks, watched and steered in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.errors import ExitCode
from rpent.run.signals import Interrupts

from rpent_dashboard.cli import announce
from rpent_dashboard.ending import LOOK_S, end_session
from rpent_dashboard.hosting.host import Host
from rpent_dashboard.web.serving import Dashboard

if TYPE_CHECKING:
    from rpent.run.request import RunRequest

    from rpent_dashboard.config import DashboardConfig


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
    host = Host(request.output_dir, one_session=True)
    with Interrupts() as interrupts:
        try:
            with Dashboard(config, output_dir=host.output_dir, host=host) as dashboard:
                interrupts.raising = False
                session = host.open(request)
                announce(dashboard, "#/session")
                if task_given:
                    session.queue({})
                _wait(host, dashboard, interrupts)
                running = session.performance is not None
                end_session(host, interrupts)
        finally:
            host.close(impatient=True)
    return int(ExitCode.INTERRUPTED) if interrupts.pressed and running else session.exit_code


def _wait(host: Host, dashboard: Dashboard, interrupts: Interrupts) -> None:
    while not (interrupts.pressed or host.closed.wait(LOOK_S)):
        dashboard.wait(0)
