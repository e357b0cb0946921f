from __future__ import annotations

from rpent.testing.transport import TransportContract


class TestHttp(TransportContract):
    transport = "rpent_transport_http.transport:HttpTransport"

    def endpoint(self, tmp_path):
        return "http://127.0.0.1:0"
