"""Can servers of this machine listen, on a loopback port and on a local socket?"""

from __future__ import annotations

import socket
import tempfile
from pathlib import Path

from rpent.specs import CheckResult, DoctorCheck

LOOPBACK = "127.0.0.1"


def check_ports() -> CheckResult:
    """Listen for a moment on a free loopback port and on a Unix socket, and connect to both."""
    try:
        exchange(socket.socket(socket.AF_INET, socket.SOCK_STREAM), (LOOPBACK, 0))
    except OSError as error:
        return CheckResult(
            status="fail",
            message=f"No loopback port can be used: {error.strerror or error}.",
            remedy="ip link set lo up",
        )
    with tempfile.TemporaryDirectory() as folder:
        try:
            exchange(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM), str(Path(folder) / "s"))
        except OSError as error:
            return CheckResult(
                status="warn",
                message=f"No local socket can be made in {tempfile.gettempdir()}: {error.strerror or error}.",
                remedy="export TMPDIR=/tmp",
            )
    return CheckResult(status="ok", message="Loopback ports and local sockets work.")


def exchange(server: socket.socket, address: tuple[str, int] | str) -> None:
    """Listen at the address and connect to it. Raises `OSError`."""
    with server, socket.socket(server.family, socket.SOCK_STREAM) as client:
        server.bind(address)
        server.listen(1)
        client.settimeout(2)
        client.connect(server.getsockname())


CHECK = DoctorCheck(name="ports", summary="Servers can listen on this machine.", run=check_ports)
