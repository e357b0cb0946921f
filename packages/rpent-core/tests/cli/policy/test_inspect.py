import json

import pytest
from rpent.errors import ExitCode
from rpent.policies.signature import CameraInput, Signature
from rpent.testing.policies.fake import make_checkpoint

MIRRORED = Signature(
    family="fake",
    cameras={"image": CameraInput()},
    state={"vector": 5},
    action={"velocity": 3, "grip": 1},
    chunk_length=8,
)
HOSTILE = Signature(
    family="fake\x1b[2J",
    cameras={"\x1b]0;title\x07": CameraInput()},
    action={"a\r\nb": 4},
    details={"task": "x" * 5000},
)


def test_a_checkpoint_in_the_robots_own_names_fits(arm, checkpoint, run_cli):
    result = run_cli("policy", "inspect", str(checkpoint), "--robot", "arm", "--backend", "fake")
    assert result.exit_code == 0, result.stderr
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert "camera front 64 x 64" in lines
    assert "chunk 8 actions, 4 carried out" in lines
    assert "Robot `arm`, layout `native`: fits" in lines
    assert "action move = action[0:3] -> move metres a second" in lines


def test_the_mapping_says_what_is_done_to_each_part(arm, tmp_path, run_cli):
    folder = make_checkpoint(tmp_path / "c", MIRRORED)
    result = run_cli("policy", "inspect", str(folder), "--robot", "arm", "--backend", "fake", "--json")
    assert result.exit_code == 0, result.stdout
    answer = json.loads(result.stdout)
    (robot,) = answer["robots"]
    assert (robot["layout"], robot["fits"]) == ("mirrored", True)
    assert [(row["policy"], row["robot"], row["how"]) for row in robot["mapping"]] == [
        ("image", "front", "mirrored left to right, 32 x 48, edges filled with black"),
        ("vector[0:3]", "pose", "times 2"),
        ("vector[3:5]", "axis_angle(turn)[0:2]", ""),
        ("grip = action[3:4]", "gripper", "times -2, plus 1, rounded to -1 or 1; closes above 0"),
        ("velocity = action[0:3]", "move", "metres a second"),
    ]
    assert {each["name"]: each["fits"] for each in robot["layouts"]} == {"mirrored": True, "native": False}


def test_none_that_fits_is_code_3_with_the_differences(arm, checkpoint, run_cli):
    result = run_cli(
        "policy", "inspect", str(checkpoint), "--robot", "arm", "--layout", "mirrored", "--backend", "fake"
    )
    assert result.exit_code == ExitCode.INFRASTRUCTURE
    assert "✗ camera `front`" in result.stdout
    assert "Robot `arm`, layout `mirrored`: does not fit\n" in result.stdout
    assert "native" in result.stdout


def test_of_several_that_do_not_fit_the_nearest_is_shown(arm, tmp_path, run_cli):
    folder = make_checkpoint(tmp_path / "c", MIRRORED.model_copy(update={"state": {"vector": 7}}))
    result = run_cli("policy", "inspect", str(folder), "--robot", "arm")
    assert "Robot `arm`, layout `mirrored`: does not fit; this is the nearest\n" in result.stdout


def test_the_backend_is_the_one_that_reads_it(arm, checkpoint, run_cli):
    result = run_cli("policy", "inspect", str(checkpoint), "--robot", "arm")
    assert "fake (the only one that reads it)" in result.stdout


def test_without_a_robot_all_that_are_installed_are_shown(arm, checkpoint, run_cli):
    answer = json.loads(run_cli("policy", "inspect", str(checkpoint), "--json").stdout)
    assert "arm" in [robot["robot"] for robot in answer["robots"]]


def test_a_folder_that_nobody_reads_says_why(arm, tmp_path, run_cli):
    result = run_cli("policy", "inspect", str(tmp_path))
    assert result.exit_code == ExitCode.INFRASTRUCTURE
    assert "No installed policy backend reads" in result.stderr
    assert "fake: " in result.stderr


def test_what_a_checkpoint_says_cannot_steer_the_terminal(arm, tmp_path, run_cli):
    folder = make_checkpoint(tmp_path / "c", HOSTILE)
    result = run_cli("policy", "inspect", str(folder), "--robot", "arm", "--backend", "fake")
    assert result.exit_code == ExitCode.INFRASTRUCTURE
    assert not {"\x1b", "\x07", "\r"} & set(result.stdout)
    assert "fake␛[2J" in result.stdout
    assert max(map(len, result.stdout.splitlines())) < 1000


@pytest.mark.parametrize("args", [["--layout", "nothing", "--robot", "arm"], ["--layout", "mirrored"]])
def test_a_layout_that_is_none_is_refused(arm, checkpoint, run_cli, args):
    result = run_cli("policy", "inspect", str(checkpoint), "--backend", "fake", *args)
    assert result.exit_code == ExitCode.USAGE


def test_the_backends_options_say_how_it_is_read(arm, checkpoint, run_cli):
    base = ("policy", "inspect", str(checkpoint), "--robot", "arm")
    assert run_cli(*base, "--backend", "fake", "--max-batch", "3").exit_code == 0
    wrong = run_cli(*base, "--backend", "fake", "--max-batch", "0")
    assert wrong.exit_code == ExitCode.USAGE
    own = run_cli("policy", "inspect", "--backend", "fake", "--help").stdout.partition(
        "Options of the policy"
    )[2]
    assert "--slow-s" in own
    assert "--checkpoint" not in own
    assert run_cli(*base, "--max-batch", "3").exit_code == ExitCode.USAGE
