"""`rpent smith inspect` and `rpent smith integrate`: documents, exit codes, and how light their help is."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner, Result
from rpent.cli.root import main

from ..artefacts import hdf5_dataset, lerobot_v21, onnx_policy, smith_policy  # noqa: TID252  (makers for all folders)


def smith(*words: object) -> Result:
    return CliRunner().invoke(main, ["smith", *map(str, words)])


def test_a_policy_as_text_and_as_one_document(tmp_path):
    folder = smith_policy(tmp_path / "p", rate=20.0)
    shown = smith("inspect", "policy", folder)
    assert shown.exit_code == 0
    assert "20 Hz" in shown.stdout
    document = json.loads(smith("inspect", "policy", folder, "--json").stdout)
    assert (document["version"], document["format"]) == (1, "robosmith")
    assert document["observation"]["observation"]["shape"] == [3]


def test_samples_of_a_dataset_are_shown(tmp_path):
    folder = lerobot_v21(tmp_path / "data")
    document = json.loads(smith("inspect", "dataset", folder, "--samples", 2, "--json").stdout)
    assert [len(sample["action"]) for sample in document["details"]["samples"]] == [6, 6]


def test_an_environment_with_infinite_bounds_is_valid_json():
    result = smith("inspect", "env", "cartpole", "--python", sys.executable, "--json")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout, parse_constant=pytest.fail)
    assert document["observation"]["observation"]["high"][1] == "Infinity"
    assert document["action"]["action"]["n"] == 2


def test_a_robot():
    pytest.importorskip("rpent_robot_libero")
    document = json.loads(smith("inspect", "robot", "libero", "--json").stdout)
    assert document["robot"] == "libero"


def test_compat_of_three_in_any_order(tmp_path):
    pytest.importorskip("rpent_robot_libero")
    policy, data = onnx_policy(tmp_path / "p.onnx"), lerobot_v21(tmp_path / "data")
    result = smith("inspect", "compat", data, policy, "robot:libero", "--json")
    document = json.loads(result.stdout)
    assert (result.exit_code, document["compatible"], len(document["pairs"])) == (1, False, 3)
    assert document["pairs"][0]["compatible"]


@pytest.mark.parametrize(
    ("words", "code", "what"),
    [
        (("inspect", "policy", "nowhere"), 2, "not a file or folder"),
        (("inspect", "dataset", "Pendulum-v1"), 2, "is an environment"),
        (("inspect", "env", "nowhere"), 2, "nowhere"),
        (("inspect", "compat", "Pendulum-v1"), 2, "two or three"),
        (("inspect", "compat", "Pendulum-v1", "cartpole"), 2, "not compared"),
        (("integrate", "nowhere", "Pendulum-v1", "--out", "out"), 2, "nowhere"),
    ],
)
def test_mistakes_are_one_sentence(words, code, what, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = smith(*words)
    assert (result.exit_code, result.stdout) == (code, "")
    assert what in result.stderr
    assert "Traceback" not in result.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("link", ["state", "=a", "state=", "state=a+", "nothing=observation.state"])
def test_odd_links_are_one_sentence(tmp_path, link):
    policy, data = onnx_policy(tmp_path / "p.onnx"), lerobot_v21(tmp_path / "data")
    assert smith("inspect", "compat", policy, data, "--map", link).exit_code == 2


def test_integrate_writes_four_files_that_are_the_same_again(tmp_path):
    policy, data = onnx_policy(tmp_path / "p.onnx", chunk=4), lerobot_v21(tmp_path / "data")
    words = ("integrate", policy, data, "--python", sys.executable, "--execute-steps", 2)
    result = smith(*words, "--out", tmp_path / "one", "--json")
    document = json.loads(result.stdout)
    assert (result.exit_code, document["outcome"], document["validation"]["status"]) == (0, "valid", "passed")
    assert document["validation"]["recorded_error"] == pytest.approx([0.0] * 6, abs=1e-6)
    assert smith(*words, "--out", tmp_path / "two", "--quiet").exit_code == 0
    for name in document["files"]:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes(), name


def test_a_wrapper_is_written_for_what_does_not_fit_and_the_exit_code_says_so(tmp_path):
    policy = onnx_policy(tmp_path / "p.onnx", action=4)
    words = ("integrate", policy, lerobot_v21(tmp_path / "data"), "--python", sys.executable)
    result = smith(*words, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "NOT compatible" in result.stdout
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "wrapper.py",
        "mapping.json",
        "compatibility.json",
        "report.md",
    }


def test_the_written_wrapper_runs_by_itself(tmp_path):
    policy, data = onnx_policy(tmp_path / "p.onnx", chunk=4), lerobot_v21(tmp_path / "data")
    smith("integrate", policy, data, "--python", sys.executable, "--out", tmp_path / "out", "--no-validate")
    code = (
        "import sys, numpy as np; sys.path.insert(0, sys.argv[1]); import wrapper\n"
        "assert not [name for name in sys.modules if name.startswith('rpent')]\n"
        "made = wrapper.load(sys.argv[2]); made.reset()\n"
        "print(made.act({'observation.state': np.arange(6.0)}).tolist())"
    )
    words = [sys.executable, "-c", code, str(tmp_path / "out"), str(policy)]
    printed = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert json.loads(printed) == [0.0, 0.5, 1.0, 1.5, 2.0, 2.5]


def test_names_of_a_dataset_cannot_leave_the_report_or_the_wrapper(tmp_path):
    odd = 'a"""\n<script>|`x`'
    arrays = {odd.replace("/", ""): __import__("numpy").ones((4, 6))}
    data = hdf5_dataset(
        tmp_path / "d.hdf5", arrays, __import__("numpy").random.default_rng(0).normal(size=(4, 6))
    )
    policy = onnx_policy(tmp_path / "p.onnx")
    result = smith("integrate", policy, data, "--python", sys.executable, "--out", tmp_path / "out")
    assert result.exit_code in {0, 1}, result.output
    compile((tmp_path / "out/wrapper.py").read_text(), "wrapper.py", "exec")
    assert "\n<script>" not in (tmp_path / "out/report.md").read_text()


@pytest.mark.parametrize(
    "words", [("inspect",), ("inspect", "policy"), ("inspect", "compat"), ("integrate",)]
)
def test_help_imports_nothing_heavy(words):
    code = (
        "import sys; from rpent.cli.root import main\n"
        f"try: main(['smith', *{words!r}, '--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'pydantic', 'langgraph', 'gymnasium', 'h5py', 'pyarrow', 'onnxruntime'}\n"
        "print('HEAVY', sorted(heavy & set(sys.modules)))"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "HEAVY []" in printed
