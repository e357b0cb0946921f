import pytest
from rpent.errors import ExitCode


def test_writes_a_distribution(run_cli, tmp_path):
    target = tmp_path / "bot"
    result = run_cli("new", "robot", "pick-o-matic", "--directory", str(target))
    assert result.exit_code == 0
    assert 'pick-o-matic = "rpent_robot_pick_o_matic.plugin"' in (target / "pyproject.toml").read_text()
    assert "class PickOMaticConfig" in (target / "src/rpent_robot_pick_o_matic/config.py").read_text()
    left = [
        path
        for path in target.rglob("*")
        if path.is_file() and "my" in path.read_text().lower().split("-bot")[0][-2:]
    ]
    assert left == []


@pytest.mark.parametrize("name", ["My-Bot", "9lives", "a--b", "a_b", "-a", "a-", "ä", ""])
def test_refuses_what_is_no_name(run_cli, name):
    result = run_cli("new", "robot", "--", name)
    assert result.exit_code == ExitCode.USAGE
    assert "is not a name for a plugin" in result.stderr


def test_refuses_a_name_that_is_taken(plugin_site, run_cli):
    plugin_site.add_robot("walker")
    result = run_cli("new", "robot", "walker")
    assert result.exit_code == ExitCode.USAGE
    assert "A robot `walker` is installed already." in result.stderr


def test_never_overwrites(run_cli, tmp_path):
    (tmp_path / "note").write_text("mine")
    result = run_cli("new", "robot", "bot", "--directory", str(tmp_path))
    assert result.exit_code == ExitCode.USAGE
    assert [path.name for path in tmp_path.iterdir()] == ["note"]


def test_an_unwritable_folder_is_one_sentence(run_cli, tmp_path):
    (tmp_path / "file").write_text("")
    result = run_cli("new", "robot", "bot", "--directory", str(tmp_path / "file" / "bot"))
    assert result.exit_code == ExitCode.INFRASTRUCTURE
    assert result.stderr.startswith("Error: ")
