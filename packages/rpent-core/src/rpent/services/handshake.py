"""Connecting to a service and making sure that it is the one that the run needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.rpc.api import Expectation, connect

if TYPE_CHECKING:
    from rpent.rpc.channel import Channel
    from rpent.services.request import ServiceRequest


def connect_checked(endpoint: str, request: ServiceRequest, *, token: str, timeout_s: float) -> Channel:
    """Connect, and compare name, version and schema with what the request expects.

    Raises:
        TransportError: Nobody answers there, the token is refused, or it is another service or version.
    """
    expect = Expectation(name=request.identity, version=request.version, schema=request.schema)
    return connect(endpoint, token=token, timeout_s=timeout_s, expect=expect)
