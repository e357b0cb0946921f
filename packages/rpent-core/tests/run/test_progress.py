"""What a run shows while it works."""

from __future__ import annotations

import io
import json

import pytest
from rpent.run.progress import JsonProgress, LiveProgress, PlainProgress, result_lines
from rpent.runs import events as ev
from rpent.runs.outcome import Outcome
from rpent.runs.pictures import Picture

EVENTS = [
    ev.RunStarted(robot="fake", planner="scripted", instruction="put it there", tag="fake_t0_s0", seed=0),
    ev.StageChanged(stage="services", status="started"),
    ev.StageChanged(stage="services", status="done", elapsed_s=1.25),
    ev.ToolCalled(turn=1, call_id="c", name="move_to", arguments={"xyz": [0.123456, 1.0, 2.0]}),
    ev.ToolReturned(
        call_id="c", name="move_to", ok=True, data={"ok": False, "status": "stalled", "why": ""}, text="{}"
    ),
    ev.ToolReturned(call_id="d", name="x", ok=False, data={"error": "There is no tool `x`."}, text="{}"),
    ev.ServiceState(service="env", state="crashed", detail="signal 9"),
    ev.StageChanged(stage="session", status="failed"),  # Ctrl-C
]


def test_plain_lines_say_what_happens():
    stream = io.StringIO()
    progress = PlainProgress(stream)
    for event in EVENTS:
        progress.on_event(event)
    lines = [line[11:] for line in stream.getvalue().splitlines()]
    assert lines == [
        "fake_t0_s0, planner scripted: put it there",
        "services: ready (1.2 s)",
        "→ move_to xyz [0.1235, 1, 2]",
        "  ✗ ok False, status stalled (0.0 s, 0 env steps)",
        "  ✗ There is no tool `x`. (0.0 s, 0 env steps)",
        "service env: crashed signal 9",
        "session: stopped",
    ]


def test_json_lines_are_the_events():
    result = io.StringIO()
    progress = JsonProgress(io.StringIO(), result)
    for event in EVENTS:
        progress.on_event(event)
    progress.finish(Outcome(benchmark_success=True, planner_status="success", reason="finished"))
    lines = [json.loads(line) for line in result.getvalue().splitlines()]
    assert [line["type"] for line in lines] == [event.type for event in EVENTS] + ["result"]
    assert lines[-1]["outcome"]["benchmark_success"] is True


def test_the_live_line_leaves_nothing_behind():
    stream = io.StringIO()
    progress = LiveProgress(stream)
    for event in EVENTS:
        progress.on_event(event)
    progress.close()
    assert stream.getvalue().endswith("\r\x1b[K")


def test_the_result_stands_on_a_line_of_its_own():
    screen = io.StringIO()
    progress = LiveProgress(screen, screen)
    while "…" not in screen.getvalue():
        pass
    progress.finish(Outcome(benchmark_success=True, planner_status="success", reason="finished"))
    progress.close()
    assert "\r\x1b[Kbenchmark: success\n" in screen.getvalue()
    assert screen.getvalue().endswith("success (finished)\n")


def test_the_result_names_verdict_claim_and_place(tmp_path):
    (tmp_path / "episode.mp4").write_bytes(b"x")
    outcome = Outcome(
        benchmark_success=False, planner_status="success", reason="finished", detail="Done.", run_dir=tmp_path
    )
    assert result_lines(outcome) == [
        "benchmark: not solved",
        "planner:   success (finished) Done.",
        f"run:       {tmp_path}",
        f"video:     {tmp_path / 'episode.mp4'}",
    ]


def test_a_picture_reference_holds_no_pixels():
    picture = Picture(name="a", caption="c", data=b"pixels", width=1, height=1)
    assert "pixels" not in str(picture.reference())


class Closed(io.StringIO):
    """A pipe whose reader has gone."""

    def write(self, _text):
        raise BrokenPipeError(32, "Broken pipe")


@pytest.mark.parametrize("kind", [JsonProgress, PlainProgress, LiveProgress])
def test_nobody_needs_to_read(kind):
    progress = kind(Closed(), Closed())
    for event in EVENTS:
        progress.on_event(event)
    progress.finish(Outcome(benchmark_success=True, planner_status=None, reason="finished"))
    progress.close()


def test_what_went_wrong_at_the_close_is_shown():
    outcome = Outcome(
        benchmark_success=True, planner_status=None, reason="finished", problems=("The disk is full.",)
    )
    assert "problem:   The disk is full." in result_lines(outcome)
    assert "problems" not in outcome.to_json()


def test_a_terminal_that_is_not_utf8_gets_what_it_can_show():
    raw = io.BytesIO()
    progress = PlainProgress(io.TextIOWrapper(raw, encoding="ascii"))
    for event in EVENTS:
        progress.on_event(event)
    lines = raw.getvalue().decode("ascii").splitlines()
    assert len(lines) == 7
    assert lines[2].endswith("\\u2192 move_to xyz [0.1235, 1, 2]")


HOSTILE = "\x1b]0;owned\x07\x1b[2J\rgone\u202etxt"


@pytest.mark.parametrize(
    "event",
    [
        ev.AssistantText(turn=1, text=HOSTILE),
        ev.ToolCalled(turn=1, call_id="c", name=HOSTILE, arguments={HOSTILE: HOSTILE}),
        ev.ToolReturned(call_id="c", name="x", ok=False, data={"error": HOSTILE}, text="{}"),
        ev.UserMessage(text=HOSTILE),
        ev.Notice(level="warning", text=HOSTILE),
    ],
)
def test_text_of_a_model_does_not_steer_the_terminal(event):
    stream = io.StringIO()
    PlainProgress(stream).on_event(event)
    assert not {"\x1b", "\x07", "\r", "\u202e"} & set(stream.getvalue())
    assert "gone" in stream.getvalue()


def test_the_result_neither():
    outcome = Outcome(
        benchmark_success=None, planner_status="stuck", reason="finished", detail=HOSTILE, hint=HOSTILE
    )
    result = io.StringIO()
    PlainProgress(io.StringIO(), result).finish(outcome)
    assert "\x1b" not in result.getvalue()


def test_what_a_service_loads_is_a_plain_line_or_the_live_one():
    event = ev.ServiceState(service="vla", state="loading", detail="the weights (40%)\x1b[2J")
    plain = io.StringIO()
    PlainProgress(plain).on_event(event)
    assert plain.getvalue()[11:] == "service vla: loading: the weights (40%)␛[2J\n"
    live = io.StringIO()
    progress = LiveProgress(live)
    progress.on_event(ev.StageChanged(stage="services", status="started"))
    progress.on_event(event)
    assert progress._now == "services · vla: the weights (40%)\x1b[2J"
    progress.close()
    assert "\n" not in live.getvalue()
