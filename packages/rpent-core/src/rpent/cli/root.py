"""The root command: the table of commands, and the one place where errors become text and exit codes."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

import click

from rpent._version import __version__
from rpent.cli.lazy import LazyGroup
from rpent.cli.params import Settings, no_plugin_option, verbose_option
from rpent.errors import ExitCode, RpentError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

COMMANDS = {
    "run": ("rpent.cli.run:command", "Run one episode: a planner drives a robot."),
    "resume": ("rpent.cli.resume:command", "Go on with a run that was interrupted."),
    "replay": ("rpent.cli.replay:command", "Carry out the recorded tool calls of a run again."),
    "show": ("rpent.cli.show:command", "Print what happened in a run."),
    "runs": ("rpent.cli.runs:group", "List recorded runs."),
    "memory": ("rpent.cli.memory:group", "What earlier runs learned: notes and recipes."),
    "serve": ("rpent.cli.serve:command", "Serve an env, policy or perception server by hand."),
    "policy": ("rpent.cli.policy:group", "Learned policies: backends, checkpoints, training."),
    "env": ("rpent.cli.env:group", "Build and list managed environments."),
    "plugins": ("rpent.cli.plugins:group", "List and examine the installed plugins."),
    "check": ("rpent.cli.check:group", "Try a planner's language model for real."),
    "doctor": ("rpent.cli.doctor:command", "Check this installation, and mend it."),
    "new": ("rpent.cli.new:group", "Start a new plugin from a template."),
}

EPILOG = "Plugins may bring further commands: `rpent plugins list --kind commands`."


class RootGroup(LazyGroup):
    """`rpent`: core's commands, then those of plugins."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command of core's table, else one that a plugin brings."""
        if cmd_name in self.table:
            return super().get_command(ctx, cmd_name)
        from rpent.cli.nested import added_group, load_command
        from rpent.plugins import registry

        if cmd_name in registry.names("commands") or ":" in cmd_name:
            return load_command(cmd_name)
        return added_group(cmd_name)

    def added(self) -> list[str]:
        """Return nothing: the help of the root reads no metadata, and says where plugins' commands are listed."""
        return []

    def nameable(self, ctx: click.Context) -> list[str]:
        """Return core's commands and those of plugins."""
        from rpent.plugins import registry

        return [*self.list_commands(ctx), *(name for name in registry.names("commands") if "." not in name)]

    def invoke(self, ctx: click.Context) -> Any:
        """Invoke the command; a reader that has read enough (`| head -1`) is no failure."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            return ExitCode.SUCCESS

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the command line; in standalone mode print errors and exit with the right code."""
        settings = Settings()
        open_standard_streams()
        call = {
            "args": args,
            "prog_name": prog_name or "rpent",
            "complete_var": complete_var,
            "obj": settings,
            **extra,
        }
        if not standalone_mode:
            return super().main(standalone_mode=False, **call)
        return exit_with(self._code(settings, call))

    def _code(self, settings: Settings, call: dict[str, Any]) -> int:
        try:
            result = super().main(standalone_mode=False, **call)
        except click.ClickException as error:
            _tell(error.show)
            return error.exit_code
        except RpentError as error:
            _tell(partial(print_error, error, settings))
            return error.exit_code
        except (click.Abort, KeyboardInterrupt):
            _tell(partial(click.echo, "Interrupted.", err=True))
            return ExitCode.INTERRUPTED
        except Exception:  # noqa: BLE001  (a bug: shown whole, and never mistaken for a failed task)
            _tell(_print_bug)
            return ExitCode.INFRASTRUCTURE
        return result if isinstance(result, int) else ExitCode.SUCCESS


def _tell(print_it: Callable[[], None]) -> None:
    """Print, if anybody still reads; the exit code says it as well."""
    try:
        print_it()
    except OSError:
        return


def _print_bug() -> None:
    import traceback

    click.echo(traceback.format_exc(), err=True, nl=False)
    click.echo(f"This is a bug in rpent {__version__} or in a plugin of it; please report it.", err=True)


def print_error(error: RpentError, settings: Settings) -> None:
    """Print an expected error: its sentence and its hint; the traceback as well with `--verbose`."""
    if settings.verbose:
        import traceback

        click.echo("".join(traceback.format_exception(error)), err=True, nl=False)
    from rpent.printable import printable

    click.echo(f"{click.style('Error:', fg='red')} {printable(error.message)}", err=True)
    if error.hint:
        from rpent.suggest import typeable

        click.echo(f"{click.style('Hint:', fg='yellow')} {printable(typeable(error.hint))}", err=True)


def exit_with(code: int) -> NoReturn:
    """End the process; a reader that has gone (`| head -1`) does not change the exit code."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            _to_nowhere(stream)
    sys.exit(int(code))


def _to_nowhere(stream: TextIO) -> None:
    """Give the interpreter somewhere to write what is left when it exits."""
    import os

    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except (OSError, ValueError):
        return


def open_standard_streams() -> None:
    """Open what the caller closed (`>&-`), lest the first files of a run become its standard streams."""
    import os

    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, os.O_RDWR)  # the lowest free number: this stream's own
            if descriptor != number:
                os.dup2(descriptor, number)
                os.close(descriptor)
            setattr(sys, name, os.fdopen(number, "r" if number == 0 else "w", encoding="utf-8"))


@click.command(
    "rpent",
    cls=RootGroup,
    table=COMMANDS,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(__version__, prog_name="rpent")
@no_plugin_option
@verbose_option
def main() -> None:
    """Put a language model in charge of a robot."""
