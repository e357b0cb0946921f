"""Commands of plugins inside groups: an entry point named `GROUP.COMMAND`."""

import click
import pytest
from rpent.cli import main
from rpent.errors import ExitCode

COMMANDS = """
    import click
    from rpent.api import CommandSpec, hookimpl
    PLUGIN_API = 1

    @hookimpl
    def rpent_commands():
        yield CommandSpec(name="{name}", summary="Says what it is.", command="{module}:command")

    @click.command()
    @click.option("--loud", is_flag=True)
    def command(loud):
        click.echo("LOUD" if loud else "{name}")
    """


@pytest.fixture
def add(plugin_site):
    def add(name, source=COMMANDS):
        module = "command_" + name.replace(".", "_").replace("-", "_")
        plugin_site.add(
            f"rpent-{module.replace('_', '-')}",
            entry_points={"rpent.commands": {name: module}},
            modules={f"{module}.py": source.format(name=name, module=module)},
        )

    return add


@pytest.mark.parametrize("name", ["policy.train-fast", "env.clean", "workshop.open"])
def test_a_group_gets_a_command(add, run_cli, name):
    add(name)
    assert run_cli(*name.split(".")).stdout == f"{name}\n"
    assert run_cli(*name.split("."), "--loud").stdout == "LOUD\n"


def test_a_command_of_core_is_not_replaced(add, run_cli):
    add("policy.list")
    assert "policy.list" not in run_cli("policy", "list").stdout


def test_the_groups_help_names_them(add, run_cli):
    add("policy.train-fast")
    add("workshop.open")
    assert "train-fast" in run_cli("policy", "--help").stdout
    assert "Says what it is." in run_cli("policy", "--help").stdout
    assert "open" in run_cli("workshop", "--help").stdout
    assert "workshop" not in run_cli("--help").stdout


def test_a_broken_one_says_why(add, run_cli):
    add("policy.train-fast", "import no_such_module\nPLUGIN_API = 1")
    result = run_cli("policy", "train-fast")
    assert result.exit_code == ExitCode.INFRASTRUCTURE
    assert "needs the module `no_such_module`" in result.stderr
    assert "Unusable: it needs the module" in " ".join(run_cli("policy", "--help").stdout.split())


def test_one_that_names_no_command_says_so(add, run_cli):
    add("policy.train-fast", COMMANDS.replace("{module}:command", "{module}:PLUGIN_API"))
    result = run_cli("policy", "train-fast")
    assert result.exit_code == ExitCode.INFRASTRUCTURE
    assert "which is no click command" in result.stderr


def test_a_mistyped_one_is_explained(add, run_cli):
    add("policy.train-fast")
    result = run_cli("policy", "train-fats")
    assert result.exit_code == ExitCode.USAGE
    assert "did you mean `train-fast`?" in result.stderr


def test_switching_it_off_hides_it(add, run_cli):
    add("policy.train-fast")
    result = run_cli("--no-plugin", "policy.train-fast", "policy", "train-fast")
    assert result.exit_code == ExitCode.USAGE


def test_completion_knows_them(add, plugin_site):
    from rpent.plugins import registry

    add("policy.train-fast")
    registry.current.cache_clear()
    group = main.get_command(click.Context(main), "policy")
    assert "train-fast" in group.list_commands(click.Context(group))
