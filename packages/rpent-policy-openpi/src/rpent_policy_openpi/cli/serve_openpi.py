"""`rpent policy serve-openpi`: openpi's protocol in front of a policy server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rpent.cli.params import no_plugin_option, verbose_option

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpent.rpc.endpoint import Endpoint

    from rpent_policy_openpi.gateway.keys import KeyMap
    from rpent_policy_openpi.gateway.server import Gateway
    from rpent_policy_openpi.gateway.upstream import Upstream


@click.command("serve-openpi")
@click.option(
    "--vla-endpoint",
    required=True,
    metavar="[SCHEME://]HOST:PORT",
    help="The policy server, as `rpent serve policy` prints it.",
)
@click.option("--token-file", metavar="FILE", help="File with its token.  [default: $RPENT_TOKEN]")
@click.option(
    "--listen",
    default="127.0.0.1:8000",
    show_default=True,
    metavar="HOST:PORT",
    help="Where openpi's clients connect; a free port for 0.",
)
@click.option(
    "--api-key-file",
    type=click.Path(dir_okay=False),
    help="File with the key that clients must present (`WebsocketClientPolicy(api_key=...)`); made when it does "
    "not exist. Needed beyond loopback.",
)
@click.option(
    "--key",
    "given",
    multiple=True,
    metavar="KEY=NAME",
    help="Which input of the policy a client's key is (`observation/image=observation.images.image`), or a part of a "
    "vector (`observation/state[0:3]=position`); several keys for one vector are joined. Repeatable.",
)
@click.option(
    "--ignore", multiple=True, metavar="KEY", help="A key that clients send and nobody reads. Repeatable."
)
@click.option(
    "--robot", metavar="ROBOT", help="The robot whose layout names the keys.  [default: the server's]"
)
@click.option("--layout", metavar="NAME", help="One of its layouts.  [default: the server's]")
@click.option("--default-prompt", metavar="TEXT", help="The instruction for clients that send none.")
@no_plugin_option
@verbose_option
def command(
    *,
    vla_endpoint: str,
    token_file: str | None,
    listen: str,
    api_key_file: str | None,
    given: tuple[str, ...],
    ignore: tuple[str, ...],
    robot: str | None,
    layout: str | None,
    default_prompt: str | None,
    **_options: Any,
) -> None:
    """Let openpi's clients use a policy server, until Ctrl-C.

    Each connection is an episode of its own. Pictures are resized to what the policy takes. Clients are served on
    loopback unless --listen says otherwise.
    """
    import os

    from rpent.cli.request import read_token
    from rpent.errors import UsageError

    from rpent_policy_openpi.gateway.bridge import Bridge
    from rpent_policy_openpi.gateway.keys import key_map, parse_piece
    from rpent_policy_openpi.gateway.server import Gateway, metadata
    from rpent_policy_openpi.gateway.upstream import Upstream

    where, api_key = _listen_at(listen, api_key_file)
    pieces = [parse_piece(text) for text in given]
    token = read_token(None if token_file else os.environ.get("RPENT_TOKEN"), token_file)
    if not token:
        raise UsageError("The policy server's token is needed.", hint="Give it with `--token-file FILE`.")
    upstream = Upstream.connect(vla_endpoint, token=token)
    try:
        keys = key_map(
            upstream.signature, given=pieces, layout=_openpi_keys(upstream, robot, layout), ignored=ignore
        )
        _show(upstream, keys)
        bridge = Bridge(upstream.signature, keys, default_prompt=default_prompt)
        _serve(Gateway(upstream, bridge, metadata=metadata(upstream, keys), api_key=api_key), where)
    finally:
        upstream.close()


def _listen_at(listen: str, api_key_file: str | None) -> tuple[Endpoint, str | None]:
    from rpent.errors import UsageError
    from rpent.rpc.endpoint import parse_endpoint
    from rpent.services.tokens import read_or_make_token

    where = parse_endpoint(listen.removeprefix("ws://"), allow_port_zero=True)
    if where.path or where.scheme != "http" or "://" in listen.removeprefix("ws://"):
        raise UsageError(f"`{listen}` is not accepted by `--listen`.", hint="Accepted: `HOST:PORT`.")
    if not where.is_local and api_key_file is None:
        raise UsageError(
            f"`{listen}` can be reached from other machines, and no key is wanted of them.",
            hint="Add `--api-key-file FILE`, or listen on 127.0.0.1.",
        )
    return where, None if api_key_file is None else read_or_make_token(Path(api_key_file))


def _openpi_keys(upstream: Upstream, robot: str | None, layout: str | None) -> Mapping[str, str] | None:
    """Return openpi's keys in the robot's layout: of the one that is named, else of the one that is served."""
    from rpent.errors import PluginError
    from rpent.plugins import registry
    from rpent.policies.chosen import embodiment_of
    from rpent.policies.fit import fit

    name = robot or upstream.described.get("robot")
    if name is None:
        return None
    try:
        spec = registry.get("robots", name)
    except PluginError:
        if robot is not None:
            raise
        return None  # the server has the robot's distribution, and here it is only of use
    found = fit(upstream.signature, embodiment_of(spec), layout or upstream.described.get("layout"))
    return found.layout.openpi


def _show(upstream: Upstream, keys: KeyMap) -> None:
    for piece in (*keys.cameras, *keys.state):
        click.echo(f"  {str(piece).partition('=')[0]} → {piece.name}")
    described = upstream.described
    length, width = described.get("chunk_length") or "T", upstream.signature.action_dim
    click.echo(f"  actions ({length}, {width}) ← {described['backend']} {upstream.signature.family}")


def _serve(gateway: Gateway, where: Endpoint) -> None:
    import asyncio
    import signal

    async def until_stopped() -> None:
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, ended.set)

        def ready(port: int) -> None:
            host = f"[{where.host}]" if ":" in where.host else where.host
            click.echo(f"Serving openpi clients at ws://{host}:{port}. Ctrl-C ends it.")

        await gateway.run(where.host, where.port, on_ready=ready, ended=ended)

    asyncio.run(until_stopped())
    click.echo("Stopped.", err=True)
