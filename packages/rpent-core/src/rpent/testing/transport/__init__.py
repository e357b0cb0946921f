"""The contract of a transport. A plugin's test subclasses `TransportContract` and passes.

Example::

    class TestMyTransport(TransportContract):
        transport = "my_quic.transport:QuicTransport"

        def endpoint(self, tmp_path):
            return "quic://127.0.0.1:0"
"""

from rpent.testing.transport.calls import CallsContract
from rpent.testing.transport.failures import FailuresContract
from rpent.testing.transport.values import ValuesContract


class TransportContract(ValuesContract, CallsContract, FailuresContract):
    """Everything that a client and a server may rely on, whatever carries the frames."""


__all__ = ["TransportContract"]
