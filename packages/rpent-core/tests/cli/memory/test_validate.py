from rpent.errors import ExitCode
from rpent.testing.memory import note, write_files


def test_a_memory(memory, run_cli):
    result = run_cli("memory", "validate")
    assert (result.exit_code, result.stdout) == (0, "fake: 4 valid files, 0 problems.\n")
    write_files(memory.path, {"global/bad.md": "no head", "task-specific/fake_t0/recipe.jsonl": "{}"})
    result = run_cli("memory", "validate")
    assert result.exit_code == 1
    assert result.stdout == "fake: 2 valid files, 2 problems.\n"
    assert "fake: `global/bad.md`: It does not begin with" in result.stderr


def test_drafts_alone_or_in_a_run(run_cli, tmp_path, make_run):
    drafts = write_files(tmp_path / "d", {"global/a.md": note()})
    assert run_cli("memory", "validate", str(drafts)).exit_code == 0
    run = make_run({"global/a.md": note(), "x.md": note()})
    result = run_cli("memory", "validate", str(run.path))
    assert result.exit_code == 1
    assert "`x.md`: The memory has no such place." in result.stderr
    assert "run.json" not in result.stderr


def test_a_folder_that_is_not_there_is_wrong_usage(run_cli, tmp_path):
    assert run_cli("memory", "validate", str(tmp_path / "absent")).exit_code == ExitCode.USAGE
