import os

import pytest
from rpent.errors import RunDirectoryError
from rpent.services.log import ServiceLog


def write(log, text):
    descriptor = log.open()
    os.write(descriptor, text.encode())
    os.close(descriptor)


def test_the_tail_shows_the_present_process_only(tmp_path):
    log = ServiceLog(tmp_path / "logs" / "env.log")
    write(log, "from the first\n")
    write(log, "one\n\ntwo\nthree\n")
    assert log.tail(2) == ["two", "three"]
    assert log.tail() == ["one", "two", "three"]
    assert "from the first" in log.path.read_text()


def test_a_long_log_is_read_from_its_end(tmp_path):
    log = ServiceLog(tmp_path / "env.log")
    write(log, "".join(f"line {number}\n" for number in range(100_000)))
    assert log.tail(1) == ["line 99999"]


def test_bytes_that_are_no_text_do_no_harm(tmp_path):
    log = ServiceLog(tmp_path / "env.log")
    descriptor = log.open()
    os.write(descriptor, b"\xff\xfe broken\n")
    os.close(descriptor)
    assert log.tail()[0].endswith(" broken")


def test_no_log_is_an_empty_tail(tmp_path):
    assert ServiceLog(tmp_path / "none.log").tail() == []


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "logs").write_text("in the way")
    with pytest.raises(RunDirectoryError, match="cannot be written"):
        ServiceLog(tmp_path / "logs" / "env.log").open()


def test_what_is_being_loaded_is_the_last_whole_line_that_says_so(tmp_path):
    log = ServiceLog(tmp_path / "vla.log")
    write(log, "loading: of the process before\n")
    descriptor = log.open()
    assert log.loading() is None
    os.write(descriptor, b"loading: one\nloading: two\nwarning\nloading: thr")
    assert log.loading() == "two"
    assert log.loading() is None
    os.write(descriptor, b"ee (50%)\n")
    assert log.loading() == "three (50%)"
    os.write(descriptor, b"noise\n" * 10_000 + b"loading: \xff" + b"x" * 999 + b"\n")
    assert len(log.loading()) == 200
    os.close(descriptor)


def test_keys_stay_out_of_what_is_being_loaded(tmp_path, monkeypatch):
    monkeypatch.setenv("HUB_TOKEN", "hf_0123456789")
    log = ServiceLog(tmp_path / "vla.log")
    write(log, "loading: with hf_0123456789\n")
    assert log.loading() == "with $HUB_TOKEN"
