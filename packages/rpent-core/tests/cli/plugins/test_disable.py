import subprocess
import sys

import pytest
from rpent.errors import ExitCode
from rpent.plugins import blocking


@pytest.fixture
def walker(plugin_site):
    plugin_site.add_robot("walker", source="raise AssertionError('imported')")


@pytest.mark.parametrize("name", ["walker", "rpent-robot-walker", "rpent-robot-walker:walker"])
def test_a_disabled_plugin_is_listed_with_its_remedy(walker, run_cli, name):
    result = run_cli("plugins", "disable", name)
    assert result.exit_code == 0
    assert "Disabled: robot `walker`" in result.stdout
    listed = run_cli("plugins", "list", "--kind", "robots").stdout
    row, remedy = next(
        (line, following)
        for line, following in zip(listed.splitlines(), listed.splitlines()[1:], strict=False)
        if "walker" in line
    )
    assert "disabled" in row
    assert f"rpent plugins enable {name}" in remedy
    asked = run_cli("run", "--robot", "walker")
    assert asked.exit_code == ExitCode.USAGE
    assert "The robot `walker` is disabled." in asked.stderr
    assert f"rpent plugins enable {name}" in asked.stderr
    assert "walker" not in run_cli("run", "--help").stdout


def test_other_processes_leave_it_out_too(walker, run_cli):
    run_cli("plugins", "disable", "walker")
    program = "from rpent.plugins import registry; print(registry.names('robots'))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "walker" not in done.stdout


def test_enable_undoes_it(walker, run_cli):
    run_cli("plugins", "disable", "walker")
    result = run_cli("plugins", "enable", "walker")
    assert (result.exit_code, result.stdout) == (0, "Enabled: robot `walker`.\n")
    assert blocking.read_file() == frozenset()
    assert "[walker" in run_cli("run", "--help").stdout or "|walker" in run_cli("run", "--help").stdout


def test_enable_says_what_else_disables_it(walker, run_cli):
    run_cli("plugins", "disable", "rpent-robot-walker")
    result = run_cli("plugins", "enable", "walker")
    assert result.exit_code == ExitCode.USAGE
    assert "`walker` is still disabled: rpent plugins enable rpent-robot-walker" in result.stderr
    result = run_cli("plugins", "enable", "rpent-robot-walker", env={"RPENT_DISABLE_PLUGINS": "walker"})
    assert "Take `walker` out of `RPENT_DISABLE_PLUGINS`" in result.stderr


@pytest.mark.parametrize("verb", ["disable", "enable"])
def test_an_unknown_name_is_refused(walker, run_cli, verb):
    result = run_cli("plugins", verb, "walkr")
    assert result.exit_code == ExitCode.USAGE
    assert "No plugin is named `walkr`; did you mean `walker`?" in result.stderr
    assert blocking.read_file() == frozenset()


def test_core_cannot_be_disabled(run_cli):
    result = run_cli("plugins", "disable", "replay")
    assert result.exit_code == ExitCode.USAGE
    assert "part of core" in result.stderr


def test_one_that_was_uninstalled_can_be_enabled(plugin_environment, run_cli):
    blocking.write_file({"gone"})
    assert run_cli("plugins", "enable", "gone").stdout == "Enabled: `gone`, which is not installed.\n"
    assert blocking.read_file() == frozenset()


def test_a_folder_that_cannot_be_written_is_one_sentence(walker, run_cli, tmp_path):
    (tmp_path / "file").write_text("")
    result = run_cli("plugins", "disable", "walker", env={"RPENT_CONFIG_DIR": str(tmp_path / "file")})
    assert result.exit_code == ExitCode.INFRASTRUCTURE
    assert "cannot be written" in result.stderr
    assert "Traceback" not in result.stderr


def test_comments_and_blank_lines_are_skipped(plugin_environment):
    path = blocking.write_file({"a"})
    path.write_text(path.read_text() + "\n  b  # not now\n")
    assert blocking.read_file() == {"a", "b"}
    assert list(path.parent.iterdir()) == [path]
