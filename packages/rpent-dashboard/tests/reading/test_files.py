import hashlib
import os
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from rpent.runs.pictures import encode_depth
from rpent_dashboard.reading.files import (
    depth_file,
    depth_picture,
    file_of,
    log_of,
    logs_of,
    media_type,
    picture,
)
from rpent_dashboard.reading.keys import MissingError
from rpent_dashboard.reading.newest import is_picture_path


@pytest.fixture
def run(make_run: Callable[..., Path]) -> Path:
    return make_run()


def test_a_picture_comes_for_its_hash_only(run: Path) -> None:
    data = (run / "steps/0001/table.jpg").read_bytes()
    known = hashlib.sha256(data).hexdigest()
    assert picture(run, "steps/0001/table.jpg", known) == (data, "image/jpeg")
    assert picture(run, "steps/0001/table.jpg", "-") == (data, "image/jpeg")
    with pytest.raises(MissingError):
        picture(run, "steps/0001/table.jpg", "0" * 64)


def test_pictures_of_motions(run: Path) -> None:
    (run / "clips/call_1").mkdir(parents=True)
    (run / "clips/call_1/0001.jpg").write_bytes(b"\xff\xd8\xffx")
    assert picture(run, "clips/call_1/0001.jpg", "-")[1] == "image/jpeg"


@pytest.mark.parametrize(
    "path",
    [
        "run.json",
        "steps/../run.json",
        "steps/0001/../../run.json",
        "/etc/passwd",
        "../secret.jpg",
        "steps/0001/state.json",
        "logs/x.jpg",
        "steps/x.jpg/../../../secret.jpg",
        "steps\\..\\x.jpg",
        "steps/.x.jpg",
        "steps/0009/table.jpg",
        "steps",
        "",
        "steps/\0.jpg",
        "clips/x.svg",
    ],
)
def test_nothing_else_is_a_picture(run: Path, path: str) -> None:
    (run.parent / "secret.jpg").write_bytes(b"\xff\xd8\xff")
    with pytest.raises(MissingError):
        picture(run, path, "-")


@pytest.mark.parametrize(
    "path",
    [
        "steps/../steps/0000/table.jpg",
        "steps/.0000.tmp/table.jpg",
        "steps/0000/.h.jpg",
        "steps/a\\b/table.jpg",
    ],
)
def test_a_name_that_leads_up_or_is_hidden_is_no_picture_s(path: str) -> None:
    assert not is_picture_path(path)


def test_a_picture_that_is_too_large_is_none(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rpent_dashboard.reading.files.MAX_PICTURE", 100)
    (run / "steps/0000/table.jpg").write_bytes(b"\xff\xd8\xff" + b"x" * 97)
    assert len(picture(run, "steps/0000/table.jpg", "-")[0]) == 100
    (run / "steps/0000/table.jpg").write_bytes(b"\xff\xd8\xff" + b"x" * 98)
    with pytest.raises(MissingError):
        picture(run, "steps/0000/table.jpg", "-")


def test_a_pipe_is_no_picture_and_not_waited_for(run: Path) -> None:
    os.mkfifo(run / "steps/0000/pipe.jpg")
    with pytest.raises(MissingError):
        picture(run, "steps/0000/pipe.jpg", "-")


def test_a_link_that_leads_out_of_the_run_is_no_picture(run: Path) -> None:
    (run.parent / "secret.jpg").write_bytes(b"\xff\xd8\xff")
    (run / "steps/0000/link.jpg").symlink_to(run.parent / "secret.jpg")
    (run / "clips").symlink_to(run.parent)
    for path in ("steps/0000/link.jpg", "clips/secret.jpg"):
        assert is_picture_path(path)
        with pytest.raises(MissingError):
            picture(run, path, "-")


def test_what_a_picture_is_its_bytes_say(run: Path) -> None:
    assert media_type(b"\x89PNG\r\n\x1a\n") == "image/png"
    assert media_type(b"RIFF1234WEBPVP8 ") == "image/webp"
    (run / "steps/0000/page.jpg").write_bytes(b"<html><script>alert(1)</script>")
    with pytest.raises(MissingError):
        picture(run, "steps/0000/page.jpg", "-")


def test_depth_becomes_colours(run: Path) -> None:
    depth = np.linspace(0.5, 1.5, 64, dtype=np.float32).reshape(8, 8)
    depth[0, 0] = 0
    (run / "steps/0000/depth_table.png").write_bytes(encode_depth(depth))
    data, (near, far) = depth_picture(depth_file(run, 0, "table"), None, None)
    assert 0.5 < near < 0.6
    assert 1.4 < far < 1.5
    (run / "coloured.png").write_bytes(data)
    with Image.open(run / "coloured.png") as shown:
        pixels = np.asarray(shown.convert("RGBA"))
    assert pixels[0, 0, 3] == 0
    assert (pixels[..., 3] == 255).sum() == 63
    assert pixels[0, 1, 0] > pixels[0, 1, 2]  # near is warm
    assert pixels[7, 7, 2] > pixels[7, 7, 0]
    assert depth_picture(depth_file(run, 0, "table"), 0.1, 2.0)[1] == (0.1, 2.0)


def test_depth_without_any_measurement(run: Path) -> None:
    (run / "steps/0000/depth_table.png").write_bytes(encode_depth(np.zeros((4, 4), np.float32)))
    _, limits = depth_picture(depth_file(run, 0, "table"), None, None)
    assert limits == (0.0, 0.0)


def png_head(width: int, height: int) -> bytes:
    """The beginning of a PNG that says it is so large."""
    parts = ((b"IHDR", struct.pack(">IIBBBBB", width, height, 16, 0, 0, 0, 0)), (b"IDAT", zlib.compress(b"")))
    chunks = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


@pytest.mark.parametrize("side", [5000, 30_000])
def test_depth_that_would_fill_the_memory_is_not_unpacked(
    run: Path, side: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    unpacked = []
    monkeypatch.setattr("rpent_dashboard.reading.files.decode_depth", unpacked.append)
    (run / "steps/0000/depth_table.png").write_bytes(png_head(side, side))
    with pytest.raises(MissingError):
        depth_picture(depth_file(run, 0, "table"), None, None)
    assert unpacked == []


@pytest.mark.parametrize(
    "content", [b"", b"no picture", b"\x89PNG\r\n\x1a\n torn", encode_depth(np.zeros((8, 8)))[:40]]
)
def test_depth_that_cannot_be_read(run: Path, content: bytes) -> None:
    (run / "steps/0000/depth_table.png").write_bytes(content)
    with pytest.raises(MissingError):
        depth_picture(depth_file(run, 0, "table"), None, None)


@pytest.mark.parametrize("camera", ["../../x", "", "table/../table", ".", "nothing", "a\0"])
def test_depth_of_no_camera(run: Path, camera: str) -> None:
    with pytest.raises(MissingError):
        depth_file(run, 0, camera)


@pytest.mark.parametrize(
    "name", ["recipe.jsonl", ".lock", "../x", "logs", "steps/0000/table.jpg", "/etc/passwd", ""]
)
def test_files_that_cannot_be_had(run: Path, name: str) -> None:
    with pytest.raises(MissingError):
        file_of(run, name)
    assert file_of(run, "run.json").samefile(run / "run.json")


def test_a_file_that_is_a_link_out_of_the_run(run: Path) -> None:
    (run / "episode.mp4").symlink_to("/etc/passwd")
    with pytest.raises(MissingError):
        file_of(run, "episode.mp4")


@pytest.mark.parametrize("kind", ["dashboard", "explore"])
def test_logs_of_the_run_and_of_what_its_group_shares(make_run: Callable[..., Path], kind: str) -> None:
    alone, run = make_run("alone"), make_run(f"20260922-120000_{kind}_fake/inner")
    (run / "logs/run.log").write_text("own\n")
    for parent in (alone.parent, run.parent):
        (parent / "logs").mkdir()
        (parent / "logs/vla.log").write_text("shared\n")
    assert logs_of(alone) == {}
    assert {name: path.read_text() for name, path in logs_of(run).items()} == {
        "run": "own\n",
        "vla": "shared\n",
    }
    assert log_of(run, "vla") == run.parent / "logs/vla.log"
    assert log_of(run, "later") == run / "logs/later.log"


@pytest.mark.parametrize("service", ["../run", "", ".", "a/b", "a\0", "..", "x\n"])
def test_logs_of_no_service(run: Path, service: str) -> None:
    with pytest.raises(MissingError):
        log_of(run, service)


def test_a_log_that_is_a_link_or_a_folder_is_none(run: Path) -> None:
    (run / "logs/passwd.log").symlink_to("/etc/passwd")
    (run / "logs/folder.log").mkdir()
    assert logs_of(run) == {}
    for service in ("passwd", "folder"):
        with pytest.raises(MissingError):
            log_of(run, service)


def test_a_folder_of_logs_that_is_a_link_is_none(run: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/env.log").write_text("secret\n")
    (run / "logs").rmdir()
    (run / "logs").symlink_to(tmp_path / "elsewhere")
    assert logs_of(run) == {}
    with pytest.raises(MissingError):
        log_of(run, "env")
