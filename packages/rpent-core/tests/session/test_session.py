"""The rules that hold for every planner."""

from __future__ import annotations

import asyncio
import json
import threading
import time

import pytest
from rpent.errors import RpentError, ServiceError
from rpent.runs.events import read_events
from rpent.session import SessionEndedError, Usage
from rpent.session.limits import Limits
from rpent.session.rescue import Rescue


def events(session):
    return list(read_events(session.recorder.directory.events))


def test_an_action_ends_with_a_fresh_observation(make_session):
    session, _ = make_session()
    reply = session.call("advance", {"n": 2})
    assert reply.ok
    assert reply.data["n"] == 2
    assert reply.data["observation"] == {"steps": 2}
    assert reply.data["step"] == 1, "the opening observation is step 0"
    assert [image.caption for image in reply.images] == ["view, 64x64"]
    assert json.loads(reply.text)["observation"] == {"steps": 2}


def test_a_read_only_tool_captures_nothing(make_session):
    session, toolkit = make_session()
    reply = session.call("look")
    assert toolkit.captures == 1
    assert "step" not in reply.data
    assert (session.recorder.directory.path / reply.images[0].path).is_file()


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("advanse", {}, "did you mean `advance`"),
        ("advance", {"n": 0}, "at least 1"),
        ("advance", "{not json", "not valid JSON"),
        ("advance", {"steps": 1}, "no argument `steps`"),
        ("finish", {"status": "done"}, '"success", "failure", "stuck"'),
    ],
)
def test_a_mistake_is_a_readable_reply(make_session, name, arguments, says):
    session, toolkit = make_session()
    reply = session.call(name, arguments)
    assert not reply.ok
    assert says in reply.data["error"]
    assert not reply.ended
    assert toolkit.captures == 1
    assert session.call("advance").ok


def test_a_bug_in_a_tool_is_not_called_a_wrong_argument(make_session):
    session, _ = make_session()
    reply = session.call("crash")
    assert "has a bug (ZeroDivisionError)" in reply.data["error"]
    assert "somebody" not in reply.text
    assert "Traceback" not in reply.text
    assert "somebody" in (session.recorder.directory.logs / "run.log").read_text()


def test_a_failure_that_moved_the_robot_shows_where_it_is(make_session):
    session, _ = make_session()
    reply = session.call("fail_half_way")
    assert reply.data["error"] == "The way is blocked."
    assert reply.data["hint"] == "Go around."
    assert reply.data["observation"] == {"steps": 3}


def test_parallel_calls_run_one_at_a_time_in_order(make_session):
    session, toolkit = make_session()
    blocker = threading.Thread(target=session.call, args=("wait",))
    blocker.start()
    while not toolkit.order:
        time.sleep(0.005)
    jobs = [session._submit("advance", {"label": str(number)}, None) for number in range(20)]
    toolkit.stop_waiting.set()
    blocker.join()
    for job in jobs:
        job.wait(5)
    assert toolkit.order == ["wait", *map(str, range(20))]
    assert all(job.result.ok for job in jobs)


def test_parallel_async_calls_are_queued_too(make_session):
    session, toolkit = make_session()

    async def both():
        return await asyncio.gather(*(session.acall("advance", {"label": str(n)}) for n in range(5)))

    replies = asyncio.run(both())
    assert all(reply.ok for reply in replies)
    assert sorted(toolkit.order) == ["0", "1", "2", "3", "4"]


def test_cancelling_the_awaiting_task_cancels_the_tool(make_session):
    session, toolkit = make_session()

    async def cancel_soon():
        task = asyncio.create_task(session.acall("wait"))
        while not toolkit.order:
            await asyncio.sleep(0.005)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel_soon())
    returned = [event for event in events(session) if event.type == "tool_returned"]
    assert returned[-1].cancelled
    assert session.call("advance").ok


def test_finish_ends_at_once_and_later_calls_are_refused(make_session):
    session, toolkit = make_session()
    reply = session.call("finish", {"status": "stuck", "summary": "no way"})
    assert reply.ok
    assert reply.ended
    assert session.cancel.cancelled
    assert (session.ended.reason, session.ended.planner_status, session.ended.detail) == (
        "finished",
        "stuck",
        "no way",
    )
    later = session.call("advance")
    assert later.ended
    assert not later.ok
    assert toolkit.steps == 0
    with pytest.raises(SessionEndedError):
        session.begin_turn()


def test_a_planner_that_leaves_at_the_sessions_end_cancels_no_finish(make_session):
    session, _ = make_session()

    async def scenario():
        leaving = asyncio.create_task(session.acall("finish", {"status": "success", "summary": "Done."}))
        left = threading.Event()

        def leave():
            loop.call_soon_threadsafe(lambda: (leaving.cancel(), left.set()))
            left.wait(5)
            time.sleep(0.1)  # for the task to cancel its call

        session.cancel.on_cancel(leave)
        with pytest.raises(asyncio.CancelledError):
            await leaving

    loop = asyncio.new_event_loop()
    loop.run_until_complete(scenario())
    loop.close()
    session.close()
    (returned,) = (event for event in events(session) if event.type == "tool_returned")
    assert (returned.ok, returned.cancelled) == (True, False)


def test_an_interrupt_reaches_the_running_tool_and_the_queue(make_session):
    session, toolkit = make_session()
    replies = []
    running = threading.Thread(target=lambda: replies.append(session.call("wait")))
    running.start()
    while not toolkit.order:
        time.sleep(0.005)
    queued = session._submit("advance", {}, None)
    session.send("stop, look first", interrupt=True)
    running.join(5)
    queued.wait(5)
    assert "was cancelled" in replies[0].data["error"]
    assert "was not executed" in queued.result.data["error"]
    assert toolkit.steps == 0
    assert session.user_messages() == ["stop, look first"]
    assert session.user_messages() == []
    assert session.call("advance").ok


def test_a_tool_that_ignores_its_cancellation_does_not_hold_the_session(make_session):
    session, toolkit = make_session(limits=Limits(time_limit_s=0.3))
    started = time.monotonic()
    reply = session.call("wait", {"deaf": True})
    assert time.monotonic() - started < 10
    assert reply.ended
    assert "did not stop within 2 s" in reply.data["error"]
    assert session.ended.reason == "time_limit"
    toolkit.stop_waiting.set()


def test_the_time_limit_cancels_a_running_tool(make_session):
    session, _ = make_session(limits=Limits(time_limit_s=0.3))
    reply = session.call("wait")
    assert reply.ended
    assert session.ended.reason == "time_limit"


def test_turns_tokens_cost_and_steps_are_limited(make_session):
    session, _ = make_session(limits=Limits(max_turns=1))
    session.begin_turn()
    with pytest.raises(SessionEndedError, match="1 turns"):
        session.begin_turn()
    assert session.ended.reason == "turn_limit"

    session, _ = make_session(limits=Limits(token_limit=100))
    session.report_usage(Usage(input_tokens=90, output_tokens=20))
    with pytest.raises(SessionEndedError, match="100 tokens"):
        session.begin_turn()
    assert session.ended.reason == "cost_limit"

    session, _ = make_session(limits=Limits(cost_limit_usd=0.5))
    session.report_usage(Usage(cost_usd=0.6))
    assert session.call("advance").ended
    assert session.ended.reason == "cost_limit"
    assert session.budget.tool_calls == 0

    session, _ = make_session(limits=Limits(max_env_steps=3))
    assert not session.call("advance", {"n": 2}).ended
    assert session.call("advance", {"n": 2}).ended
    assert session.ended.reason == "step_limit"


def test_finish_is_possible_when_all_calls_are_used_up(make_session):
    session, _ = make_session(limits=Limits(max_tool_calls=1))
    session.call("advance")
    assert session.call("finish", {"status": "success"}).ok
    assert session.ended.planner_status == "success"


def test_finish_counts_in_the_response_that_used_up_the_budget(make_session):
    session, _ = make_session(limits=Limits(cost_limit_usd=0.5))
    session.report_usage(Usage(cost_usd=0.6))
    assert session.call("finish", {"status": "success"}).ok
    assert (session.ended.reason, session.ended.planner_status) == ("finished", "success")


def test_no_reminder_where_the_budget_is_used_up(make_session):
    session, _ = make_session(limits=Limits(cost_limit_usd=0.5))
    session.report_usage(Usage(cost_usd=0.6))
    assert session.nudge() is None
    assert session.ended.reason == "cost_limit"


def test_the_planner_is_told_when_little_is_left(make_session):
    session, _ = make_session(limits=Limits(max_tool_calls=4))
    assert "notices" not in session.call("advance").data
    assert "2 tool calls left" in session.call("advance").data["notices"][0]


def test_usage_is_summed(make_session):
    session, _ = make_session()
    session.report_usage(Usage(input_tokens=10, output_tokens=1, cost_usd=0.25))
    session.report_usage(Usage(input_tokens=20, output_tokens=2, model="m"))
    usage = session.budget.usage
    assert (usage.input_tokens, usage.output_tokens, usage.requests, usage.cost_usd, usage.model) == (
        30,
        3,
        2,
        0.25,
        "m",
    )


def test_a_silent_model_is_nudged_and_then_ended(make_session):
    session, _ = make_session()
    assert "finish" in session.nudge()
    assert session.nudge()
    assert session.nudge() is None
    assert session.ended.reason == "finished"
    assert session.ended.planner_status is None


def test_a_call_resets_the_nudges(make_session):
    session, _ = make_session()
    session.nudge()
    session.nudge()
    session.call("look")
    assert session.nudge()


def test_after_the_episodes_end_actions_are_a_clear_answer(make_session):
    session, toolkit = make_session()
    toolkit.over = "The episode is over: the task is done."
    reply = session.call("advance")
    assert reply.data["error"] == toolkit.over
    assert toolkit.captures == 1
    assert session.call("look").ok
    assert session.call("finish", {"status": "success"}).ok


def test_a_lost_service_is_recovered_and_the_call_stays_out_of_the_recipe(make_session):
    told: list[RpentError] = []

    def recover(error):
        told.append(error)
        return Rescue(message="The service `env` crashed and was restarted; the world is as it was.")

    session, _ = make_session(recover=recover)
    reply = session.call("lose")
    assert isinstance(told[0], ServiceError)
    assert "had no effect; call it again" in reply.data["error"]
    assert not reply.ended
    assert not session.recorder.directory.recipe.read_text()
    session.call("advance")
    assert len(session.recorder.directory.recipe.read_text().splitlines()) == 1


def test_a_service_that_cannot_be_recovered_ends_the_session(make_session):
    def recover(_):
        raise ServiceError("It did not start again.")

    session, _ = make_session(recover=recover)
    assert session.call("lose").ended
    assert session.ended.reason == "infrastructure"
    assert "signal 9" in session.ended.detail
    assert "did not start again" in session.ended.detail


def test_recovery_is_not_tried_for_ever(make_session):
    session, _ = make_session(recover=lambda _: Rescue(message="Back."))
    replies = [session.call("lose") for _ in range(5)]
    assert session.ended.reason == "infrastructure"
    assert [reply.ended for reply in replies] == [False, False, False, True, True]


def test_a_call_that_may_have_had_an_effect_is_told_so(make_session):
    rescue = Rescue(message="Service `vla` did not answer.", undone=False, restarted=False)
    session, _ = make_session(recover=lambda _: rescue)
    for _ in range(5):  # nothing was restarted, so nothing is counted
        reply = session.call("lose")
        assert "`lose` may have had an effect" in reply.data["error"]
        assert not reply.ended


def test_a_long_result_is_shortened_and_stays_json(make_session):
    session, _ = make_session()
    reply = session.call("long_list")
    assert len(reply.text) <= 20_000
    assert "more" in str(json.loads(reply.text)["values"][-1])
    assert len(reply.data["values"]) == 100_000


def test_what_the_planner_says_is_in_the_transcript(make_session):
    session, _ = make_session()
    session.begin_turn()
    session.think("hm")
    session.say("I will look.")
    session.call("look", call_id="c7")
    entries = json.loads(session.recorder.directory.transcript.read_text())["entries"]
    assert {"role": "assistant", "turn": 1, "thinking": "hm"} in entries
    assert {"role": "assistant", "turn": 1, "text": "I will look."} in entries
    assert [entry["call_id"] for entry in entries if "call_id" in entry] == ["c7", "c7"]
    assert "base64" not in json.dumps(entries)


def test_progress_goes_to_the_events_without_the_frames(make_session):
    session, toolkit = make_session()
    threading.Timer(0.3, toolkit.stop_waiting.set).start()
    session.call("wait")
    progress = [event for event in events(session) if event.type == "tool_progress"]
    assert progress
    assert len(progress) < 5, "progress is throttled"
    assert "frame" not in progress[0].data


def test_hostile_arguments_do_not_end_the_session(make_session):
    session, _ = make_session()
    nested = current = {}
    for _ in range(500):
        current["a"] = {}
        current = current["a"]
    for arguments in ("[" * 100_000, nested, ["not", "an", "object"], 7, b"\xff"):
        reply = session.call("advance", arguments)
        assert not reply.ok
        assert not reply.ended
    assert session.call("advance").ok


def test_half_a_surrogate_pair_is_recorded_as_a_replacement(make_session):
    session, toolkit = make_session()
    half = "half \ud83d"
    session.say(half)
    session.think(half)
    session.send(half)
    assert session.user_messages() == ["half \ufffd"]
    assert session.call("advance", '{"n": 2, "label": "\\ud83d"}', call_id="\udcff").ok
    assert session.call("advance", {"label": "\ud83d\ude00"}).ok
    assert toolkit.order == ["\ufffd", "\U0001f600"]
    assert not session.call("\ud83d", {"\ud83d": 1}).ok
    session.refused(half)
    assert session.ended.detail == "The model refused: half \ufffd"
    assert [event.text for event in events(session) if event.type == "user_message"] == ["half \ufffd"]


def test_ids_that_a_model_server_uses_again_are_told_apart(make_session):
    session, _ = make_session()
    first, second = (session.call("look", call_id="call_0") for _ in range(2))
    assert (first.call_id, second.call_id) == ("call_0", "call_0_2")
