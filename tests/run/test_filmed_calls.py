"""Where `episode.mp4` shows each call, over a resume too."""

from __future__ import annotations

import imageio_ffmpeg
import pytest
from rpent.run import Limits, RunRequest, execute, resume
from rpent.runs import events as ev
from rpent.runs.events import read_events
from rpent.runs.video import FPS
from rpent.testing.registry import FakeRegistry

CALLS = [
    ("move_to", {"xyz": [0.2, 0.1, 0.3]}),
    ("look", {}),
    ("set_gripper", {"gripper": "close"}),
    ("move_to", {"xyz": [0.0, 0.1, 0.2]}),
    ("finish", {"status": "stuck"}),
]


def request(output, **options):
    return RunRequest(
        robot="fake",
        planner="scripted",
        planner_config={"calls": CALLS},
        output_dir=output,
        progress="quiet",
        **options,
    )


def returned(run_dir):
    return [event for event in read_events(run_dir / "events.jsonl") if isinstance(event, ev.ToolReturned)]


def test_calls_follow_one_another_in_the_video_of_a_resumed_run(tmp_path):
    outcome = execute(request(tmp_path, limits=Limits(max_tool_calls=2)), registry=FakeRegistry())
    assert outcome.reason == "turn_limit"
    resume(outcome.run_dir, registry=FakeRegistry(), limits=Limits())
    calls = [event for event in returned(outcome.run_dir) if event.executed and event.name != "finish"]
    assert [event.name for event in calls] == ["move_to", "look", "look", "set_gripper", "move_to"]
    assert [event.video_s is None for event in calls] == [False, True, True, False, False]
    moved, _, _, gripped, moved_again = calls
    opening_s = 1 / FPS
    assert moved.video_s[0] == pytest.approx(opening_s)
    # The resumed process shows what it observes at first, in a part of its own.
    assert gripped.video_s[0] == pytest.approx(moved.video_s[1] + opening_s)
    assert moved_again.video_s[0] == pytest.approx(gripped.video_s[1])
    frames, _ = imageio_ffmpeg.count_frames_and_secs(str(outcome.run_dir / "episode.mp4"))
    assert frames == round(moved_again.video_s[1] * FPS)


def test_without_a_video_no_call_has_a_place_in_it(tmp_path):
    outcome = execute(request(tmp_path, record_video=False, live=True), registry=FakeRegistry())
    events = list(read_events(outcome.run_dir / "events.jsonl"))
    assert all(event.video_s is None for event in events if isinstance(event, ev.ToolReturned))
    assert any(isinstance(event, ev.FrameShown) for event in events), "spectators need no video"
    assert not (outcome.run_dir / "episode.mp4").exists()
