"""`rpent serve`: one service by hand, on any host.

Options are parsed in two phases, as those of `rpent run`: the service that was named brings its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rpent.cli.params import no_plugin_option, verbose_option
from rpent.cli.served_policy import POLICY, backend_options, chosen_policy, target_options

if TYPE_CHECKING:
    from rpent.services.targets import ServiceTarget

_SERVED = "rpent.serve.served"


@dataclass(kw_only=True, slots=True)
class Served:
    """What this invocation serves, as far as the first phase of parsing knows."""

    target: ServiceTarget | None = None
    """None for a policy, whose service is known when its options are."""
    title: str = ""
    """Heading of the options that it brings."""
    own: list[click.Option] = field(default_factory=list)
    """Options of the target itself."""
    options: list[click.Option] = field(default_factory=list)
    """Options from the config model."""


class ServeCommand(click.Command):
    """A command whose options depend on the service that it serves."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Find the service, add its options, then parse."""
        from rpent.cli.scouting import scouted

        text, typed = scouted(self, ctx, args, more=target_options())
        if text == POLICY:
            ctx.meta[_SERVED] = served = self._policy(typed["backend"])
            if not (served.options or {"--help", "-h"} & set(args) or ctx.resilient_parsing):
                # Said first: without a backend, its options would be called unknown.
                raise click.MissingParameter(ctx=ctx, param=served.own[0])
        elif text is not None:
            ctx.meta[_SERVED] = self._service(text)
        return super().parse_args(ctx, args)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return core's parameters and the service's."""
        core, served = super().get_params(ctx), _served(ctx)
        return [*core[:-1], *served.own, *served.options, *core[-1:]]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write core's options, then the service's under its own heading."""
        from rpent.cli.sectioned import write_options

        core = [param for param in click.Command.get_params(self, ctx) if isinstance(param, click.Option)]
        served = _served(ctx)
        write_options(formatter, "Options", [*served.own, *core], ctx)
        write_options(formatter, served.title, served.options, ctx)
        if not served.options:
            example = "policy --backend NAME" if served.own else "ROBOT/SERVICE"
            what = "A backend" if served.own else "A service"
            formatter.write_paragraph()
            formatter.write_text(f"{what} has options of its own: rpent serve {example} --help")

    def _policy(self, backend: str | None) -> Served:
        own = target_options()
        if backend is None:
            return Served(own=own)
        from rpent.cli.sections import flags_of

        taken = flags_of([*self.params, *own]) | {"--help", "-h"}
        return Served(
            title=f"Options of the policy `{backend}`", own=own, options=backend_options(backend, taken=taken)
        )

    def _service(self, text: str) -> Served:
        from rpent.cli.options import options_from_model
        from rpent.cli.sections import flags_of
        from rpent.config import env_prefix
        from rpent.plugins.named import load_named
        from rpent.services.targets import find_service

        target = find_service(text)
        model = load_named(target.spec.config, f"service `{target}`")
        # A robot has options of its own besides those of its services.
        several = target.kind == "robots"
        options = options_from_model(
            model,
            env_prefix=env_prefix(f"{target.owner}_{target.spec.name}" if several else target.owner),
            taken=flags_of(self.params) | {"--help", "-h"},
            rename=target.spec.name,
        )
        return Served(target=target, title=f"Options of the service `{target}`", options=options)


def _served(ctx: click.Context) -> Served:
    served: Served = ctx.meta.get(_SERVED) or Served()
    return served


@click.command("serve", cls=ServeCommand)
@click.argument("service", metavar="ROBOT/SERVICE|policy")
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
    """Serve an env, policy or perception server until Ctrl-C. What is served comes first, its own options after it.

    `rpent serve policy --backend NAME` serves a learned policy; with `--embodiment ROBOT` for that robot's runs.

    It listens on loopback unless --endpoint says otherwise, and always wants the token. Attach to it with
    `rpent run --<service>-endpoint ENDPOINT --token-file FILE`.
    """
    from rpent.environments.interpreter import choose
    from rpent.rpc.endpoint import parse_endpoint
    from rpent.services.foreground import serve_foreground
    from rpent.services.listening import check_endpoint

    where = parse_endpoint(endpoint, allow_port_zero=True)
    check_endpoint(where)
    target, config = _target(ctx)
    token, token_place = _token(token_file)
    interpreter = choose(
        target.spec.environment,
        python=env_python,
        distribution=target.distribution,
        alternatives=target.spec.alternatives,
    )

    def ready(address: str) -> None:
        click.echo(f"Serving `{target}` at {address} ({token_place}). Ctrl-C ends it.")

    try:
        serve_foreground(target, interpreter, config=config, endpoint=str(where), token=token, on_ready=ready)
    except KeyboardInterrupt:
        click.echo("Stopped.", err=True)


def _target(ctx: click.Context) -> tuple[ServiceTarget, dict[str, Any]]:
    """Return what is served and the values for its process, checked before it is started."""
    from rpent.cli.options import given

    served = _served(ctx)
    if served.target is not None:
        return served.target, _validated(served.target, given(ctx, served.options), served.options)
    from rpent.plugins import registry
    from rpent.services.targets import ServiceTarget

    chosen = chosen_policy(ctx, served.options)
    chosen.check()
    distribution = registry.current().resolve("policies", ctx.params["backend"]).distribution
    target = ServiceTarget(chosen.spec.name, chosen.service, distribution)
    return target, chosen.server_config()


def _validated(target: ServiceTarget, values: dict[str, Any], options: list[click.Option]) -> dict[str, Any]:
    """Check the values before a process is started for them."""
    from rpent.cli.options import field_name, option_name
    from rpent.config import build_config
    from rpent.plugins.named import load_named

    model = load_named(target.spec.config, f"service `{target}`")
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
