"""`rpent env run`."""

from __future__ import annotations

import click

from rpent.cli.params import verbose_option


@click.command("run", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("name")
@click.argument("words", metavar="COMMAND [ARGS]...", nargs=-1, required=True, type=click.UNPROCESSED)
@verbose_option
def command(name: str, words: tuple[str, ...]) -> None:
    """Run COMMAND in the environment NAME, as a service would: its interpreter, with the plugins that use it linked in.

    `rpent env run lerobot python` is LeRobot's Python, which can also import the distribution of the backend. Keys and
    tokens are left out of the command's environment variables. The exit code is the command's.
    """
    import os
    import shutil

    from rpent.environments.catalog import declared_environment
    from rpent.errors import EnvironmentSetupError, UsageError

    managed = declared_environment(name).managed
    if not managed.is_current():
        state = "out of date" if managed.exists() else "not built"
        raise EnvironmentSetupError(f"The environment `{name}` is {state}.", hint=f"rpent env sync {name}")
    environ = managed.interpreter().environ()
    environ["PATH"] = os.pathsep.join([str(managed.python.parent), environ.get("PATH", os.defpath)])
    program = shutil.which(words[0], path=environ["PATH"])
    if program is None:
        raise UsageError(f"No command `{words[0]}` is in the environment `{name}` or on the path.")
    os.execve(program, [program, *words[1:]], environ)  # noqa: S606 (the user's own command)
