from __future__ import annotations

import uuid

from rpent.testing.transport import TransportContract


class TestInProcess(TransportContract):
    transport = "rpent.rpc.inprocess:InProcessTransport"
    crosses_processes = False

    def endpoint(self, tmp_path):
        return f"inproc://{uuid.uuid4().hex}"
