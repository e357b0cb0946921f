"""The vendor's binary sees only what it needs."""

import os
import signal
import subprocess
import sys
import threading

import pytest
from rpent.planners.launcher import launched_group, write_launcher


def seen_by_child(script, **changes):
    environment = {**os.environ, **changes}
    output = subprocess.run([script, "-c", "env -0"], env=environment, capture_output=True, check=True).stdout
    return dict(line.split("=", 1) for line in output.decode().split("\0") if line)


def test_only_what_is_kept_reaches_the_binary(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    monkeypatch.setenv("DATABASE_PASSWORD", "hidden")
    monkeypatch.setenv("LC_TIME", "C")
    monkeypatch.setenv("https_proxy", "http://proxy:1")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-2")
    script = write_launcher(tmp_path, "/bin/sh", keep={"ANTHROPIC_API_KEY", "SET_BY_SDK"})
    seen = seen_by_child(script, SET_BY_SDK="1")
    assert not {"OPENAI_API_KEY", "DATABASE_PASSWORD"} & set(seen)
    assert seen["ANTHROPIC_API_KEY"] == "sk-2"
    assert seen["SET_BY_SDK"] == "1"
    assert seen["LC_TIME"] == "C"
    assert seen["https_proxy"] == "http://proxy:1"
    assert seen["PATH"] == os.environ["PATH"]


def test_the_script_is_private_and_holds_no_value(tmp_path, monkeypatch):
    monkeypatch.setenv("ODD_SECRET", "do-not-write-me")
    script = write_launcher(tmp_path, "/bin/sh", keep=())
    assert script.stat().st_mode & 0o777 == 0o700
    assert "do-not-write-me" not in script.read_text()


def test_arguments_pass_through(tmp_path):
    script = write_launcher(tmp_path, "/bin/echo")
    output = subprocess.run([script, "a b", "$HOME", "'"], capture_output=True, text=True, check=True).stdout
    assert output == "a b $HOME '\n"


def test_it_can_lead_a_group_of_its_own(tmp_path):
    script = write_launcher(tmp_path, "/bin/sh", own_group=True)
    child = subprocess.Popen([script, "-c", "sleep 60 & echo $!; wait"], stdout=subprocess.PIPE, text=True)
    try:
        grandchild = int(child.stdout.readline())
        group = launched_group(tmp_path)
        assert group == child.pid == os.getpgid(grandchild)
        assert group != os.getpgrp()
    finally:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        child.stdout.close()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ties processes")
def test_it_can_be_tied_to_the_thread_that_starts_it(tmp_path):
    script = write_launcher(tmp_path, "/bin/sh", tied=True)
    started = []

    def start():
        child = subprocess.Popen([script, "-c", "echo up; exec sleep 60"], stdout=subprocess.PIPE)
        child.stdout.readline()
        started.append(child)

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    with started[0] as child:
        assert child.wait(20) == -signal.SIGKILL


def test_nothing_launched_has_no_group(tmp_path):
    assert launched_group(tmp_path) is None
