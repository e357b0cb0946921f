"""Tokens in files that people wrote or named by mistake."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from rpent.errors import UsageError
from rpent.services.tokens import MAX_TOKEN, read_or_make_token, read_token


def test_one_is_made_once_for_its_owner_alone(tmp_path):
    path = tmp_path / "new" / "token"
    assert read_or_make_token(path) == read_or_make_token(path) == path.read_text().strip()
    assert path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b" \n", "empty"),
        (b"one\ntwo\n", "plain characters"),
        (b"\xff", "cannot be read"),
        (b"x" * (MAX_TOKEN + 1), "longer"),
        (b"x" * 10_000_000, "longer"),
        (b"x" * 20 + b"\n" * 10_000, "longer"),
    ],
)
def test_what_is_no_token_is_refused(tmp_path, data, said):
    (tmp_path / "token").write_bytes(data)
    with pytest.raises(UsageError, match=said):
        read_token(tmp_path / "token")


def test_a_device_without_end_is_no_token():
    with pytest.raises(UsageError, match="plain characters"):
        read_token(Path("/dev/zero"))


def test_it_may_come_through_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "token")
    writer = threading.Thread(target=(tmp_path / "token").write_text, args=("x" * MAX_TOKEN + "\n",))
    writer.start()
    assert read_token(tmp_path / "token") == "x" * MAX_TOKEN
    writer.join()
