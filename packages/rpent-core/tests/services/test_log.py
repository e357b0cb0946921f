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
