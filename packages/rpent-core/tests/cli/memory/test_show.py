import pytest
from rpent.errors import ExitCode
from rpent.testing.memory import note, write_files


def test_index_file_and_task(memory, run_cli):
    assert run_cli("memory", "show", "fake").stdout == (memory.path / "MEMORY.md").read_text()
    assert run_cli("memory", "show", "fake", "global/a.md").stdout == note("Anything.")
    whole = run_cli("memory", "show", "fake", "fake_t0").stdout
    assert "== task-specific/fake_t0/audit.json" in whole
    assert '"name": "move_to"' in whole


@pytest.mark.parametrize(
    "arguments",
    [
        ("nobody",),
        ("fake", "global/z.md"),
        ("fake", "../fake/global/a.md"),
        ("fake", "/etc/passwd"),
        ("../fake",),
    ],
)
def test_what_is_not_there_is_one_sentence(memory, run_cli, arguments):
    result = run_cli("memory", "show", *arguments)
    assert result.exit_code == ExitCode.USAGE
    assert result.stdout == ""
    assert result.stderr.startswith("Error: The")


def test_a_note_cannot_drive_the_terminal(memory, run_cli):
    write_files(memory.path, {"global/evil.md": note("a\u202eb\u009b31m")})
    shown = run_cli("memory", "show", "fake", "global/evil.md").stdout
    assert "\u202e" not in shown
    assert "\u009b" not in shown
