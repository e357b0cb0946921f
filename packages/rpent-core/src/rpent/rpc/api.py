"""`connect` to a service, `serve` a facade; both find the transport by the endpoint's scheme."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from packaging.version import InvalidVersion, Version

from rpent.errors import HandshakeError, PluginError, UsageError
from rpent.plugins import registry
from rpent.rpc.codec import DEFAULT_LIMITS, Limits
from rpent.rpc.dispatcher import Dispatcher
from rpent.rpc.endpoint import Endpoint, parse_endpoint
from rpent.specs import load_object

if TYPE_CHECKING:
    from rpent.rpc.channel import Channel, ServerInfo
    from rpent.rpc.facade import Facade
    from rpent.rpc.transport import Server, Transport


@dataclass(frozen=True, kw_only=True, slots=True)
class Expectation:
    """Who should answer. What is None is not checked."""

    name: str | None = None
    schema: int | None = None
    version: str | None = None
    """Another minor version is refused, another patch is not."""

    def check(self, info: ServerInfo, endpoint: Endpoint) -> None:
        """Compare with the handshake.

        Raises:
            HandshakeError: Somebody else answers.
        """
        if self.name is not None and info.name != self.name:
            raise HandshakeError(f"`{endpoint}` serves `{info.name}`; `{self.name}` is wanted.")
        if self.schema is not None and info.schema != self.schema:
            raise HandshakeError(
                f"`{info.name}` at `{endpoint}` speaks schema {info.schema}; schema {self.schema} is wanted.",
                hint="Install the same release on both sides.",
            )
        if self.version is not None and _minor(info.version) != _minor(self.version):
            raise HandshakeError(
                f"`{info.name}` at `{endpoint}` has version {info.version}; this side has {self.version}.",
                hint="Install the same release on both sides.",
            )


def connect(
    endpoint: str | Endpoint, *, token: str, timeout_s: float = 30.0, expect: Expectation | None = None
) -> Channel:
    """Connect to a service and check who answers.

    An endpoint where nobody listens is an error at once; whoever waits for a server to come up asks again.

    Args:
        endpoint: `[scheme://]host:port`, or a path for `ipc` schemes.
        token: The server's token.
        timeout_s: For the handshake.
        expect: Who should answer.

    Raises:
        UsageError: The endpoint is malformed.
        PluginError: No installed transport has its scheme.
        ConnectionLostError: Nobody answers there.
        HandshakeError: The token is refused, or somebody else answers.
    """
    where = parse_endpoint(endpoint) if isinstance(endpoint, str) else endpoint
    channel = load_transport(where.scheme).connect(where, token=token, timeout_s=timeout_s)
    try:
        if expect is not None:
            expect.check(channel.info, where)
    except BaseException:
        channel.close()
        raise
    return channel


def serve(endpoint: str | Endpoint, facade: Facade, *, token: str, limits: Limits = DEFAULT_LIMITS) -> Server:
    """Bind a facade to an endpoint (port 0: a free one); `run` on the result executes its calls.

    Raises:
        UsageError: The endpoint is malformed, or the token is empty.
        PluginError: No installed transport has its scheme.
        TransportError: The endpoint is taken.
    """
    if not token:
        raise UsageError("A server needs a token.", hint="Pass one with `--token-file`.")
    where = parse_endpoint(endpoint, allow_port_zero=True) if isinstance(endpoint, str) else endpoint
    return load_transport(where.scheme).serve(where, Dispatcher(facade, token=token, limits=limits))


def load_transport(scheme: str) -> Transport:
    """Return the installed transport of that scheme.

    Raises:
        PluginError: There is none, or it is broken.
    """
    spec = registry.get("transports", scheme)
    try:
        return cast("Transport", load_object(spec.transport)())
    except ImportError as error:
        raise PluginError(
            f"The transport `{scheme}` cannot be loaded: {error}.",
            hint="`rpent plugins list` shows what is broken.",
        ) from error


def _minor(version: str) -> tuple[int, ...]:
    try:
        return Version(version).release[:2]
    except InvalidVersion:
        return ()
