from rpent.errors import ExitCode
from rpent.testing.memory import write_files


def test_notes_and_recipes_are_listed_with_their_summaries(memory, run_cli):
    result = run_cli("memory", "list")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "fake",
        "  global/a.md  Mugs. How to grasp mugs.",
        "  task-family/f/b.md  Mugs. How to grasp mugs.",
        "  task-specific/fake_t0/recipe.jsonl  Recipe. 2 calls, 100 control steps, seed 0, planner x; the benchmark"
        " confirmed it (run fake_t0_s0_x).",
    ]


def test_json_says_the_same_and_what_was_left_out(memory, run_cli, loads):
    write_files(memory.path, {"global/bad.md": "no head"})
    found = loads(run_cli("memory", "list", "--json"))
    assert found["version"] == 1
    assert found["memory_dir"] == str(memory.root)
    fake = found["robots"]["fake"]
    assert next(file["path"] for file in fake["files"]) == "global/a.md"
    assert [problem["path"] for problem in fake["problems"]] == ["global/bad.md"]


def test_without_a_memory_there_is_nothing(memory_dir, run_cli, loads):
    result = run_cli("memory", "list")
    assert result.exit_code == 0
    assert "Nothing was learned yet" in result.stdout
    assert loads(run_cli("memory", "list", "--json"))["robots"] == {}
    assert not memory_dir.exists()


def test_the_directory_and_the_robot_can_be_chosen(memory, run_cli, tmp_path):
    (tmp_path / "second" / "crane").mkdir(parents=True)
    assert run_cli("memory", "list", "--memory-dir", str(tmp_path / "second")).stdout == "crane\n"
    assert "a.md" in run_cli("memory", "list", "--robot", "fake").stdout
    wrong = run_cli("memory", "list", "--robot", "fale")
    assert wrong.exit_code == ExitCode.USAGE
    assert "did you mean `fake`?" in wrong.stderr


def test_other_folders_beside_the_robots_are_passed_over(memory, run_cli):
    (memory.root / "my old notes").mkdir()
    assert run_cli("memory", "list").stdout.splitlines()[0] == "fake"


def test_the_home_of_an_unknown_user(run_cli):
    result = run_cli("memory", "list", "--memory-dir", "~nobody-of-that-name/memory")
    assert result.exit_code == ExitCode.USAGE
    assert "`~nobody-of-that-name/memory` begins with the home of a user" in result.stderr
