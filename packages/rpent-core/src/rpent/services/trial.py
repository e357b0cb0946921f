"""Starting a service once, to find out whether it works here."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from rpent.services.owned import OwnedService
from rpent.services.request import ServiceRequest

if TYPE_CHECKING:
    from rpent.environments.interpreter import Interpreter
    from rpent.rpc.channel import ServerInfo
    from rpent.specs import ServiceSpec


def start_once(spec: ServiceSpec, interpreter: Interpreter, *, distribution: str) -> ServerInfo:
    """Start a service with its default configuration, shake hands, and stop it.

    Raises:
        ServiceError: It does not start; the hint holds its last log lines.
    """
    request = ServiceRequest(spec=spec, distribution=distribution)
    with tempfile.TemporaryDirectory() as logs:
        service = OwnedService(request, interpreter, logs_dir=Path(logs), emit=lambda *_, **__: None)
        try:
            service.start()
            return service.channel.info
        finally:
            service.stop()
