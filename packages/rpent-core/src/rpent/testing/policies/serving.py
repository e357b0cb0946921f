"""A policy server on a thread of this process, for tests of its clients."""

from __future__ import annotations

import threading
import uuid
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rpent.config import build_config
from rpent.policies.chosen import ChosenPolicy
from rpent.policies.server import PolicyServerConfig, create
from rpent.rpc.api import connect, serve
from rpent.specs import load_object

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rpent.policies.embodiment import Embodiment
    from rpent.rpc.channel import Channel
    from rpent.specs import PolicySpec

TOKEN = "token-of-the-test"  # noqa: S105  (a server in this process)


def server_config(
    spec: PolicySpec,
    values: Mapping[str, Any],
    *,
    embodiment: Embodiment | None = None,
    layout: str | None = None,
) -> PolicyServerConfig:
    """Return the policy server's configuration for a backend with these options."""
    config = build_config(load_object(spec.config), values, what=f"policy `{spec.name}`")
    chosen = ChosenPolicy(spec=spec, config=config, values=values, embodiment=embodiment, layout=layout)
    return PolicyServerConfig.model_validate(chosen.server_config())


@contextmanager
def served_policy(config: PolicyServerConfig, *, endpoint: str | None = None) -> Iterator[Channel]:
    """Yield a channel to a policy server in this process, through the real codec and dispatcher.

    Args:
        config: What it serves (`server_config`).
        endpoint: Where; by default a name in this process.
    """
    server = serve(endpoint or f"inproc://policy-{uuid.uuid4().hex[:8]}", create(config), token=TOKEN)
    thread = threading.Thread(target=server.run, name="policy-server", daemon=True)
    thread.start()
    channel = connect(str(server.endpoint), token=TOKEN)
    try:
        yield channel
    finally:
        channel.close()
        server.shutdown()
        thread.join(20)
