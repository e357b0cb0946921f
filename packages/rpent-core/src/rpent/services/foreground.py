"""One service that the user serves by hand: its output is the terminal's, and it ends with the command."""

from __future__ import annotations

import os
import queue
from typing import TYPE_CHECKING, Any

from rpent.errors import ServiceError
from rpent.services.process import ProcessEnd, ServiceProcess
from rpent.services.request import HostJob
from rpent.suggest import sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rpent.environments.interpreter import Interpreter
    from rpent.services.targets import ServiceTarget


def serve_foreground(
    target: ServiceTarget,
    interpreter: Interpreter,
    *,
    config: Mapping[str, Any],
    endpoint: str,
    token: str,
    on_ready: Callable[[str], None],
) -> None:
    """Serve until the service ends or the caller is interrupted; nothing of it is left afterwards.

    Args:
        target: The service.
        interpreter: Where it runs.
        config: Values of its config model.
        endpoint: Where it listens; port 0 takes a free one.
        token: What clients must present.
        on_ready: Called with the endpoint, its port resolved, once the service listens.

    Raises:
        ServiceError: It ended with an error.
    """
    news: queue.SimpleQueue[str | ProcessEnd] = queue.SimpleQueue()
    job = HostJob(
        name=target.spec.name,
        factory=target.spec.factory,
        config_model=target.spec.config,
        config=config,
        token=token,
        bind=(endpoint,),
    )
    process = ServiceProcess(
        job,
        python=interpreter.python,
        environment=interpreter.environ(target.spec.variables(os.environ)),
        log=None,
        on_listening=news.put,
        on_end=news.put,
    )
    try:
        while not isinstance(item := news.get(), ProcessEnd):
            on_ready(item)
    finally:
        process.stop()
    if item.code:
        what = f"failed: {item.message}" if item.message else item.describe()
        error = ServiceError(sentence(f"`{target}` {what}"), hint=item.hint)
        error.exit_code = item.exit_code
        raise error
