"""A vendor's binary that is asked about itself."""

import pytest
from rpent.planners.binary import ask_binary
from rpent.planners.faults import ModelError

FACTS = {"home": "VENDOR_HOME", "planner": "test", "sdk": "vendor-sdk", "hint": "pip install vendor-sdk"}


def script(folder, text):
    path = folder / "binary"
    path.write_text(text)
    path.chmod(0o700)
    return path


def test_it_answers_in_an_empty_surrounding(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    binary = script(
        tmp_path, '#!/bin/sh\necho "$1 ${OPENAI_API_KEY:-none}"; [ "$HOME" = "$VENDOR_HOME" ] && ls "$HOME"'
    )
    assert ask_binary(binary, "--version", **FACTS) == b"--version none\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("#!/bin/sh\nexit 3\n", "exit code 3"),
        ("#!/no/such/loader\n", "it needs glibc"),
        ("no program", "Exec format error"),
    ],
)
def test_one_that_does_not_run(tmp_path, text, why):
    with pytest.raises(ModelError) as raised:
        ask_binary(script(tmp_path, text), **FACTS)
    assert raised.value.fault == "sdk"
    assert raised.value.message == (
        f"The planner `test` cannot use the installed `vendor-sdk`: its binary does not run here: {why}."
    )
    assert raised.value.hint == "pip install vendor-sdk"
