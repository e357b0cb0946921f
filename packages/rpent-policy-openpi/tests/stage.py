"""A policy server of the backend `fake` in this process, and the gateway in front of it."""

import asyncio
import contextlib
import threading

from rpent.policies.api import CameraInput, Signature
from rpent.testing.policies.fake import SPEC, make_checkpoint
from rpent.testing.policies.serving import served_policy, server_config
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
def policy_server(folder, **values):
    checkpoint = make_checkpoint(folder / "checkpoint", SIGNATURE)
    with served_policy(server_config(SPEC, {"checkpoint": str(checkpoint), **values})) as channel:
        yield Upstream(channel)


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
