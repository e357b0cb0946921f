import subprocess
import sys

import click
import pytest
from rpent.cli import main
from rpent.cli.lazy import LazyGroup
from rpent.errors import ExitCode, UsageError


def all_commands(command=main, path=()):
    yield path
    if isinstance(command, LazyGroup):
        for name in command.table:
            try:
                child = command.get_command(click.Context(command), name)
            except ImportError:  # the command's own test says so; the others are still collected
                child = None
            yield from all_commands(child, (*path, name))


def test_the_table_leads_to_commands_whose_help_is_the_one_shown():
    for name, (_, text) in main.table.items():
        command = main.get_command(click.Context(main), name)
        assert command.name == name
        assert text.endswith(".")


@pytest.mark.parametrize("path", list(all_commands()), ids=" ".join)
def test_help_of_every_command(run_cli, path):
    result = run_cli(*path, "--help")
    assert result.exit_code == 0
    assert result.stdout.startswith("Usage: rpent")


def test_version(run_cli):
    from rpent import __version__

    assert run_cli("--version").stdout == f"rpent, version {__version__}\n"


@pytest.mark.parametrize(
    ("args", "meant"), [(["rnu"], "run"), (["plugins", "lst"], "list"), (["env", "snyc"], "sync")]
)
def test_a_mistyped_command_is_explained(run_cli, args, meant):
    result = run_cli(*args)
    assert result.exit_code == ExitCode.USAGE
    assert f"did you mean `{meant}`?" in result.stderr


COMMANDS = """
    import click
    from rpent.api import CommandSpec, RpentError, UsageError, hookimpl
    PLUGIN_API = 1

    @hookimpl
    def rpent_commands():
        yield CommandSpec(name="{name}", summary="s", command="{module}:command")

    @click.command()
    def command():
        {body}
    """


def add_command(plugin_site, name, body):
    module = f"command_{name}"
    plugin_site.add(
        f"rpent-{name}",
        entry_points={"rpent.commands": {name: module}},
        modules={f"{module}.py": COMMANDS.format(name=name, module=module, body=body)},
    )


def test_a_plugin_brings_a_command(plugin_site, run_cli):
    add_command(plugin_site, "hello", "click.echo('hi'); return 7")
    result = run_cli("hello")
    assert (result.exit_code, result.stdout) == (7, "hi\n")
    assert "hello" not in run_cli("--help").stdout


@pytest.mark.parametrize(
    ("body", "code", "text"),
    [
        ("raise RpentError('It broke.', hint='Mend it.')", 3, "Error: It broke.\nHint: Mend it.\n"),
        ("raise UsageError('Not that.')", 2, "Error: Not that.\n"),
        ("raise KeyboardInterrupt", 130, "Interrupted.\n"),
    ],
)
def test_expected_errors_are_one_sentence_and_a_code(plugin_site, run_cli, body, code, text):
    add_command(plugin_site, "fails", body)
    result = run_cli("fails")
    assert result.exit_code == code
    assert result.stderr.strip() == text.strip()
    assert result.stdout == ""


def test_verbose_adds_the_traceback(plugin_site, run_cli):
    add_command(plugin_site, "fails", "raise RpentError('It broke.')")
    result = run_cli("--verbose", "fails")
    assert "Traceback" in result.stderr
    assert result.stderr.endswith("Error: It broke.\n")


def test_a_bug_shows_its_traceback_and_is_no_failed_task(plugin_site, run_cli):
    add_command(plugin_site, "buggy", "1 / 0")
    result = run_cli("buggy")
    assert result.exit_code == ExitCode.INFRASTRUCTURE
    assert "ZeroDivisionError" in result.stderr
    assert "please report it" in result.stderr


def test_the_root_can_be_called_by_programs():
    with pytest.raises(click.UsageError):
        main.main(["rnu"], standalone_mode=False)
    assert issubclass(UsageError, Exception)


READER_GONE = """
import os, subprocess, sys
read, write = os.pipe()
os.close(read)
streams = {"stdout": write} if sys.argv[1] == "stdout" else {"stderr": write}
print(subprocess.run([sys.executable, "-m", "rpent", *sys.argv[2:]], **streams).returncode)
"""


@pytest.mark.parametrize(
    ("stream", "args", "code"),
    [
        ("stdout", ["plugins", "list"], 0),
        ("stdout", ["run", "--help"], 0),
        ("stderr", ["show", "/no/such/run"], 2),
        ("stderr", ["rnu"], 2),
    ],
)
def test_a_reader_that_has_gone_does_not_change_the_exit_code(stream, args, code):
    command = [sys.executable, "-c", READER_GONE, stream, *args]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == str(code)
    assert "Traceback" not in done.stdout + done.stderr
    assert "Exception ignored" not in done.stderr


def test_closed_standard_streams_are_opened():
    command = f"exec {sys.executable} -m rpent plugins list --json <&- >&- 2>&-"
    assert subprocess.run(["sh", "-c", command], check=False).returncode == 0
