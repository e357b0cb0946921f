"""Users: their messages, their interrupts, and a session that waits for them."""

import threading
import time

import anyio
from rpent.runs import events as ev
from rpent.runs.events import read_events
from rpent.runs.outcome import Ending
from rpent.session.limits import Limits


def events(session):
    return list(read_events(session.recorder.directory.events))


def in_thread(function):
    result = []
    thread = threading.Thread(target=lambda: result.append(function()), daemon=True)
    thread.start()
    return thread, result


def until(condition):
    deadline = time.monotonic() + 10
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert condition()


def waits(session):
    return lambda: any(isinstance(event, ev.AwaitingUser) for event in events(session))


def test_what_the_user_wrote_comes_before_a_reminder(make_session):
    session, _ = make_session()
    session.send("Use the left arm.")
    session.send("And slowly.")
    assert session.nudge() == "Use the left arm.\n\nAnd slowly."
    assert session.user_messages() == []
    assert "finish" in session.nudge()


def test_an_interactive_session_waits_for_its_user(make_session):
    session, _ = make_session(interactive=True)
    thread, result = in_thread(session.nudge)
    until(waits(session))
    session.send("Go on.")
    thread.join(10)
    assert result == ["Go on."]
    assert session.ended is None


def test_the_end_ends_the_wait(make_session):
    session, _ = make_session(interactive=True)
    thread, result = in_thread(session.nudge)
    until(waits(session))
    session.end(Ending(reason="interrupted", detail="Interrupted by the user."))
    thread.join(10)
    assert result == [None]
    assert session.ended.reason == "interrupted"


def test_waiting_uses_up_no_time(make_session):
    session, _ = make_session(interactive=True, limits=Limits(time_limit_s=0.6))
    thread, result = in_thread(session.nudge)
    until(waits(session))
    time.sleep(1.0)
    assert session.ended is None
    session.send("Go on.")
    thread.join(10)
    assert result == ["Go on."]
    assert session.cancel.wait(10), "the clock runs on"
    assert session.ended.reason == "time_limit"


def test_a_wait_that_is_given_up_takes_no_message(make_session):
    session, _ = make_session(interactive=True)

    async def give_up():
        with anyio.move_on_after(0.3):
            await session.anudge()

    anyio.run(give_up)
    assert session.ended is None
    session.send("Later.")
    assert session.user_messages() == ["Later."]


def test_async_code_waits_too(make_session):
    session, _ = make_session(interactive=True)

    async def both():
        async with anyio.create_task_group() as group:

            async def write():
                await anyio.to_thread.run_sync(until, waits(session))
                session.send("Hello.")

            group.start_soon(write)
            return await session.anudge()

    assert anyio.run(both) == "Hello."


def test_an_interrupt_reaches_the_reply_under_way(make_session):
    session, _ = make_session()
    aborted = []
    take_back = session.on_interrupt(lambda: aborted.append(session.user_messages()))
    session.send("Stop.", interrupt=True)
    assert aborted == [["Stop."]]
    take_back()
    session.interrupt()
    assert (len(aborted), session.interrupts) == (1, 2)


def test_a_refusal_ends_the_session_without_a_claim(make_session):
    session, _ = make_session()
    session.refused("I cannot\nhelp with this.")
    assert (session.ended.reason, session.ended.planner_status) == ("finished", None)
    assert session.ended.detail == "The model refused: I cannot help with this."


def test_after_an_interrupt_the_planner_hears_of_nothing_before_the_user_has_spoken(make_session):
    session, toolkit = make_session(interactive=True)
    thread, result = in_thread(lambda: session.call("wait"))
    until(lambda: toolkit.order == ["wait"])
    session.interrupt("The user interrupted.")
    until(waits(session))
    assert thread.is_alive()
    session.send("Go left instead.")
    thread.join(10)
    assert "cancelled" in result[0].text
    assert session.user_messages() == ["Go left instead."]


def test_so_it_is_in_async_code(make_session):
    session, toolkit = make_session(interactive=True)

    async def work():
        async with anyio.create_task_group() as group:
            group.start_soon(user)
            reply = await session.acall("wait")
        return reply

    async def user():
        await anyio.to_thread.run_sync(until, lambda: toolkit.order == ["wait"])
        session.interrupt()
        await anyio.to_thread.run_sync(until, waits(session))
        session.send("Go left instead.")

    assert "cancelled" in anyio.run(work).text


def test_an_interrupt_with_a_message_waits_for_nobody(make_session):
    session, toolkit = make_session(interactive=True)
    thread, result = in_thread(lambda: session.call("wait"))
    until(lambda: toolkit.order == ["wait"])
    session.send("Go left.", interrupt=True)
    thread.join(10)
    assert "cancelled" in result[0].text
    assert not waits(session)()


def test_without_a_user_nobody_is_waited_for(make_session):
    session, toolkit = make_session()
    thread, result = in_thread(lambda: session.call("wait"))
    until(lambda: toolkit.order == ["wait"])
    session.interrupt()
    thread.join(10)
    assert "cancelled" in result[0].text


def test_the_end_ends_the_hold(make_session):
    session, toolkit = make_session(interactive=True)
    thread, result = in_thread(lambda: session.call("wait"))
    until(lambda: toolkit.order == ["wait"])
    session.interrupt()
    until(waits(session))
    session.end(Ending(reason="interrupted", detail="Interrupted by the user."))
    thread.join(10)
    assert result[0].text


def test_what_was_decided_before_an_interrupt_is_not_carried_out(make_session):
    """The user interrupts between two calls, when there is nothing to cancel; `finish` waits too."""
    session, toolkit = make_session(interactive=True)
    session.interrupt()
    for name in ("advance", "finish"):
        session.interrupt()
        thread, result = in_thread(
            lambda name=name: session.call(name, {"status": "stuck"} if name == "finish" else {})
        )
        until(lambda: session.awaiting)
        session.send("Go on.")
        thread.join(10)
        assert not result[0].executed
        assert "not executed: The user interrupted." in result[0].data["error"]
        assert session.user_messages() == ["Go on."]
    assert (toolkit.steps, session.ended) == (0, None)
    assert session.call("advance").executed


def test_a_message_that_is_there_already_needs_no_wait(make_session):
    session, toolkit = make_session(interactive=True)
    session.interrupt()
    session.send("Go left.")
    assert session.nudge() == "Go left."
    assert session.call("advance").executed
    session.send("Go right.", interrupt=True)
    assert not session.call("advance").executed
    assert session.user_messages() == ["Go right."]
    assert session.call("advance").executed
    assert not waits(session)()
    assert toolkit.steps == 2
