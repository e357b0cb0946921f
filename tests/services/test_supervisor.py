import threading

import pytest
from rpent.cancel import CancelToken
from rpent.errors import CancelledCallError, PluginError, ServiceError, TransportError, UsageError
from rpent.services.supervisor import Supervisor
from service_cases import HERE, counter_request, is_running, wait_until


def states(events, service="counter"):
    return [event["state"] for event in events if event["service"] == service]


def test_starts_several_services_and_calls_them(supervisor):
    supervisor.start([counter_request("one", start=10), counter_request("two", start=20)])
    assert supervisor.channels["one"].call("count") == 11
    assert supervisor.channels["two"].call("count", by=5) == 25
    assert supervisor.channels["one"].info.info == {"start": 10}
    assert supervisor.owned("one")
    assert supervisor.alive("two")


def test_the_services_start_in_parallel(supervisor, events):
    supervisor.start([counter_request("one", delay_s=0.5), counter_request("two", delay_s=0.5)])
    order = [(event["service"], event["state"]) for event in events]
    assert {state for _, state in order[:2]} == {"starting"}


def test_the_log_holds_what_the_process_wrote(supervisor, tmp_path):
    supervisor.start([counter_request()])
    assert "creating the counter" in (tmp_path / "logs" / "counter.log").read_text()


def test_a_factory_that_raises_is_one_sentence_with_the_last_log_lines(supervisor, events):
    with pytest.raises(ServiceError) as caught:
        supervisor.start([counter_request(fault="raise")])
    assert caught.value.message == "Service `counter` did not start: RuntimeError: the counter is broken."
    assert "`logs/counter.log`" in caught.value.hint
    assert "creating the counter" in caught.value.hint
    assert states(events)[-2:] == ["starting", "failed"] or states(events) == [
        "starting",
        "failed",
        "stopped",
    ]


def test_an_expected_error_of_the_factory_keeps_its_hint(supervisor):
    with pytest.raises(ServiceError, match="No GL: neither EGL nor OSMesa works here") as caught:
        supervisor.start([counter_request(fault="expected")])
    assert caught.value.hint.startswith("apt-get install libegl1")


def test_a_process_that_ends_without_a_word_shows_its_last_lines(supervisor):
    with pytest.raises(ServiceError, match="exited with code 7 while starting") as caught:
        supervisor.start([counter_request(fault="exit")])
    assert "last words" in caught.value.hint


def test_not_ready_in_time_shows_the_last_lines_and_leaves_nothing(supervisor, tmp_path):
    child = tmp_path / "child"
    with pytest.raises(ServiceError, match="was not ready within 3 s") as caught:
        supervisor.start([counter_request(fault="hang", ready_timeout_s=3, child_file=str(child))])
    assert "hanging now" in caught.value.hint
    wait_until(lambda: not is_running(int(child.read_text())))


def test_who_waits_can_be_told_not_to(supervisor, tmp_path):
    child = tmp_path / "child"

    def check():
        if child.exists() and child.read_text():
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        supervisor.start([counter_request(fault="hang", child_file=str(child))], check=check)
    wait_until(lambda: not is_running(int(child.read_text())))
    assert not supervisor.alive("counter")


def test_one_that_fails_ends_the_start_of_the_others(supervisor, tmp_path):
    child = tmp_path / "child"
    with pytest.raises(ServiceError, match="`broken`"):
        supervisor.start(
            [
                counter_request("slow", fault="hang", child_file=str(child)),
                counter_request("broken", fault="raise", delay_s=0.5),
            ]
        )
    assert not child.exists() or not is_running(int(child.read_text()))
    assert not supervisor.alive("slow")


def test_a_crash_during_a_call_is_noticed_and_explained(supervisor, events, kill):
    supervisor.start([counter_request()])
    channel = supervisor.channels["counter"]
    waiting = threading.Event()
    killer = threading.Thread(target=lambda: (waiting.wait(30), kill(supervisor.pid("counter"))))
    killer.start()
    with pytest.raises(ServiceError, match="Service `counter` was killed by SIGKILL"):
        channel.call("wait", seconds=600, timeout_s=600, on_progress=lambda _: waiting.set())
    killer.join()
    assert "crashed" in states(events)
    assert not supervisor.alive("counter")
    with pytest.raises(ServiceError, match="was killed by SIGKILL"):
        channel.call("count")


def test_an_abort_leaves_its_trace_in_the_event(supervisor, events):
    supervisor.start([counter_request()])
    with pytest.raises(ServiceError, match="was killed by SIGABRT"):
        supervisor.channels["counter"].call("crash")
    crash = next(event for event in events if event["state"] == "crashed")
    assert any("about to crash" in line for line in crash["log_tail"])


def test_restart_puts_a_new_process_behind_the_same_channel(supervisor, events, kill, tmp_path):
    supervisor.start([counter_request(start=5)])
    channel = supervisor.channels["counter"]
    assert channel.call("count") == 6
    kill(supervisor.pid("counter"))
    wait_until(lambda: "crashed" in states(events))
    supervisor.restart("counter")
    assert channel.call("count") == 6
    assert channel is supervisor.channels["counter"]
    assert states(events) == ["starting", "ready", "crashed", "restarting", "ready"]
    assert (tmp_path / "logs" / "counter.log").read_text().count("creating the counter") == 2


def test_restart_of_a_living_service_replaces_it(supervisor):
    supervisor.start([counter_request()])
    before = supervisor.pid("counter")
    supervisor.restart("counter")
    assert supervisor.pid("counter") != before
    assert not is_running(before)


def test_a_crash_ends_the_grandchildren(supervisor, events, kill):
    supervisor.start([counter_request()])
    children = [supervisor.channels["counter"].call(name) for name in ("spawn", "spawn_escaping")]
    assert all(is_running(pid) for pid in children)
    kill(supervisor.pid("counter"))
    wait_until(lambda: not any(is_running(pid) for pid in children))


def test_stop_closes_the_facade_and_ends_the_whole_group(supervisor, tmp_path, events):
    closed = tmp_path / "closed"
    supervisor.start([counter_request(closed_file=str(closed))])
    pid = supervisor.pid("counter")
    children = [supervisor.channels["counter"].call(name) for name in ("spawn", "spawn_escaping")]
    supervisor.stop()
    assert closed.read_text() == "closed"
    assert not any(is_running(each) for each in [pid, *children])
    assert states(events)[-1] == "stopped"
    with pytest.raises(ServiceError, match="was stopped"):
        supervisor.channels["counter"].call("count")
    supervisor.stop()


def test_stop_ends_a_call_that_is_under_way(supervisor):
    supervisor.start([counter_request()])
    waiting, errors = threading.Event(), []

    def call():
        try:
            supervisor.channels["counter"].call(
                "wait", seconds=600, timeout_s=600, on_progress=lambda _: waiting.set()
            )
        except (ServiceError, TransportError) as error:
            errors.append(error)

    caller = threading.Thread(target=call)
    caller.start()
    assert waiting.wait(30)
    supervisor.stop()
    caller.join(30)
    assert len(errors) == 1


def test_stop_goes_on_past_a_service_that_cannot_be_stopped(supervisor, events, monkeypatch):
    supervisor.start([counter_request("one"), counter_request("two")])
    pid = supervisor.pid("two")

    def fail():
        raise RuntimeError("cannot stop")

    monkeypatch.setattr(supervisor._services["one"], "stop", fail)
    supervisor.stop()
    assert not is_running(pid)
    assert any("cannot stop" in event.get("detail", "") for event in events)
    monkeypatch.undo()


def test_a_listener_that_raises_disturbs_nothing(tmp_path):
    def listener(event):
        raise RuntimeError("no")

    with Supervisor(logs_dir=tmp_path / "logs", on_event=listener) as supervisor:
        supervisor.start([counter_request()])
        assert supervisor.channels["counter"].call("count") == 1


def test_cancel_reaches_the_service(supervisor):
    supervisor.start([counter_request()])
    token = CancelToken()
    with pytest.raises(CancelledCallError):
        supervisor.channels["counter"].call(
            "wait", seconds=600, cancel=token, timeout_s=600, on_progress=lambda _: token.cancel()
        )
    assert supervisor.channels["counter"].call("count") == 1


def test_the_token_is_in_no_argv_and_no_environment(supervisor, monkeypatch):
    monkeypatch.setenv("RPENT_TOKEN", "token-of-an-attached-server")
    monkeypatch.setenv("SOME_API_KEY", "key-of-the-planner")
    supervisor.start([counter_request(token="very-secret-token")])
    seen = str(supervisor.channels["counter"].call("surroundings"))
    for secret in ("very-secret-token", "token-of-an-attached-server", "key-of-the-planner"):
        assert secret not in seen


@pytest.mark.parametrize("scheme", ["http", "zmq+ipc", "zmq+tcp"])
def test_the_transport_can_be_chosen(supervisor, events, scheme):
    from dataclasses import replace

    supervisor.start([replace(counter_request(), transport=scheme)])
    assert supervisor.channels["counter"].call("count") == 1
    assert events[-1]["endpoint"].startswith(f"{scheme}://")


def test_zeromq_over_ipc_is_preferred_and_its_socket_is_removed(supervisor, events):
    from pathlib import Path

    supervisor.start([counter_request()])
    scheme, _, path = events[-1]["endpoint"].partition("://")
    assert scheme == "zmq+ipc"
    assert Path(path).parent.stat().st_mode & 0o077 == 0
    supervisor.stop()
    assert not Path(path).parent.exists()


def test_an_unknown_transport_is_refused_and_leaves_no_folder(supervisor):
    from dataclasses import replace
    from pathlib import Path

    with pytest.raises(PluginError, match="carrier-pigeon"):
        supervisor.start([replace(counter_request(), transport="carrier-pigeon")])
    assert not Path(supervisor._services["counter"]._sockets).exists()


def test_a_name_twice_is_refused(supervisor):
    with pytest.raises(UsageError, match="twice"):
        supervisor.start([counter_request(), counter_request()])


def test_an_unknown_service_names_those_that_exist(supervisor):
    supervisor.start([counter_request()])
    with pytest.raises(ServiceError, match="no service `vla`; it has `counter`"):
        supervisor.restart("vla")


def test_an_unwritable_log_directory_is_one_sentence(events, tmp_path):
    from rpent.errors import RunDirectoryError

    (tmp_path / "logs").write_text("a file is in the way")
    with (
        Supervisor(logs_dir=tmp_path / "logs", on_event=events.append) as supervisor,
        pytest.raises(RunDirectoryError, match="cannot be written"),
    ):
        supervisor.start([counter_request()])


def test_a_bad_interpreter_is_found_before_anything_starts(supervisor, events, tmp_path):
    with pytest.raises(UsageError, match="is not an executable file"):
        supervisor.start([counter_request("one"), counter_request("two", python=str(tmp_path / "python"))])
    assert events == []
    supervisor.stop()


def test_a_chosen_interpreter_runs_the_agents_own_code(supervisor):
    import os
    import sys
    from dataclasses import replace

    from rpent.environments.interpreter import linked_interpreter

    overlay = linked_interpreter(sys.executable, "").overlay
    request = counter_request(python=sys.executable)
    spec = replace(request.spec, env=(("PYTHONPATH", f"{overlay}{os.pathsep}{HERE}"),))
    supervisor.start([replace(request, spec=spec)])
    surroundings = supervisor.channels["counter"].call("surroundings")
    assert surroundings["python"] == sys.executable
    assert surroundings["rpent"].startswith(str(overlay))
