"""The video is streamed, survives a kill, and joins its parts."""

from __future__ import annotations

import subprocess
import sys

import imageio_ffmpeg
import numpy as np
import psutil
from rpent.runs.video import VideoWriter


def frames_of(path):
    count, _ = imageio_ffmpeg.count_frames_and_secs(str(path))
    return count


def frame(value, height=64, width=96):
    return np.full((height, width, 3), value, np.uint8)


def test_frames_are_encoded(tmp_path):
    video = VideoWriter(tmp_path / "episode.mp4")
    for value in range(0, 200, 10):
        video.add(frame(value))
    video.close()
    assert video.error == ""
    assert frames_of(tmp_path / "episode.mp4") == 20
    assert [path.name for path in tmp_path.iterdir()] == ["episode.mp4"]


def test_the_picture_is_upright(tmp_path):
    half = frame(0)
    half[:32] = 250
    video = VideoWriter(tmp_path / "episode.mp4")
    video.add(half, seconds=0.5)
    video.close()
    reader = imageio_ffmpeg.read_frames(str(tmp_path / "episode.mp4"))
    width, height = next(reader)["size"]
    seen = np.frombuffer(next(reader), np.uint8).reshape(height, width, 3)
    reader.close()
    assert seen[:28].mean() > 200
    assert seen[36:].mean() < 50


def test_other_sizes_are_fitted_to_the_first(tmp_path):
    video = VideoWriter(tmp_path / "episode.mp4")
    for size in ((64, 96), (32, 32), (1024, 2048), (63, 95)):
        video.add(frame(100, *size))
    video.close()
    assert video.error == ""
    assert frames_of(tmp_path / "episode.mp4") == 4


def test_no_frames_leave_no_file(tmp_path):
    VideoWriter(tmp_path / "episode.mp4").close()
    assert not list(tmp_path.iterdir())


def test_a_bad_frame_is_noted_not_raised(tmp_path):
    video = VideoWriter(tmp_path / "episode.mp4")
    video.add(np.zeros((4, 4), np.uint8))
    video.add(frame(1))
    video.close()
    assert "shape (4, 4)" in video.error


def test_a_kill_leaves_a_playable_part_and_no_encoder(tmp_path):
    """A process is killed while it records; the next writer joins its frames to what was saved."""
    program = (
        "import sys, time, numpy as np; from pathlib import Path; from rpent.runs.video import VideoWriter\n"
        "video = VideoWriter(Path(sys.argv[1]))\n"
        "for value in range(200): video.add(np.full((64, 96, 3), value, np.uint8))\n"
        "print('ready', flush=True); time.sleep(60)"
    )
    path = tmp_path / "episode.mp4"
    process = subprocess.Popen([sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"ready\n"
    encoders = psutil.Process(process.pid).children(recursive=True)
    assert encoders
    process.kill()
    process.wait()
    process.stdout.close()
    assert not psutil.wait_procs(encoders, timeout=10)[1]
    video = VideoWriter(path)
    for _ in range(10):
        video.add(frame(9))
    video.close()
    assert video.error == ""
    assert frames_of(path) == 210


def test_the_length_so_far_counts_what_earlier_processes_left(tmp_path):
    """Of a video that was joined, and of a part that a kill left behind."""
    path = tmp_path / "episode.mp4"
    first = VideoWriter(path)
    assert first.seconds == 0.0
    first.add(frame(10), seconds=1.0)
    first.add(frame(20))
    assert first.seconds == 1.1
    first.close()
    killed = VideoWriter(path)
    killed.add(frame(30), seconds=0.5)
    assert killed.seconds == 1.6
    killed._process.communicate()  # its encoder ends by itself; nobody joins the parts
    third = VideoWriter(path)
    assert third.seconds == 1.6
    third.add(frame(40))
    assert third.seconds == 1.7
    third.close()
    assert frames_of(path) == 17


def test_without_an_encoder_there_is_no_length(tmp_path):
    video = VideoWriter(tmp_path / "episode.mp4")
    video.add(np.zeros((4, 4), np.uint8))
    assert video.error
    assert video.seconds is None
