import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rpent.errors import PolicyError
from rpent.services import prctl
from rpent_policy_rldx.config import RldxConfig
from rpent_policy_rldx.policy import load
from rpent_policy_rldx.signature import signature
from rpent_policy_rldx.testing import LIBERO, make_checkpoint, make_python
from rpent_policy_rldx.testing.model import Checkpoint

from .test_policy import request

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")


def config(tmp_path, **options):
    return RldxConfig(
        checkpoint=str(make_checkpoint(tmp_path / "checkpoint")),
        rldx_python=make_python(tmp_path / "environment"),
        **options,
    )


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def gone(pid, seconds=10.0):
    deadline = time.monotonic() + seconds
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not alive(pid)


def test_a_server_is_started_for_a_checkpoint_and_ended_with_the_policy(tmp_path, capsys):
    said = []
    policy = load(
        config(tmp_path, server_args=("--verbose",)), lambda stage, fraction=None: said.append(stage)
    )
    leash = policy.facts()["launched"]
    (server,) = prctl.children(leash)
    command = Path(f"/proc/{server}/cmdline").read_bytes().decode().split("\0")
    assert policy.infer([request(policy)])[0].shape == (16, 7)
    policy.close()
    assert gone(leash)
    assert gone(server)
    assert command[command.index("--host") + 1] == "127.0.0.1"
    assert command[command.index("--embodiment-tag") + 1] == "GENERAL_EMBODIMENT"
    assert command[command.index("--device") + 1] == "cuda"
    assert "--verbose" in command
    told = [*said, *capsys.readouterr().out.splitlines()]  # a line that comes as it is ready goes to the log
    assert told.count("rldx: Starting RLDX-1 inference server...") == 1
    assert any(line.startswith("rldx: Server is ready") for line in told)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_is_left_when_the_policys_process_dies(tmp_path, number):
    program = (
        "import sys, time\n"
        "from rpent.services import prctl\n"
        "from rpent_policy_rldx.config import RldxConfig\n"
        "from rpent_policy_rldx.policy import load\n"
        "policy = load(RldxConfig.model_validate_json(sys.argv[1]), lambda *_: None)\n"
        "leash = policy.facts()['launched']\n"
        "print('pids', leash, *prctl.children(leash), flush=True)\n"
        "time.sleep(60)\n"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", program, config(tmp_path).model_dump_json()],
        stdout=subprocess.PIPE,
        text=True,
    )
    pids = []
    for line in holder.stdout:
        if line.startswith("pids"):
            pids = [int(word) for word in line.split()[1:]]
            break
    assert len(pids) == 2
    os.kill(holder.pid, number)
    holder.wait()
    holder.stdout.close()
    assert all(gone(pid) for pid in pids)


def test_a_server_that_died_is_started_again_at_the_next_question(tmp_path):
    policy = load(config(tmp_path), lambda stage, fraction=None: None)
    policy.infer([request(policy)])
    leash = policy.facts()["launched"]
    (server,) = prctl.children(leash)
    os.kill(server, signal.SIGKILL)
    with contextlib.suppress(PolicyError):  # its end may be noticed before this question or by it
        policy.infer([request(policy, step=1)])
    assert gone(leash)
    assert policy.infer([request(policy, step=2)])[0].shape == (16, 7)
    policy.close()


def test_a_server_that_cannot_load_says_why(tmp_path, monkeypatch):
    monkeypatch.setenv("FAKE_RLDX_FAILS", "CUDA out of memory. Tried to allocate 15 GiB")
    with pytest.raises(PolicyError, match="ended with code 1: RuntimeError: CUDA out of memory"):
        load(config(tmp_path), lambda stage, fraction=None: None)


def test_a_server_that_does_not_come_up_is_ended(tmp_path, monkeypatch):
    monkeypatch.setenv("FAKE_RLDX_LOAD_S", "60")
    before = set(prctl.children(os.getpid()))
    with pytest.raises(PolicyError, match=r"not ready within 1\.5 s"):
        load(config(tmp_path, launch_timeout_s=1.5), lambda stage, fraction=None: None)
    assert set(prctl.children(os.getpid())) == before


def test_interpreters_that_will_not_do(tmp_path):
    checkpoint = str(make_checkpoint(tmp_path / "checkpoint"))
    lacking = make_python(tmp_path / "lacking", has_rldx=False)
    for python, words in (
        (None, "needs `--rldx-python`"),
        (lacking, "lacks the module `rldx`"),
        (tmp_path / "none", "cannot be run"),
        (Path("/bin/false"), "is no working Python"),
    ):
        with pytest.raises(PolicyError, match=words) as error:
            load(RldxConfig(checkpoint=checkpoint, rldx_python=python), lambda *_: None)
        assert "pip install rlinf-rldx" in error.value.hint


def test_the_folder_says_what_it_takes_without_its_server(tmp_path):
    arms = Checkpoint(
        video=("top",), state={"left_arm": 6}, action={"left_arm": 6}, video_deltas=(-2, 0), horizon=8
    )
    folder = str(make_checkpoint(tmp_path, arms, tag="droid"))
    found = signature(RldxConfig(checkpoint=folder, embodiment_tag="OXE_DROID"))
    assert found.state == {"left_arm": 6}
    assert found.chunk_length == 8
    assert found.observation_steps == 2
    with pytest.raises(PolicyError, match="no embodiment `GENERAL_EMBODIMENT`") as error:
        signature(RldxConfig(checkpoint=folder))
    assert "`DROID`" in error.value.hint


def test_folders_that_are_no_checkpoint(tmp_path):
    with pytest.raises(PolicyError, match=r"has no `config\.json`"):
        signature(RldxConfig(checkpoint=str(tmp_path)))
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "pi0"}))
    with pytest.raises(PolicyError, match="checkpoint of `pi0`"):
        signature(RldxConfig(checkpoint=str(tmp_path)))
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "RLDX-1"}))
    with pytest.raises(PolicyError, match=r"processor_config\.json"):
        signature(RldxConfig(checkpoint=str(tmp_path)))
    make_checkpoint(tmp_path, LIBERO)
    (tmp_path / "processor" / "statistics.json").write_text("{")
    with pytest.raises(PolicyError, match=r"statistics\.json"):
        signature(RldxConfig(checkpoint=str(tmp_path)))
