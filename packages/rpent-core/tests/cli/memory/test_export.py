from rpent.errors import ExitCode
from rpent.memory.archive import read_archive
from rpent.memory.store import Store
from rpent.testing.memory import note, write_files


def test_a_memory_goes_into_a_file(memory, run_cli, tmp_path):
    result = run_cli("memory", "export", str(tmp_path / "m.tar.gz"))
    assert (result.exit_code, result.stderr) == (0, "")
    assert read_archive(tmp_path / "m.tar.gz").files == memory.read().files


def test_what_is_not_valid_is_left_out_and_named(memory, run_cli, tmp_path):
    write_files(memory.path, {"global/bad.md": "no head"})
    result = run_cli("memory", "export", str(tmp_path / "m.tar.gz"))
    assert result.exit_code == 0
    assert "Left out: `global/bad.md`" in result.stderr


def test_a_robot_must_be_chosen_where_there_are_two(memory, run_cli, tmp_path):
    write_files(Store(memory.root, "crane").path, {"global/c.md": note()})
    result = run_cli("memory", "export", str(tmp_path / "m"))
    assert result.exit_code == ExitCode.USAGE
    assert "`crane`, `fake`" in result.stderr
    assert run_cli("memory", "export", str(tmp_path / "m"), "--robot", "crane").exit_code == 0
    assert read_archive(tmp_path / "m").robot == "crane"


def test_without_a_memory_or_a_place_to_write(run_cli, tmp_path, memory_dir):
    assert run_cli("memory", "export", str(tmp_path / "m")).exit_code == ExitCode.USAGE
    write_files(Store(memory_dir, "fake").path, {"global/a.md": note()})
    result = run_cli("memory", "export", str(tmp_path / "absent" / "m"))
    assert result.exit_code == ExitCode.INFRASTRUCTURE
    assert "cannot be written" in result.stderr
