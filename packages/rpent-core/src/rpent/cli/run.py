"""`rpent run`: one episode.

Options are parsed in two phases: the first finds which robot, planner and perceptor were chosen, the second
adds the options that those plugins declare, each under a heading of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rpent.cli.frontends import ask_later, check_alone, frontend_flags, given_frontends
from rpent.cli.interactive import interactive_option, steered
from rpent.cli.params import Limit, PluginChoice, no_plugin_option, verbose_option
from rpent.cli.sectioned import SECTIONS, SectionedCommand, sections_of
from rpent.cli.sections import NO_PERCEPTOR, chosen, flags_of, sections
from rpent.errors import RpentError

if TYPE_CHECKING:
    from rpent.run.request import RunRequest

LIMITS: dict[str, int | float] = {"max_turns": 100, "max_tool_calls": 300, "time_limit_s": 3600.0}
"""The defaults of `rpent.session.limits.Limits`, which the help may not import; a test compares the two."""
FLAGS = "rpent.cli.run.frontends"
"""Where `click.Context.meta` keeps the flags of the front ends."""
POLICY_OPTIONS = frozenset({"--checkpoint", "--layout", "--policy-python"})
"""What a policy brings, whichever it is."""


class RunCommand(SectionedCommand):
    """A command whose options depend on the plugins that the user chose."""

    planner: str | None = None
    """The planner of a command that offers no choice (`rpent mcp`): its user is elsewhere, so it has no front ends."""

    def frontends(self, ctx: click.Context) -> list[click.Option]:
        """Return the flags of the installed front ends."""
        if self.planner:
            return []
        if FLAGS not in ctx.meta:
            ctx.meta[FLAGS] = frontend_flags(flags_of(super().core_params(ctx)))
        found: list[click.Option] = ctx.meta[FLAGS]
        return found

    def core_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return core's parameters and, behind `--interactive`, the flags of the front ends."""
        core = super().core_params(ctx)
        place = next((n for n, param in enumerate(core, start=1) if param.name == "interactive"), -1)
        return [*core[:place], *self.frontends(ctx), *core[place:]]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Find the chosen plugins, add their options, then parse."""
        flags = self.frontends(ctx)
        choice = chosen(self, ctx, args, flags=flags)
        choice["planner"] = self.planner or choice["planner"]
        try:
            ctx.meta[SECTIONS] = sections(choice, core=[*self.params, *flags])
            if choice["frontends"]:
                ask_later(sections_of(ctx))
        except RpentError:
            if not ctx.resilient_parsing:  # shell completion goes on with what core offers
                raise
        if not (choice["robot"] or choice["help"] or ctx.resilient_parsing):
            # Said first: without a robot, its options would be called unknown.
            robot = next(param for param in self.params if param.name == "robot")
            raise click.MissingParameter(ctx=ctx, param=robot)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if text := self._whose(error.option_name, choice, flags):
                raise click.UsageError(text, ctx) from error
            raise

    @staticmethod
    def _whose(option: str, choice: dict[str, Any], flags: list[click.Option]) -> str:
        """Say whose option it is that was typed, where what brings it was not chosen; empty where it is nobody's."""
        if option in POLICY_OPTIONS and not choice["policy"]:
            return f"`{option}` is an option of a policy; name one with `--policy NAME`."
        for flag in (flag.opts[0] for flag in flags):
            if option.startswith(f"{flag}-") and flag[2:] not in choice["frontends"]:
                return f"`{option}` is an option of the front end `{flag[2:]}`; add `{flag}`."
        return ""

    def more(self, ctx: click.Context) -> str:
        """Say which option brings others."""
        if any(section.kind == "robots" for section in sections_of(ctx)):
            return ""
        if self.planner is None:
            options = " ".join(f"--{kind} NAME" for kind in ("robot", "planner", "policy"))
            return f"A robot, a planner and a policy add options: rpent run {options} --help"
        return f"A robot adds options: {ctx.command_path} --robot NAME --help"


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
    "--policy",
    type=PluginChoice("policies"),
    envvar="RPENT_POLICY",
    help="Start a policy server with this backend, for tools that use a learned policy.  [default: none]",
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
    "--memory/--no-memory",
    default=None,
    help="Let the planner read what earlier runs learned.  [default: off; on with `--memory-dir` or `--explore`]",
)
@click.option(
    "--memory-dir",
    type=click.Path(file_okay=False),
    help="Where the memory is.  [default: RPENT_MEMORY_DIR, else the user's data folder]",
)
@click.option(
    "--explore",
    is_flag=True,
    help="Several attempts, each from a reset; what they teach is merged into the memory.",
)
@click.option(
    "--attempts", type=click.IntRange(min=1), help="With `--explore`, attempts a session.  [default: 3]"
)
@click.option(
    "--sessions", type=click.IntRange(min=1), help="With `--explore`, sessions, each a run.  [default: 1]"
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
@click.option(
    "--token-limit", type=Limit(int), help="Tokens of the language model, in and out, over the whole run."
)
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
    help="Interpreter for the robot's services.  [default: the managed environment, else this one]",
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
@interactive_option
@no_plugin_option
@verbose_option
@click.pass_context
def command(ctx: click.Context, /, **_options: Any) -> int:
    """Run one episode: a planner drives a robot until the task is done or a budget ends.

    With `--explore` a session has several attempts at the episode, and may write to the memory. Without, the memory
    stays as it is.

    Exit codes: 0 the benchmark says that the task succeeded, 1 it does not, 2 wrong usage, 3 infrastructure
    failed, 130 interrupted.
    """
    planner = next((section.name for section in sections_of(ctx) if section.kind == "planners"), None)
    if planner is None:
        option = next(param for param in ctx.command.params if param.name == "planner")
        raise click.MissingParameter(ctx=ctx, param=option)
    asked_for = given_frontends(ctx.meta[FLAGS], ctx.params)
    if asked_for:
        check_alone(asked_for, ctx.params)
        from rpent.cli.handover import run_in_frontend

        return run_in_frontend(ctx, asked_for[0], planner=planner)
    from rpent.cli.request import build_request
    from rpent.run import execute

    request = build_request(ctx, planner=planner)
    with steered(ctx.params) as steering:
        if request.explore is not None:
            return _explore(request)
        return int(execute(request, steering=steering).exit_code)


def _explore(request: RunRequest) -> int:
    """Run the sessions of an exploration and sum them up."""
    import json

    from rpent.run import explore

    done = explore(request)
    if request.progress == "json":
        click.echo(json.dumps({"type": "exploration", **done.to_json()}))
    elif done.folder is not None:
        click.echo("\n".join([*done.lines(), f"runs:      {done.folder}"]))
    return int(done.exit_code)
