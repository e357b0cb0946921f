"""Who may connect: the token as ZeroMQ's own credentials, so that a stranger never gets a message in.

On this machine the token's hash is a PLAIN password. Beyond loopback both sides derive the two CURVE key
pairs from the token (RFC 26, curvezmq): everything is encrypted, the server proves that it knows the
token and so does the client, and no key has to be carried around. A server answers ZeroMQ's
authentication requests (RFC 27, ZAP) itself.
"""

from __future__ import annotations

import hashlib
import hmac
from functools import lru_cache
from typing import TYPE_CHECKING

import zmq
from rpent.errors import UsageError
from zmq.utils import z85

if TYPE_CHECKING:
    from collections.abc import Sequence

MIN_REMOTE_TOKEN = 16
"""Characters: a shorter token could be guessed from a recorded handshake."""

_USER = b"rpent"
_DOMAIN = b"rpent"


def secure_server(socket: zmq.Socket[bytes], token: str, *, encrypted: bool) -> None:
    """Set a server socket up for clients with the token."""
    socket.zap_domain = _DOMAIN
    if encrypted:
        _require_strength(token)
        socket.curve_server = True
        socket.curve_secretkey = _curve_secret(token, "server")
    else:
        socket.plain_server = True


def secure_client(socket: zmq.Socket[bytes], token: str, *, encrypted: bool) -> None:
    """Set a client socket up with the token."""
    if encrypted:
        _require_strength(token)
        secret = _curve_secret(token, "client")
        socket.curve_serverkey = zmq.curve_public(_curve_secret(token, "server"))
        socket.curve_secretkey = secret
        socket.curve_publickey = zmq.curve_public(secret)
    else:
        socket.plain_username = _USER
        socket.plain_password = _password(token)


class Gatekeeper:
    """Answers the authentication requests of one server's context."""

    def __init__(self, context: zmq.Context[zmq.Socket[bytes]], token: str, *, encrypted: bool) -> None:
        self.socket = context.socket(zmq.REP)
        self.socket.linger = 0
        self.socket.bind("inproc://zeromq.zap.01")
        self._mechanism = b"CURVE" if encrypted else b"PLAIN"
        self._credential = (
            z85.decode(zmq.curve_public(_curve_secret(token, "client"))) if encrypted else _password(token)
        )

    def answer(self) -> None:
        """Answer the requests that are waiting."""
        while True:
            try:
                request = self.socket.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return
            self._decide(request)

    def _decide(self, request: Sequence[bytes]) -> None:
        version, sequence, mechanism, credentials = _split(request)
        known = mechanism == self._mechanism and any(
            hmac.compare_digest(credential, self._credential) for credential in credentials[-1:]
        )
        status = [b"200", b"OK", _USER] if known else [b"400", b"The token is refused.", b""]
        self.socket.send_multipart([version, sequence, *status, b""])


def _split(message: Sequence[bytes]) -> tuple[bytes, bytes, bytes, Sequence[bytes]]:
    """Return version, request id, mechanism and credentials of a ZAP request."""
    version, sequence, _domain, _address, _identity, mechanism, *credentials = message
    return version, sequence, mechanism, credentials


def _password(token: str) -> bytes:
    return hashlib.sha256(b"rpent zmq password\0" + token.encode()).hexdigest().encode()


@lru_cache(maxsize=8)
def _curve_secret(token: str, side: str) -> bytes:
    """Derive a Curve25519 secret; scrypt makes guessing a token from recorded traffic slow."""
    secret = hashlib.scrypt(token.encode(), salt=f"rpent curve {side}".encode(), n=2**14, r=8, p=1, dklen=32)
    return z85.encode(secret)


def _require_strength(token: str) -> None:
    if len(token) < MIN_REMOTE_TOKEN:
        raise UsageError(
            f"The token has {len(token)} characters; "
            f"beyond this machine at least {MIN_REMOTE_TOKEN} are needed.",
            hint="Make one with `python -c 'import secrets; print(secrets.token_urlsafe())'`.",
        )
