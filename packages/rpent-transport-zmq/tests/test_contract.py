from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from rpent.testing.transport import TransportContract


class TestZmqTcp(TransportContract):
    transport = "rpent_transport_zmq.transport:ZmqTcpTransport"

    def endpoint(self, tmp_path):
        return "zmq+tcp://127.0.0.1:0"


class TestZmqTcpEncrypted(TransportContract):
    """A server that listens beyond loopback."""

    transport = "rpent_transport_zmq.transport:ZmqTcpTransport"

    def endpoint(self, tmp_path):
        return "zmq+tcp://0.0.0.0:0"


class TestZmqIpc(TransportContract):
    transport = "rpent_transport_zmq.transport:ZmqIpcTransport"

    @pytest.fixture(autouse=True)
    def _short_folder(self):
        # pytest's own folders are longer than a socket's path may be.
        with tempfile.TemporaryDirectory() as folder:
            self.folder = Path(folder)
            yield

    def endpoint(self, tmp_path):
        return f"zmq+ipc://{self.folder}/contract.sock"
