"""Where a service that the run starts itself listens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.errors import PluginError, ServiceError
from rpent.plugins import registry

if TYPE_CHECKING:
    from pathlib import Path


def local_endpoints(sockets: Path, name: str, scheme: str | None = None) -> list[str]:
    """Return an endpoint for the transport asked for, or for every installed one, the best locally first.

    The host takes the first that it can import too, so an interpreter without pyzmq still works over HTTP.

    Raises:
        ServiceError: No network transport is installed, or none works.
        PluginError: The transport that was asked for is missing or broken.
    """
    if scheme is not None:
        registry.get("transports", scheme)
        return [_address(scheme, sockets, name)]
    found, broken = [], []
    for installed in registry.names("transports"):
        try:
            spec = registry.get("transports", installed)
        except PluginError as error:
            broken.append(error.message)
            continue  # another one will do
        if spec.local_priority > 0:
            found.append((spec.local_priority, _address(installed, sockets, name)))
    if not found and broken:
        raise ServiceError(
            f"Service `{name}` cannot be reached. {' '.join(broken)}", hint="rpent plugins list"
        )
    if not found:
        raise ServiceError(
            f"Service `{name}` cannot be reached: no network transport is installed.",
            hint="pip install rpent-transport-zmq",
        )
    return [address for _, address in sorted(found, reverse=True)]


def _address(scheme: str, sockets: Path, name: str) -> str:
    """A socket in a private folder where the scheme is local to the host, else a free port on loopback."""
    return f"{scheme}://{sockets}/{name}.sock" if scheme.endswith("ipc") else f"{scheme}://127.0.0.1:0"
