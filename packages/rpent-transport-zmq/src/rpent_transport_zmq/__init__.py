"""RPC over ZeroMQ: `zmq+tcp://host:port` and `zmq+ipc:///path`."""
