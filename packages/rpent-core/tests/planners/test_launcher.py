"""The vendor's binary sees only what it needs."""

import os
import subprocess

from rpent.planners.launcher import write_launcher


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
