from rpent.errors import ExitCode
from rpent.memory.view import MemoryView
from rpent.testing.memory import note, write_files


def view(memory_dir, task="fake_t0"):
    return MemoryView(memory_dir, "fake", "fake", task)


def test_a_run_brings_its_drafts_and_its_recipe(run_cli, make_run, memory_dir):
    run = make_run({"global/a.md": note("Learned."), "task-specific/fake_t0/notes.md": note()})
    result = run_cli("memory", "merge", str(run.path))
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "Merged: global/a.md",
        "Merged: task-specific/fake_t0/notes.md",
        "The recipe for `fake_t0` takes 42 control steps.",
    ]
    seen = view(memory_dir)
    assert f"## From run `{run.path.name}` (2023-11-14, solved)" in seen.read("global/a.md")
    assert (seen.recipe().audit.run, seen.recipe().audit.env_steps) == (run.path.name, 42)
    again = run_cli("memory", "merge", "latest")
    assert again.exit_code == 0
    assert again.stdout.startswith("Merged before: global/a.md")
    assert "stays" in again.stdout


def test_a_run_that_solved_nothing_brings_its_drafts_only(run_cli, make_run, memory_dir):
    run = make_run({"global/a.md": note()}, solved=False)
    result = run_cli("memory", "merge", run.path.name)
    assert result.exit_code == 0
    assert "no recipe is published" in result.stdout
    assert view(memory_dir).files == ("global/a.md",)


def test_of_an_exploring_run_nothing_is_taken_that_its_replay_refuted(run_cli, make_run, memory_dir):
    attempts = [
        {"attempt": 1, "benchmark_success": True, "env_steps": 5},
        {"attempt": 2, "benchmark_success": False, "env_steps": 9},
    ]
    make_run(attempts=attempts, explored={"confirmed": None, "refuted": [1]})
    assert "no recipe is published" in run_cli("memory", "merge", "latest").stdout
    assert view(memory_dir).recipe() is None


def test_refused_drafts_are_named_and_the_others_taken(run_cli, make_run, memory_dir):
    run = make_run({"global/a.md": note(), "task-family/other/a.md": note()}, solved=False)
    result = run_cli("memory", "merge", str(run.path))
    assert result.exit_code == 1
    assert result.stderr == "Refused: `task-family/other/a.md`: It belongs to another task than the run's.\n"
    assert view(memory_dir).files == ("global/a.md",)


def test_a_folder_of_drafts(run_cli, memory_dir, tmp_path):
    folder = write_files(tmp_path / "by hand", {"global/a.md": note()})
    unknown = run_cli("memory", "merge", str(folder))
    assert unknown.exit_code == ExitCode.USAGE
    assert "`rpent run --explore` makes one" in unknown.stderr
    assert run_cli("memory", "merge", str(folder), "--robot", "../x").exit_code == ExitCode.USAGE
    assert run_cli("memory", "merge", str(folder), "--robot", "fake").stdout == "Merged: global/a.md\n"
    assert "## From run `by-hand`" in view(memory_dir).read("global/a.md")
    (tmp_path / "empty").mkdir()
    assert "holds no drafts" in run_cli("memory", "merge", str(tmp_path / "empty")).stdout


def test_wrong_usage_is_one_sentence(run_cli, make_run, memory_dir):
    run = make_run()
    for arguments in (
        [str(run.path), "--robot", "other"],
        ["no-such-run"],
        [str(run.path), "--robot", "../x"],
    ):
        result = run_cli("memory", "merge", *arguments)
        assert result.exit_code == ExitCode.USAGE
        assert result.stderr.startswith("Error: ")
    assert not memory_dir.exists()


def test_a_damaged_run_is_named(run_cli, make_run):
    run = make_run()
    run.manifest.write_text("{")
    result = run_cli("memory", "merge", str(run.path))
    assert result.exit_code == ExitCode.INFRASTRUCTURE
    assert "cannot be read" in result.stderr
