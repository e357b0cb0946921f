"""A policy server of the backend `fake` in this process, and the gateway in front of it."""

import asyncio
import contextlib
import threading

from rpent.policies.api import CameraInput, Signature
from rpent.policies.server import PolicyServerConfig, create
from rpent.rpc.api import connect, serve
from rpent.testing.policies.fake import make_checkpoint
from rpent_policy_openpi.gateway.bridge import Bridge
from rpent_policy_openpi.gateway.keys import key_map, parse_piece
from rpent_policy_openpi.gateway.server import Gateway, metadata
from rpent_policy_openpi.gateway.upstream import Upstream

SIGNATURE = Signature(
    family="fake",
    cameras={
        "observation.images.image": CameraInput(height=64, width=64),
        "observation.images.wrist_image": CameraInput(height=64, width=96),
    },
    state={"observation.state": 8},
    action={"action": 7},
    chunk_length=5,
)


@contextlib.contextmanager
def policy_server(folder, name, **config):
    facade = create(
        PolicyServerConfig(
            backend="fake",
            policy="rpent.testing.policies.fake:load",
            config_model="rpent.testing.policies.fake:FakePolicyConfig",
            config={"checkpoint": str(make_checkpoint(folder / name, SIGNATURE)), **config},
        )
    )
    server = serve(f"inproc://{folder.name}-{name}", facade, token="t" * 16)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    channel = connect(server.endpoint, token="t" * 16)
    try:
        yield Upstream(channel)
    finally:
        channel.close()
        server.shutdown()
        thread.join(10)


@contextlib.contextmanager
def gateway(upstream, *, api_key=None, given=(), **bridge):
    keys = key_map(upstream.signature, given=[parse_piece(text) for text in given], ignored=("extra",))
    server = Gateway(
        upstream,
        Bridge(upstream.signature, keys, **bridge),
        metadata=metadata(upstream, keys),
        api_key=api_key,
    )
    ports, loop, ended = [], asyncio.new_event_loop(), asyncio.Event()
    listening = threading.Event()

    def ready(port):
        ports.append(port)
        listening.set()

    thread = threading.Thread(
        target=lambda: loop.run_until_complete(server.run("127.0.0.1", 0, on_ready=ready, ended=ended)),
        daemon=True,
    )
    thread.start()
    assert listening.wait(10)
    try:
        yield f"127.0.0.1:{ports[0]}"
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join(10)
        loop.close()
