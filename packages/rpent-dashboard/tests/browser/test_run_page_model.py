"""The run page's model: a pure fold of events, which runs wherever JavaScript runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.browser

FOLD = """async ([batches, expression]) => {
  const { createModel, fold, sessionSeconds } = await import("/static/js/run/model.js");
  const { viewsAt } = await import("/static/js/run/model_calls.js");
  const { budgets } = await import("/static/js/run/model_usage.js");
  const model = createModel();
  for (const batch of batches) fold(model, batch);
  return ({
    kinds: () => model.items.map((item) => item.kind),
    statuses: () => model.calls.map((call) => call.status),
    dropped: () => model.items.filter((item) => item.dropped).map((item) => item.seq),
    steps: () => model.steps.map((step) => step.step),
    delivered: () => model.items.filter((item) => item.kind === "user").map((item) => item.delivered),
    seconds: () => sessionSeconds(model),
    usage: () => ({ ...model.usage, models: Object.fromEntries(model.usage.models) }),
    budgets: () => budgets(model, { max_turns: 10, token_limit: 100, cost_limit_usd: null }, 5),
    frames: () => model.calls.map((call) => call.frames.map((frame) => frame.path)),
    frameNow: () => model.latest.frame?.path ?? null,
    views: () => [...viewsAt(model, 2, ["front", "hand"])].map(([name, seen]) => [name, seen.step, seen.image.path]),
    envSteps: () => model.calls.map((call) => call.envSteps),
    marks: () => model.marks.map(({ kind, before }) => [kind, before]),
    gone: () => model.items.filter((item) => item.gone).length,
    whole: () => model.items.filter((item) => item.data !== undefined).length,
    over: () => [model.over, model.broken, model.unknown],
  })[expression]();
}"""


@pytest.fixture
def folded(offline: Any) -> Callable[..., Any]:
    """Fold batches of events and ask the model something."""
    page = offline.page()

    def fold(expression: str, *batches: list[dict[str, Any]]) -> Any:
        return page.evaluate(FOLD, [list(batches), expression])

    return fold


def numbered(events: list[dict[str, Any]], first: int = 0) -> list[dict[str, Any]]:
    """Number and stamp events."""
    return [
        {"seq": first + index, "time": 1000.0 + first + index, **event} for index, event in enumerate(events)
    ]


def called(call_id: str, *, readonly: bool = False) -> dict[str, Any]:
    """A call begins."""
    return {
        "type": "tool_called",
        "turn": 1,
        "call_id": call_id,
        "name": "move",
        "arguments": {},
        "readonly": readonly,
    }


def returned(call_id: str, **values: Any) -> dict[str, Any]:
    """A call ends."""
    done = {"ok": True, "data": {"ok": True}, "env_steps": 0, "elapsed_s": 1.0, "executed": True}
    return {"type": "tool_returned", "call_id": call_id, "name": "move", **done, **values}


def picture(camera: str, step: int) -> dict[str, Any]:
    """A reference to a picture."""
    return {"name": camera, "path": f"steps/{step:04d}/{camera}.jpg", "sha256": "ab", "width": 4, "height": 3}


def test_how_calls_went(folded: Callable[..., Any]) -> None:
    events = numbered(
        [
            *(called("a"), returned("a", env_steps=10)),
            *(called("b"), returned("b", data={"ok": False}, env_steps=25)),
            *(called("c"), returned("c", ok=False, env_steps=25)),
            *(called("d"), returned("d", ok=False, executed=False, env_steps=25)),
            *(called("e"), returned("e", cancelled=True, env_steps=40)),
            called("f"),
        ]
    )
    assert folded("statuses", events) == ["ok", "missed", "failed", "refused", "cancelled", "running"]
    assert folded("envSteps", events) == [10, 15, 0, 0, 15, 0]
    ended = numbered([{"type": "run_ended", "outcome": {}}], first=len(events))
    assert folded("statuses", events, ended)[-1] == "unfinished"


def test_batches_make_no_difference(folded: Callable[..., Any]) -> None:
    events = numbered(
        [
            called("a"),
            returned("a", step=0, images=[picture("front", 0)]),
            {"type": "text", "turn": 1, "text": "x"},
        ]
    )
    one_by_one = [[event] for event in events]
    for question in ("kinds", "statuses", "steps"):
        assert folded(question, events) == folded(question, *one_by_one)


def test_a_resume_drops_what_had_no_effect(folded: Callable[..., Any]) -> None:
    before = numbered(
        [
            {"type": "step", "step": 0, "env_steps": 0, "state": {}},
            *(called("a"), returned("a", step=1)),
            *(called("b"), returned("b", step=2)),
        ]
    )
    after = numbered(
        [{"type": "run_resumed", "step": 1, "dropped_from_seq": 3}, called("c"), returned("c", step=2)],
        first=5,
    )
    assert folded("steps", before) == [0, 1, 2]
    assert folded("steps", before, after[:1]) == [0, 1]
    assert folded("steps", before, after) == [0, 1, 2]
    assert folded("dropped", before, after) == [3]
    assert folded("marks", before, after) == [["resumed", 2]]


def test_messages_are_under_way_until_the_planner_takes_them(folded: Callable[..., Any]) -> None:
    events = numbered(
        [
            {"type": "user_message", "text": "one"},
            {"type": "messages_delivered", "count": 1},
            {"type": "user_message", "text": "two"},
        ]
    )
    assert folded("delivered", events) == [True, None]


def test_waiting_for_the_user_costs_no_time(folded: Callable[..., Any]) -> None:
    events = [
        {"type": "stage", "stage": "session", "status": "started", "time": 10.0},
        {"type": "awaiting_user", "turn": 1, "time": 15.0},
        {"type": "user_message", "text": "go on", "time": 90.0},
        {"type": "turn", "turn": 2, "time": 100.0},
        {"type": "session_ended", "reason": "finished", "time": 103.0},
        {"type": "run_ended", "outcome": {}, "time": 110.0},
    ]
    assert folded("seconds", events[:3]) == 5
    assert folded("seconds", events) == 8


def test_calls_of_the_user_cost_time(folded: Callable[..., Any]) -> None:
    events = [
        {"type": "stage", "stage": "session", "status": "started", "time": 10.0},
        {"type": "awaiting_user", "turn": 1, "time": 15.0},
        {**called("a"), "origin": "user", "time": 50.0},
        {**returned("a", elapsed_s=4.0), "origin": "user", "time": 54.0},
        {"type": "awaiting_user", "turn": 1, "time": 54.0},
        {"type": "user_message", "text": "go on", "time": 90.0},
        {"type": "turn", "turn": 2, "time": 90.0},
        {"type": "session_ended", "reason": "finished", "time": 93.0},
    ]
    assert folded("seconds", events[:4]) == 9
    assert folded("seconds", events[:6]) == 9
    assert folded("seconds", events) == 12


def test_the_time_between_a_kill_and_a_resume_costs_none(folded: Callable[..., Any]) -> None:
    events = [
        {"type": "stage", "stage": "session", "status": "started", "time": 10.0},
        {**called("a"), "time": 20.0},
        {**returned("a", ok=False, elapsed_s=0.0, cancelled=True), "time": 5000.0},
        {"type": "run_resumed", "step": -1, "time": 5000.0},
        {"type": "stage", "stage": "session", "status": "started", "time": 5010.0},
        {"type": "run_ended", "outcome": {}, "time": 5013.0},
    ]
    assert folded("seconds", events) == 13


def test_a_frame_of_a_call_whose_frames_were_let_go(folded: Callable[..., Any]) -> None:
    frames = [{"type": "frame", "call_id": name, "image": picture("front", 0)} for name in ("a", "b")]
    many = [
        event for n in range(150) for event in (called(f"c{n}"), *[{**frames[0], "call_id": f"c{n}"}] * 100)
    ]
    events = numbered([called("a"), *frames[:1] * 50, *many, frames[0]])
    assert folded("frames", events)[0] == []


def test_usage_and_budgets(folded: Callable[..., Any]) -> None:
    use = {"type": "usage", "input_tokens": 30, "output_tokens": 10, "cache_read_tokens": 5, "cost_usd": 0.25}
    events = numbered(
        [{"type": "turn", "turn": 1}, {**use, "model": "a"}, {**use, "model": "b", "cost_usd": None}]
    )
    usage = folded("usage", events)
    assert (usage["input"], usage["output"], usage["cacheRead"], usage["cost"]) == (60, 20, 10, 0.25)
    assert usage["models"]["b"]["cost"] is None
    assert folded("budgets", events) == [
        {"name": "max_turns", "value": 1, "limit": 10},
        {"name": "token_limit", "value": 80, "limit": 100},
    ]


def test_the_newest_frame_is_shown_until_the_call_ends(folded: Callable[..., Any]) -> None:
    frames = [
        {"type": "frame", "call_id": "a", "image": {"name": "front", "path": f"clips/a/{index:04d}.jpg"}}
        for index in range(500)
    ]
    events = numbered([called("a"), *frames])
    assert folded("frameNow", events) == "clips/a/0499.jpg"
    kept = folded("frames", events)[0]
    assert 60 <= len(kept) <= 121
    assert kept[0] == "clips/a/0000.jpg"
    done = numbered([returned("a", step=1, images=[picture("front", 1)])], first=len(events))
    assert folded("frameNow", events, done) is None


def test_a_camera_that_a_step_lacks_shows_its_last_picture(folded: Callable[..., Any]) -> None:
    events = numbered(
        [
            {
                "type": "step",
                "step": 0,
                "state": {},
                "images": [picture("front", 0)],
                "views": [picture("hand", 0)],
            },
            *(called("a"), returned("a", step=1, images=[picture("front", 1)])),
            *(called("b"), returned("b", step=2, images=[picture("front", 2)])),
        ]
    )
    assert folded("views", events) == [
        ["front", 2, "steps/0002/front.jpg"],
        ["hand", 0, "steps/0000/hand.jpg"],
    ]


def test_old_data_is_let_go_of(folded: Callable[..., Any]) -> None:
    size = 100_000
    events = numbered(
        [
            event | {"offset": 1, "size": size}
            for index in range(400)
            for event in (called(f"c{index}"), returned(f"c{index}", data={"ok": True}))
        ]
    )
    assert folded("gone", events) == folded("whole", events) == 200
    small = [{**event, "size": 100} for event in events]
    assert folded("whole", small) == 400


def test_strange_events_are_kept_and_counted(folded: Callable[..., Any]) -> None:
    events = [
        {"type": "broken", "line": 3, "offset": 70, "text": "{"},
        {"type": "toString"},
        {"type": None},
        {},
        {"type": "tool_returned", "call_id": "never called"},
        {"type": "frame", "call_id": "never called"},
        {"type": "usage", "input_tokens": "many"},
        {"type": "service"},
        {"type": "stage"},
        {"type": "text"},
        {"type": "attempt_ended", "attempt": 4},
        {"type": "run_ended"},
    ]
    assert folded("over", events) == [True, 1, 3]
    assert folded("kinds", events).count("unknown") == 3
