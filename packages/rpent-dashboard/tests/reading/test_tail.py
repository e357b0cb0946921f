import os
from pathlib import Path

import pytest
from rpent_dashboard.reading.tail import MAX_LINE, SHOWN, LineNumbers, Tail, last_lines


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "events.jsonl"


def texts(tail: Tail) -> list[bytes]:
    return [line.data for line in tail.read().lines]


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def test_lines_come_once_and_only_when_they_are_whole(log: Path) -> None:
    tail = Tail(log)
    assert tail.read().lines == []  # not there yet
    append(log, b"one\ntw")
    assert texts(tail) == [b"one"]
    assert texts(tail) == []
    append(log, b"o\n\nthree\n")
    reading = tail.read()
    assert [(line.offset, line.data) for line in reading.lines] == [(4, b"two"), (8, b""), (9, b"three")]
    assert reading.end == tail.offset == log.stat().st_size


def test_a_later_reader_goes_on_at_an_offset(log: Path) -> None:
    log.write_bytes(b"one\ntwo\nthree\n")
    assert texts(Tail(log, 4)) == [b"two", b"three"]
    assert texts(Tail(log, log.stat().st_size)) == []


@pytest.mark.parametrize("offset", [2, 5, 1000])
def test_an_offset_of_another_file_begins_anew(log: Path, offset: int) -> None:
    log.write_bytes(b"one\ntwo\n")
    reading = Tail(log, offset).read()
    assert reading.restarted
    assert [line.data for line in reading.lines] == [b"one", b"two"]


def test_a_torn_line_that_a_resume_cuts_off_is_never_shown(log: Path) -> None:
    log.write_bytes(b"one\ntorn by a ki")
    tail = Tail(log)
    assert texts(tail) == [b"one"]
    os.truncate(log, 4)
    assert not tail.read().restarted
    append(log, b"two\n")
    assert texts(tail) == [b"two"]


def test_a_shorter_file_begins_anew(log: Path) -> None:
    log.write_bytes(b"one\ntwo\n")
    tail = Tail(log)
    tail.read()
    os.truncate(log, 4)
    reading = tail.read()
    assert (reading.restarted, [line.data for line in reading.lines]) == (True, [b"one"])


def test_a_file_put_in_its_place_begins_anew(log: Path) -> None:
    log.write_bytes(b"one\n")
    tail = Tail(log)
    tail.read()
    other = log.with_name("other")
    other.write_bytes(b"two\nthree\n")
    other.replace(log)
    reading = tail.read()
    assert (reading.restarted, [line.data for line in reading.lines]) == (True, [b"two", b"three"])


def test_a_deleted_file_is_an_empty_one(log: Path) -> None:
    log.write_bytes(b"one\n")
    tail = Tail(log)
    tail.read()
    log.unlink()
    assert tail.read().restarted
    assert tail.read().lines == []
    log.write_bytes(b"new\n")
    assert texts(tail) == [b"new"]


def test_a_folder_or_a_pipe_of_that_name_is_no_log(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    assert Tail(tmp_path / "folder").read().lines == []
    assert Tail(tmp_path / "pipe").read().lines == []


def test_what_is_longer_than_a_block_is_read_in_pieces(log: Path) -> None:
    log.write_bytes(b"a" * 50 + b"\n" + b"b" * 500 + b"\nc\n")
    tail = Tail(log)
    found = []
    while (reading := tail.read(100)).lines:
        found += [line.data for line in reading.lines]
    assert found == [b"a" * 50, b"b" * 500, b"c"]


def test_of_an_overlong_line_only_the_beginning_is_kept(log: Path) -> None:
    log.write_bytes(b"x" * (MAX_LINE + 10))
    tail = Tail(log)
    assert tail.read().lines == []
    append(log, b"\nnext\n")
    (line,) = tail.read().lines
    assert (line.whole, line.data) == (False, b"x" * SHOWN)
    assert texts(tail) == [b"next"]


def test_the_rest_after_the_last_whole_line(log: Path) -> None:
    log.write_bytes(b"one\nlast words")
    tail = Tail(log)
    tail.read()
    assert tail.rest() == b"last words"
    assert tail.rest() == b""


def test_the_number_of_a_line(log: Path) -> None:
    log.write_bytes(b"one\ntwo\nthree\n")
    numbers = LineNumbers(log)
    assert [numbers.at(offset) for offset in (0, 4, 8, 8, 4)] == [1, 2, 3, 3, 2]


@pytest.mark.parametrize(("count", "offset"), [(0, 18), (1, 14), (2, 8), (3, 4), (4, 0), (9, 0)])
def test_where_the_last_lines_begin(log: Path, count: int, offset: int) -> None:
    log.write_bytes(b"one\ntwo\nthree\nfou\ntorn")
    assert last_lines(log, count) == offset


def test_the_last_lines_of_a_long_log_begin_at_a_line(log: Path) -> None:
    log.write_bytes(b"0123456789\n" * 100)
    assert last_lines(log, 50, most=50) == 1056
    assert last_lines(log.with_name("none"), 5) == 0
