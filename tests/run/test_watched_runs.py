"""What a run records more when somebody watches it, over the real services."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rpent.run import RunRequest, execute
from rpent.runs import events as ev
from rpent.runs.events import read_events
from rpent.specs import DashboardSpec, FrameChannel
from rpent.testing.registry import FakeRegistry, fake_specs

MAIN, GHOST = FrameChannel(camera="top"), FrameChannel(camera="ghost")


@pytest.mark.parametrize("live", [True, False])
def test_a_run_shows_more_only_to_spectators(tmp_path, monkeypatch, live):
    specs = fake_specs()
    spec = DashboardSpec(frames=(MAIN, GHOST))  # the fake robot refuses the second one
    specs["robots"]["fake"] = replace(specs["robots"]["fake"], dashboard=spec)
    calls = [("move_to", {"xyz": [0.2, 0.1, 0.3]}), ("finish", {"status": "stuck"})]
    request = RunRequest(
        robot="fake",
        planner="scripted",
        robot_config={"step_time_s": 0.01},
        planner_config={"calls": calls},
        output_dir=tmp_path,
        progress="quiet",
        live=live,
    )
    outcome = execute(request, registry=FakeRegistry(specs))
    events = list(read_events(outcome.run_dir / "events.jsonl"))
    frames = [event for event in events if isinstance(event, ev.FrameShown)]
    opening = next(event for event in events if isinstance(event, ev.StepCaptured))
    moved = next(event for event in events if isinstance(event, ev.ToolReturned))
    assert (opening.depth, opening.views) == (["top"], [])
    assert moved.ok
    assert moved.depth == ["top"]
    assert (outcome.run_dir / "steps" / "0001" / "depth_top.png").is_file()
    assert bool(frames) == live
    assert all((outcome.run_dir / frame.image["path"]).is_file() for frame in frames)
    assert "live" not in (outcome.run_dir / "run.json").read_text()
    begin_s, end_s = moved.video_s
    assert 0 < begin_s < end_s
