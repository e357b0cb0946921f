"""`rpent serve`: one service by hand, on any host.

Options are parsed in two phases, as those of `rpent run`: the service that was named brings its own.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rpent.cli.params import no_plugin_option, verbose_option

if TYPE_CHECKING:
    from rpent.services.targets import ServiceTarget

_TARGET = "rpent.serve.target"
_OPTIONS = "rpent.serve.options"


class ServeCommand(click.Command):
    """A command whose options depend on the service that it serves."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Find the service, add its options, then parse."""
        from rpent.cli.scouting import first_positional

        if (text := first_positional(self, ctx, args)) is not None:
            from rpent.cli.options import options_from_model
            from rpent.cli.sections import flags_of, load_for
            from rpent.services.targets import find_service

            target = find_service(text)
            model = load_for(f"service `{target}`", target.spec.config)
            taken = flags_of(self.params) | {"--help", "-h"}
            prefix = f"RPENT_{target.owner}_{target.spec.name}".upper().replace("-", "_")
            ctx.meta[_TARGET] = target
            ctx.meta[_OPTIONS] = options_from_model(
                model, env_prefix=prefix, taken=taken, rename=target.spec.name
            )
        return super().parse_args(ctx, args)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return core's parameters and the service's."""
        core = super().get_params(ctx)
        return [*core[:-1], *ctx.meta.get(_OPTIONS, ()), *core[-1:]]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write core's options, then the service's under its own heading."""
        from rpent.cli.sectioned import write_options

        core = [param for param in click.Command.get_params(self, ctx) if isinstance(param, click.Option)]
        write_options(formatter, "Options", core, ctx)
        if _TARGET in ctx.meta:
            write_options(formatter, f"Options of the service `{ctx.meta[_TARGET]}`", ctx.meta[_OPTIONS], ctx)
        else:
            formatter.write_paragraph()
            formatter.write_text("A service has options of its own: rpent serve ROBOT/SERVICE --help")


@click.command("serve", cls=ServeCommand)
@click.argument("service", metavar="ROBOT/SERVICE")
@click.option(
    "--endpoint",
    default="127.0.0.1:0",
    show_default=True,
    metavar="[SCHEME://]HOST:PORT",
    help="Where to listen; http where no scheme is given, a free port for 0.",
)
@click.option(
    "--token-file",
    type=click.Path(dir_okay=False),
    help="File with the token that clients must present; made when it does not exist."
    "  [default: $RPENT_TOKEN, else a file in the user's cache]",
)
@click.option(
    "--env-python",
    envvar="RPENT_ENV_PYTHON",
    metavar="PATH",
    help="Interpreter for the service.  [default: the managed environment, else this one]",
)
@no_plugin_option
@verbose_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    service: str,  # noqa: ARG001 (it was looked up before the other options could be parsed)
    endpoint: str,
    token_file: str | None,
    env_python: str | None,
    **_options: Any,
) -> None:
    """Serve an env, VLA or perception server until Ctrl-C. SERVICE comes first, its own options after it.

    It listens on loopback unless --endpoint says otherwise, and always wants the token. Attach to it with
    `rpent run --<service>-endpoint ENDPOINT --token-file FILE`.
    """
    from rpent.cli.options import given
    from rpent.environments.interpreter import choose
    from rpent.rpc.endpoint import parse_endpoint
    from rpent.services.foreground import serve_foreground

    target: ServiceTarget = ctx.meta[_TARGET]
    where = parse_endpoint(endpoint, allow_port_zero=True)
    config = _validated(target, given(ctx, ctx.meta[_OPTIONS]), ctx.meta[_OPTIONS])
    token, token_place = _token(token_file)
    interpreter = choose(target.spec.environment, python=env_python, distribution=target.distribution)

    def ready(address: str) -> None:
        click.echo(f"Serving `{target}` at {address} ({token_place}). Ctrl-C ends it.")

    try:
        serve_foreground(target, interpreter, config=config, endpoint=str(where), token=token, on_ready=ready)
    except KeyboardInterrupt:
        click.echo("Stopped.", err=True)


def _validated(target: ServiceTarget, values: dict[str, Any], options: list[click.Option]) -> dict[str, Any]:
    """Check the values before a process is started for them."""
    from rpent.cli.options import field_name, option_name
    from rpent.cli.sections import load_for
    from rpent.config import build_config

    model = load_for(f"service `{target}`", target.spec.config)
    names = {field_name(option): option_name(option) for option in options}
    build_config(model, values, what=f"service `{target}`", names=names)
    return values


def _token(token_file: str | None) -> tuple[str, str]:
    """Return the token, and where the user finds it."""
    import os

    from rpent.environments.paths import cache_dir
    from rpent.services.tokens import read_or_make_token

    if token_file is None and (token := os.environ.get("RPENT_TOKEN")):
        return token, "token: $RPENT_TOKEN"
    path = Path(token_file) if token_file else cache_dir() / "serve.token"
    return read_or_make_token(path), f"token file: {path}"
