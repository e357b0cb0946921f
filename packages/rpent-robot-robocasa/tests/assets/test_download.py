"""Downloads from a host that breaks off, restarts, refuses and sends junk."""

from __future__ import annotations

import json
import random
import socket

import pytest
from rpent.errors import EnvironmentSetupError, ExitCode
from rpent_robot_robocasa.assets.fetch.download import ATTEMPTS, download

CONTENT = random.Random(0).randbytes(300_000)


@pytest.fixture
def get(tmp_path):
    """Download from an address without waiting between attempts."""
    file = tmp_path / "pack.zip"

    def start(url, **words):
        download(url, file, pause=lambda _: None, **words)
        return file.read_bytes()

    start.file, start.part = file, tmp_path / "pack.zip.part"
    return start


def test_a_file_arrives_with_progress(host, get):
    host.files["a.zip"] = CONTENT
    seen = []
    assert get(host.url("a.zip"), progress=lambda *both: seen.append(both)) == CONTENT
    assert seen[-1] == (len(CONTENT), len(CONTENT))
    assert not get.part.exists()


def test_a_file_that_is_there_is_not_asked_for(host, get):
    get.file.write_bytes(b"here")
    assert get(host.url("a.zip")) == b"here"
    assert host.asked == []


def test_what_broke_off_goes_on_where_it_stopped(host, get):
    host.files["a.zip"] = CONTENT
    host.breaks_after = [100_000, 50_000]
    assert get(host.url("a.zip")) == CONTENT
    assert [wanted for _, wanted in host.asked] == [None, "bytes=100000-", "bytes=150000-"]


def test_an_interrupted_download_goes_on_in_the_next_run(host, get):
    host.files["a.zip"] = CONTENT

    def interrupt(done, _total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        get(host.url("a.zip"), progress=interrupt)
    arrived = get.part.stat().st_size
    assert arrived > 0
    assert not get.file.exists()
    assert get(host.url("a.zip")) == CONTENT
    if arrived < len(CONTENT):
        assert host.asked[-1][1] == f"bytes={arrived}-"


def test_another_file_under_the_same_address_is_taken_from_the_beginning(host, get):
    host.files["a.zip"] = CONTENT
    host.breaks_after = [100_000] + [0] * ATTEMPTS
    with pytest.raises(EnvironmentSetupError, match=r"broke off after 0\.1 MB"):
        get(host.url("a.zip"))
    host.breaks_after, host.etag, host.files["a.zip"] = [], '"two"', CONTENT[::-1]
    assert get(host.url("a.zip")) == CONTENT[::-1]


def test_a_host_without_ranges_sends_it_all_again(host, get):
    host.files["a.zip"], host.ranges = CONTENT, False
    host.breaks_after = [100_000]
    assert get(host.url("a.zip")) == CONTENT


def test_a_part_of_another_address_is_not_gone_on_with(host, get):
    host.files |= {"a.zip": CONTENT, "b.zip": CONTENT[::-1]}
    host.breaks_after = [100_000] + [0] * ATTEMPTS
    with pytest.raises(EnvironmentSetupError):
        get(host.url("a.zip"))
    host.breaks_after = []
    assert get(host.url("b.zip")) == CONTENT[::-1]
    assert host.asked[-1] == ("/b.zip", None)


def test_a_part_that_is_complete_is_not_fetched_again(host, get):
    host.files["a.zip"] = CONTENT
    host.breaks_after = [100_000] + [0] * ATTEMPTS
    with pytest.raises(EnvironmentSetupError):
        get(host.url("a.zip"))
    get.part.write_bytes(CONTENT)
    host.breaks_after = []
    assert get(host.url("a.zip")) == CONTENT
    assert host.asked[-1][1] == f"bytes={len(CONTENT)}-"


def test_a_host_that_only_breaks_off_is_given_up(host, get):
    host.files["a.zip"] = CONTENT
    host.breaks_after = [0] * 50
    with pytest.raises(EnvironmentSetupError, match="broke off after") as caught:
        get(host.url("a.zip"))
    assert len(host.asked) == ATTEMPTS
    assert "what has arrived is kept" in caught.value.hint


def test_a_refusal_is_final(host, get):
    with pytest.raises(EnvironmentSetupError, match=r"refuses `.*` \(404 Not Found\)"):
        get(host.url("missing.zip"))
    assert len(host.asked) == 1


def test_an_unreachable_host_is_one_sentence(get):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(
        EnvironmentSetupError, match=r"The host `127\.0\.0\.1` .* cannot be reached"
    ) as caught:
        get(f"http://127.0.0.1:{port}/a.zip")
    assert caught.value.exit_code == ExitCode.INFRASTRUCTURE


def test_only_the_web_is_asked(get, tmp_path):
    (tmp_path / "a").write_bytes(b"x")
    with pytest.raises(EnvironmentSetupError, match="is no address"):
        get(f"file://{tmp_path}/a")


def test_room_is_asked_for_before_anything_is_written(host, get):
    host.files["a.zip"] = CONTENT

    def full(count):
        assert count == len(CONTENT)
        raise EnvironmentSetupError("full")

    with pytest.raises(EnvironmentSetupError, match="full"):
        get(host.url("a.zip"), room_for=full)
    assert not get.part.exists()


def test_a_disk_that_fills_up_is_not_taken_for_a_lost_connection(host, get):
    host.files["a.zip"] = CONTENT
    get.part.symlink_to("/dev/full")
    get.part.with_name("pack.zip.part.json").write_text(json.dumps({"url": host.url("a.zip")}))
    with pytest.raises(EnvironmentSetupError, match=r"cannot be written into .* \(No space left on device\)"):
        get(host.url("a.zip"))
    assert len(host.asked) == 1
