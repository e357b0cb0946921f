"""RPC over HTTP: `http://host:port`, the scheme of an endpoint that names none."""
