"""`rpent robocasa assets status` and `placeholder`."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from rpent.cli.root import main
from rpent_robot_robocasa.assets.paths import placeholder_dir


@pytest.fixture
def run(package):
    """Run a command on the tiny package; return exit code, output and error stream."""

    def start(name, *arguments, there=True):
        option = ["--package", str(package.root)] if there else []
        done = CliRunner().invoke(main, ["robocasa", "assets", name, *option, *arguments])
        return done.exit_code, done.stdout, done.stderr

    return start


def test_placeholders_are_made_once(run):
    folder = placeholder_dir("9.9.1")
    code, out, _ = run("placeholder")
    assert code == 0
    assert out.startswith("Wrote ")
    assert out.strip().endswith(str(folder))
    made = folder.stat().st_ino
    assert run("placeholder")[1].startswith("Already there: ")
    assert folder.stat().st_ino == made
    assert run("placeholder", "--force")[1].startswith("Wrote ")
    assert folder.stat().st_ino != made


def test_json_of_placeholder(run):
    data = json.loads(run("placeholder", "--json")[1])
    assert (data["version"], data["written"], data["folder"]) == (1, True, str(placeholder_dir("9.9.1")))
    assert data["manifest"]["kind"] == "placeholder"
    assert json.loads(run("placeholder", "--json")[1])["written"] is False


def test_status_before_and_after(run):
    code, out, _ = run("status")
    assert code == 0
    assert "There are no placeholder kitchen assets in" in out
    assert "There are no real kitchen assets in" in out
    assert "A run uses:   nothing" in out
    run("placeholder")
    out = run("status")[1]
    assert "A run uses:   placeholder" in out
    data = json.loads(run("status", "--json")[1])
    assert (data["used"], data["placeholder"]["ready"], data["placeholder"]["unchanged"]) == (
        "placeholder",
        True,
        True,
    )
    assert data["real"]["packs"]["tex"] is False


def test_status_sees_what_was_changed(run):
    run("placeholder")
    (placeholder_dir("9.9.1") / "objects/objaverse/mug/mug_p0/1701436041_123_77.xml").touch()
    assert "changed since they were made" not in run("status")[1]
    (placeholder_dir("9.9.1") / "fixtures/sinks/Sink001/model.xml").write_text("<mujoco/>")
    assert "changed since they were made" in run("status")[1]


def test_without_the_simulator_status_says_so_and_placeholder_names_the_command(run):
    assert "The simulator is not installed" in run("status", there=False)[1]
    code, out, err = run("placeholder", there=False)
    assert (code, out) == (3, "")
    assert "rpent env sync" in err


def test_help_names_the_three_commands():
    done = CliRunner().invoke(main, ["robocasa", "assets", "--help"])
    assert done.exit_code == 0
    assert all(f"  {word} " in done.stdout for word in ("status", "fetch", "placeholder"))
