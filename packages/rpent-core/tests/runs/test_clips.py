"""Frames of motions, for whoever watches a run."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from rpent.runs import clips as limits
from rpent.runs import events as ev
from rpent.runs.clips import INTERVAL_S, Clips
from rpent.runs.directory import create
from rpent.runs.events import read_events
from rpent.runs.recorder import Recorder
from rpent.tools import Capture, Image

FRAME = np.zeros((64, 64, 3), np.uint8)


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def directory(tmp_path):
    return create(tmp_path, "tag", "planner")


def returned(call_id):
    return ev.ToolReturned(call_id=call_id, name="move", ok=True, data={}, text="{}")


def frames_of(directory):
    return [event for event in read_events(directory.events) if isinstance(event, ev.FrameShown)]


def test_frames_belong_to_the_call_under_way(directory, monkeypatch):
    monkeypatch.setattr(limits, "INTERVAL_S", 0.0)  # none is left out for coming too soon
    recorder = Recorder(directory, record_video=False, live=True)
    recorder.step(Capture(state={}, images=[Image(name="front", caption="", pixels=FRAME)]))
    recorder.frame(FRAME)  # between calls
    recorder.event(ev.ToolCalled(turn=1, call_id="call/1", name="move", arguments={}))
    recorder.frame(FRAME, shown=False)
    recorder.frame(FRAME)
    recorder.event(returned("call/1"))
    recorder.frame(FRAME)
    recorder.close()
    [frame] = frames_of(directory)
    assert frame.call_id == "call/1"
    assert frame.image["path"] == "clips/call-1/0000.jpg"
    assert frame.image["name"] == "front"
    data = (directory.path / frame.image["path"]).read_bytes()
    assert hashlib.sha256(data).hexdigest() == frame.image["sha256"]
    assert (frame.image["width"], frame.image["height"]) == (64, 64)


def test_without_spectators_nothing_is_kept(directory):
    recorder = Recorder(directory, record_video=False)
    recorder.event(ev.ToolCalled(turn=1, call_id="c", name="move", arguments={}))
    recorder.frame(FRAME)
    recorder.close()
    assert frames_of(directory) == []
    assert not directory.clips.exists()


def test_at_most_five_frames_a_second(directory):
    clock = Clock()
    clips = Clips(directory, clock=clock)
    kept = 0
    for _ in range(1000):  # ten seconds
        kept += clips.add("c", FRAME, "front") is not None
        clock.now += 0.01
    assert 50 <= kept <= 51


def test_a_frame_that_is_a_little_early_is_kept(directory):
    clock = Clock()
    clips = Clips(directory, clock=clock)
    kept = 0
    for number in range(50):
        kept += clips.add("c", FRAME, "front") is not None
        clock.now = 100.0 + (number + 1) * INTERVAL_S + (0.01 if number % 2 else 0.0)
    assert kept >= 48


def test_frames_become_rarer_before_the_bound_and_never_pass_it(directory, monkeypatch):
    monkeypatch.setattr(limits, "MAX_FRAMES", 16)
    clock = Clock()
    clips = Clips(directory, clock=clock)
    times = []
    for _ in range(100_000):
        if clips.add("c", FRAME, "front"):
            times.append(clock.now)
        clock.now += 0.1
    assert len(times) == 16
    between = np.diff(times)
    assert between[:7] == pytest.approx(INTERVAL_S, abs=0.11)
    assert between[9] > 1.5 * between[0]
    assert between[-1] > 4 * between[0]


def test_the_bound_holds_over_a_resume_and_for_bytes(directory, monkeypatch):
    recorder = Recorder(directory, record_video=False, live=True)
    recorder.event(ev.ToolCalled(turn=1, call_id="c", name="move", arguments={}))
    recorder.frame(FRAME)
    recorder.close()
    size = (directory.clips / "c" / "0000.jpg").stat().st_size
    monkeypatch.setattr(limits, "MAX_BYTES", 2 * size)
    assert Clips(directory, list(read_events(directory.events))).interval_s == 2 * INTERVAL_S


def test_a_resume_keeps_the_frames_that_events_name_and_drops_the_others(directory):
    recorder = Recorder(directory, record_video=False, live=True)
    recorder.event(ev.ToolCalled(turn=1, call_id="c", name="move", arguments={}))
    recorder.frame(FRAME)
    (directory.clips / "c" / "0001.jpg").write_bytes(b"written just before the kill")
    recorder = Recorder(directory, record_video=False)
    assert [path.name for path in (directory.clips / "c").iterdir()] == ["0000.jpg"]
    assert recorder.last_step == -1
    recorder.close()


def test_a_disk_that_refuses_ends_the_frames_not_the_run(directory):
    recorder = Recorder(directory, record_video=False, live=True)
    directory.clips.write_text("in the way")
    recorder.event(ev.ToolCalled(turn=1, call_id="c", name="move", arguments={}))
    recorder.frame(FRAME)
    recorder.event(returned("c"))
    recorder.close()
    assert frames_of(directory) == []


def test_large_frames_are_made_smaller(directory):
    image = Clips(directory).add("c", np.zeros((1080, 1920, 3), np.uint8), "front")
    assert max(image["width"], image["height"]) <= 512
