"""`rpent run`: one episode.

Options are parsed in two phases: the first finds which robot, planner and perceptor were chosen, the second
adds the options that those plugins declare, each under a heading of its own.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rpent.cli.params import Limit, PluginChoice, no_plugin_option, verbose_option
from rpent.errors import RpentError, UsageError

if TYPE_CHECKING:
    from rpent.cli.sections import Section
    from rpent.run.request import RunRequest

SECTIONS = "rpent.run.sections"
SELECTORS = {"robot": "robots", "planner": "planners", "perceptor": "perceptors"}
NO_PERCEPTOR = "none"
DEFAULT_PLANNERS = ("api", "flash")
"""The planner that is taken when none is named: the first of these that is installed."""
LIMITS: dict[str, int | float] = {"max_turns": 100, "max_tool_calls": 300, "time_limit_s": 3600.0}
"""The defaults of `rpent.session.limits.Limits`, which the help may not import; a test compares the two."""


class RunCommand(click.Command):
    """A command whose options depend on the plugins that the user chose."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Find the chosen plugins, add their options, then parse."""
        choice = chosen(self, ctx, args)
        try:
            ctx.meta[SECTIONS] = sections(choice, core=self.params)
        except RpentError:
            if not ctx.resilient_parsing:  # shell completion goes on with what core offers
                raise
        if not (choice["robot"] or choice["help"] or ctx.resilient_parsing):
            # Said first: without a robot, its options would be called unknown.
            robot = next(param for param in self.params if param.name == "robot")
            raise click.MissingParameter(ctx=ctx, param=robot)
        return super().parse_args(ctx, args)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return core's parameters and those of the chosen plugins."""
        core = super().get_params(ctx)
        extra = [option for section in ctx.meta.get(SECTIONS, ()) for option in section.options]
        return [*core[:-1], *extra, *core[-1:]] if extra else core

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write core's options, then each plugin's under its own heading."""
        write_options(formatter, "Options", click.Command.get_params(self, ctx), ctx)
        found = ctx.meta.get(SECTIONS, ())
        for section in found:
            write_options(formatter, section.title, section.options, ctx)
        if not any(section.kind == "robots" for section in found):
            formatter.write_paragraph()
            formatter.write_text(
                "A robot and a planner add options: rpent run --robot NAME --planner NAME --help"
            )


def write_options(formatter: click.HelpFormatter, title: str, options: list[Any], ctx: click.Context) -> None:
    """Write the options under a heading."""
    rows = [record for option in options if (record := option.get_help_record(ctx)) is not None]
    if rows:
        with formatter.section(title):
            formatter.write_dl(rows)


def chosen(command: click.Command, ctx: click.Context, args: list[str]) -> dict[str, Any]:
    """Return the values of `--robot`, `--planner`, `--perceptor` and `--help`; the rest comes later."""
    names = {*SELECTORS, "no_plugin"}
    asks_help = click.Option(["help", *ctx.help_option_names], is_flag=True)
    scout = click.Command(
        "run",
        params=[asks_help, *(plain(p) for p in command.params if p.name in names)],
        add_help_option=False,
    )
    found = scout.make_context(
        "run",
        list(args),
        parent=ctx.parent,
        resilient_parsing=True,
        ignore_unknown_options=True,
        allow_extra_args=True,
    )
    if found.params.get("no_plugin"):
        from rpent.plugins import registry

        registry.block(found.params["no_plugin"])
    return {name: found.params.get(name) for name in (*SELECTORS, "help")}


def plain(option: click.Parameter) -> click.Parameter:
    """Return an option of the same names that takes any text."""
    return click.Option(
        [str(option.name), *option.opts], multiple=option.multiple, envvar=option.envvar, default=None
    )


def sections(choice: dict[str, Any], *, core: list[click.Parameter]) -> list[Section]:
    """Load the chosen plugins and make their options; nothing is imported where nothing was chosen."""
    wanted = [
        (kind, choice[name]) for name, kind in SELECTORS.items() if choice[name] not in {None, NO_PERCEPTOR}
    ]
    if not wanted:
        return []
    from dataclasses import replace

    from rpent.cli.sections import endpoint_options, flags_of, plugin_section

    taken = flags_of(core) | {"--help", "-h"}
    found = []
    for kind, name in wanted:
        section = plugin_section(kind, name, taken=taken)
        section = replace(section, options=[*section.options, *endpoint_options(section.services, taken)])
        taken |= flags_of(section.options)
        found.append(section)
    return found


def default_planner() -> str:
    """Return the planner for a run that names none.

    Raises:
        click.UsageError: None of the usual ones is installed.
    """
    from rpent.plugins import registry

    installed = registry.names("planners")
    for name in DEFAULT_PLANNERS:
        if name in installed:
            return name
    raise click.UsageError(
        f"Missing option `--planner`. Installed planners: {', '.join(installed) or 'none'}."
    )


def read_token(token: str | None, token_file: str | None) -> str | None:
    """Return the token of attached servers, from the option or the file.

    Raises:
        UsageError: The file cannot be read, or both were given.
    """
    if token_file is None:
        return token
    if token is not None:
        raise UsageError("`--token` and `--token-file` were both given.", hint="Give one of them.")
    try:
        text = Path(token_file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"`--token-file` {token_file} cannot be read: {getattr(error, 'strerror', error)}."
        ) from error
    if not text:
        raise UsageError(f"`--token-file` {token_file} is empty.")
    return text


def build_request(ctx: click.Context) -> RunRequest:
    """Turn the parsed options into a request, each plugin's values validated by its own model."""
    from rpent.cli.options import field_name, given, option_name
    from rpent.cli.sections import load_for
    from rpent.config import build_config
    from rpent.plugins import registry
    from rpent.plugins.index import label
    from rpent.run.request import Limits, ProgressStyle, RunRequest

    options = ctx.params
    configs: dict[str, dict[str, Any]] = {}
    endpoints: dict[str, str] = {}
    for section in ctx.meta[SECTIONS]:
        own = [option for option in section.options if hasattr(option, "rpent_field")]
        values = given(ctx, own)
        what = f"{label(section.kind)} `{section.name}`"
        if config := registry.get(section.kind, section.name).config:
            typed = {field_name(option): option_name(option) for option in own}
            build_config(load_for(what, config), values, what=what, names=typed)
        configs[section.kind] = values
        for service in section.services:
            if endpoint := options.get(f"{service.name}_endpoint".replace("-", "_")):
                endpoints[service.name] = endpoint
    style: ProgressStyle = (
        "json" if options["as_json"] else "quiet" if options["quiet"] else options["progress"]
    )
    return RunRequest(
        robot=options["robot"],
        planner=options["planner"] or default_planner(),
        robot_config=configs.get("robots", {}),
        planner_config=configs.get("planners", {}),
        perceptor=options["perceptor"],
        perceptor_config=configs.get("perceptors", {}),
        output_dir=Path(options["output_dir"]),
        limits=Limits(**{name: options[name] for name in Limits.__dataclass_fields__}),
        transport=options["transport"],
        endpoints=endpoints,
        env_python=options["env_python"],
        token=read_token(options["token"], options["token_file"]),
        memory_dir=Path(options["memory_dir"]) if options["memory_dir"] else None,
        progress=style,
        record_video=options["video"],
        verbose=ctx.find_root().obj.verbose if ctx.find_root().obj else False,
    )


@click.command("run", cls=RunCommand)
@click.option(
    "--robot", type=PluginChoice("robots"), required=True, envvar="RPENT_ROBOT", help="The robot to drive."
)
@click.option(
    "--planner",
    type=PluginChoice("planners"),
    envvar="RPENT_PLANNER",
    help="What decides the tool calls.  [default: api where it is installed, else flash]",
)
@click.option(
    "--perceptor",
    type=PluginChoice("perceptors", extra=[NO_PERCEPTOR]),
    envvar="RPENT_PERCEPTOR",
    help="What finds named things in pictures.  [default: the robot's own]",
)
@click.option(
    "--transport",
    type=PluginChoice("transports", without=["inproc"]),
    envvar="RPENT_TRANSPORT",
    help="How services that the run starts are reached.  [default: the fastest that is installed]",
)
@click.option(
    "--output-dir",
    type=click.Path(file_okay=False),
    default="runs",
    show_default=True,
    envvar="RPENT_OUTPUT_DIR",
    help="Where the run directory is made.",
)
@click.option(
    "--memory-dir", type=click.Path(file_okay=False), help="Memory that the planner's file tools may reach."
)
@click.option(
    "--max-turns",
    type=Limit(int),
    default=LIMITS["max_turns"],
    show_default=True,
    help="Turns of the planner.",
)
@click.option(
    "--max-tool-calls",
    type=Limit(int),
    default=LIMITS["max_tool_calls"],
    show_default=True,
    help="Tool calls.",
)
@click.option("--max-tokens", type=Limit(int), help="Tokens of a language model, in and out.")
@click.option("--max-env-steps", type=Limit(int), help="Control steps of the robot.")
@click.option(
    "--time-limit-s",
    type=Limit(float),
    default=LIMITS["time_limit_s"],
    show_default=True,
    help="Seconds of the session, start-up excluded.",
)
@click.option("--cost-limit-usd", type=Limit(float), help="What the language model may cost.")
@click.option(
    "--env-python",
    envvar="RPENT_ENV_PYTHON",
    metavar="PATH",
    help="Interpreter for services.  [default: the managed environment, else this one]",
)
@click.option(
    "--token", envvar="RPENT_TOKEN", help="Token of attached servers; `--token-file` keeps it out of `ps`."
)
@click.option(
    "--token-file", type=click.Path(dir_okay=False), help="File with the token of attached servers."
)
@click.option("--video/--no-video", default=True, help="Record episode.mp4.  [default: on]")
@click.option(
    "--progress",
    type=click.Choice(["auto", "live", "plain", "json", "quiet"]),
    default="auto",
    show_default=True,
    help="How progress is shown.",
)
@click.option("--quiet", "-q", is_flag=True, help="Print the result only.")
@click.option("--json", "as_json", is_flag=True, help="Print events as JSON lines.")
@no_plugin_option
@verbose_option
@click.pass_context
def command(ctx: click.Context, /, **_options: Any) -> int:
    """Run one episode: a planner drives a robot until the task is done or a budget ends.

    Exit codes: 0 the benchmark says that the task succeeded, 1 it does not, 2 wrong usage, 3 infrastructure
    failed, 130 interrupted.
    """
    request = build_request(ctx)
    from rpent.run import execute

    return int(execute(request).exit_code)
