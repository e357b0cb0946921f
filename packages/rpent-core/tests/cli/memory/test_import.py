from rpent.errors import ExitCode
from rpent.memory.store import Store
from rpent.testing.memory import note, write_files


def exported(run_cli, tmp_path):
    run_cli("memory", "export", str(tmp_path / "m"))
    return str(tmp_path / "m")


def test_a_file_fills_an_empty_memory(memory, run_cli, tmp_path):
    file, other = exported(run_cli, tmp_path), str(tmp_path / "other")
    result = run_cli("memory", "import", file, "--memory-dir", other)
    assert result.exit_code == 0
    assert result.stdout.endswith("4 files taken, 0 the same.\n")
    assert Store(tmp_path / "other", "fake").read().files == memory.read().files
    assert run_cli("memory", "import", file, "--memory-dir", other).stdout == "0 files taken, 4 the same.\n"


def test_conflicts_are_kept_and_reported_unless_replaced(memory, run_cli, tmp_path):
    file = exported(run_cli, tmp_path)
    write_files(memory.path, {"global/a.md": note("Mine.")})
    result = run_cli("memory", "import", file)
    assert result.exit_code == 1
    assert "Kept, though it differs: global/a.md" in result.stderr
    assert "Mine." in (memory.path / "global/a.md").read_text()
    assert run_cli("memory", "import", file, "--replace").exit_code == 0
    assert "Anything." in (memory.path / "global/a.md").read_text()


def test_a_file_of_another_robot_or_of_nothing(memory, run_cli, tmp_path):
    file = exported(run_cli, tmp_path)
    assert run_cli("memory", "import", file, "--robot", "crane").exit_code == ExitCode.USAGE
    assert run_cli("memory", "import", str(tmp_path / "absent")).exit_code == ExitCode.USAGE
    (tmp_path / "junk").write_text("junk")
    result = run_cli("memory", "import", str(tmp_path / "junk"))
    assert result.exit_code == ExitCode.USAGE
    assert "is not an archive of a memory" in result.stderr
