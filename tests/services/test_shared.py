"""Services that outlive a run: lent to one supervisor after another, in real processes."""

from __future__ import annotations

import subprocess
import sys
import threading
from dataclasses import replace

import pytest
from rpent.errors import ServiceError
from rpent.services.lent import JOINED, KEPT
from rpent.services.shared import SharedServices
from rpent.services.supervisor import Supervisor
from service_cases import HERE, counter_request, is_running, wait_until


def wanted(name="counter", **values):
    request = counter_request(name, **values)
    return replace(request, spec=replace(request.spec, scope="shared"))


@pytest.fixture
def shared(tmp_path, events):
    with SharedServices(tmp_path / "shared", events.append) as services:
        yield services


@pytest.fixture
def run(tmp_path, shared):
    """Return the supervisor of a run, and what it heard."""
    started = []

    def make():
        heard = []
        supervisor = Supervisor(logs_dir=tmp_path / "logs", on_event=heard.append, shared=shared)
        started.append(supervisor)
        return supervisor, heard

    yield make
    for supervisor in started:
        supervisor.stop()


def states(events):
    return [event["state"] for event in events]


def test_one_process_serves_two_runs(run, events, tmp_path):
    first, heard = run()
    first.start([wanted(start=1), counter_request("own", start=2)])
    assert first.channels["counter"].call("count") == 2
    pid, own = first.pid("counter"), first.pid("own")
    assert first.owned("counter")
    assert first.lent("counter")
    assert not first.lent("own")
    first.stop()
    assert is_running(pid)
    assert not is_running(own)
    assert [(e["service"], e["state"]) for e in heard if e["service"] == "counter"] == [
        ("counter", "starting"),
        ("counter", "ready"),
    ]
    second, heard = run()
    second.start([wanted(start=1)])
    assert second.pid("counter") == pid
    assert second.channels["counter"] is first.channels["counter"]
    assert second.channels["counter"].call("count") == 3, "it is the same process"
    assert states(heard) == ["ready"]
    assert (heard[0]["detail"], heard[0]["pid"]) == (KEPT, pid)
    assert heard[0]["endpoint"]
    assert heard[0]["python"]
    assert states(events) == ["starting", "ready"]
    assert (tmp_path / "shared" / "counter.log").is_file()
    assert not (tmp_path / "logs" / "counter.log").exists()


def test_one_that_died_in_between_is_started_again(run, shared, kill, events):
    first, _ = run()
    first.start([wanted()])
    pid, channel = first.pid("counter"), first.channels["counter"]
    first.stop()
    kill(pid)  # nobody has noticed when the next run asks for it
    second, heard = run()
    second.start([wanted()])
    assert second.pid("counter") != pid
    assert second.channels["counter"] is channel
    assert channel.call("count") == 1
    assert states(heard)[-2:] == ["restarting", "ready"]


def test_one_that_left_its_last_call_unanswered_is_replaced(run):
    first, _ = run()
    first.start([wanted()])
    pid = first.pid("counter")
    with pytest.raises(Exception, match="did not answer"):
        first.channels["counter"].call("wait", seconds=600, timeout_s=0.3)
    first.stop()
    second, _ = run()
    second.start([wanted()])
    assert second.pid("counter") != pid


def test_one_that_dies_during_a_run_is_restarted_by_it(run, kill, events):
    first, heard = run()
    first.start([wanted()])
    kill(first.pid("counter"))
    wait_until(lambda: "crashed" in states(heard))
    assert not first.alive("counter")
    first.restart("counter")
    assert first.channels["counter"].call("count") == 1
    first.stop()
    assert states(heard) == states(events) == ["starting", "ready", "crashed", "restarting", "ready"]


@pytest.mark.parametrize("change", ["config", "transport", "spec"])
def test_one_that_was_started_otherwise_is_replaced(run, events, change):
    first, _ = run()
    first.start([wanted(start=1)])
    pid = first.pid("counter")
    first.stop()
    other = {
        "config": wanted(start=5),
        "transport": replace(wanted(start=1), transport="http"),
        "spec": wanted(start=1, ready_timeout_s=59),
    }[change]
    second, heard = run()
    second.start([other])
    assert not is_running(pid)
    assert second.channels["counter"].call("count") == other.config["start"] + 1
    assert states(heard) == ["starting", "ready"]
    assert states(events) == ["starting", "ready", "stopped", "starting", "ready"]


def test_an_endpoint_takes_its_place(run, shared, tmp_path):
    first, _ = run()
    first.start([wanted()])
    pid = first.pid("counter")
    first.stop()
    with Supervisor(logs_dir=tmp_path / "elsewhere", on_event=lambda _: None) as elsewhere:
        served = []
        elsewhere._on_event = served.append
        elsewhere.start([wanted(start=40, token="t" * 32)])
        second, _ = run()
        second.start([wanted(endpoint=served[-1]["endpoint"], token="t" * 32)])
        assert second.channels["counter"].call("count") == 41
        assert not second.owned("counter")
        assert not is_running(pid)


def test_two_runs_at_once_share_it_but_not_with_other_values(run):
    first, _ = run()
    second, heard = run()
    first.start([wanted(start=1)])
    second.start([wanted(start=1)])
    assert first.pid("counter") == second.pid("counter")
    second.stop()
    third, _ = run()
    with pytest.raises(ServiceError, match="Service `counter` is in use by another run"):
        third.start([wanted(start=2)])
    assert first.channels["counter"].call("count") == 2
    assert states(heard) == ["ready"]


def test_a_start_goes_on_for_the_next_run_when_a_run_gives_up(run, events):
    first, _ = run()
    failed = []

    def start():
        try:
            first.start([wanted(delay_s=1.0)])
        except ServiceError as error:
            failed.append(error)

    thread = threading.Thread(target=start)
    thread.start()
    wait_until(lambda: "starting" in states(events))
    first.stop()
    thread.join(20)
    assert [error.message for error in failed] == ["The run no longer waits for service `counter`."]
    second, heard = run()
    second.start([wanted(delay_s=1.0)])
    assert states(events) == ["starting", "ready"]
    assert states(heard) == ["starting", "ready"]
    assert heard[0]["detail"] == JOINED


def test_one_that_does_not_start_fails_the_run_and_is_tried_again(run):
    for _ in range(2):
        supervisor, heard = run()
        with pytest.raises(ServiceError, match="Service `counter` did not start") as caught:
            supervisor.start([wanted(fault="raise")])
        assert "`shared/counter.log`" in caught.value.hint
        assert states(heard) == ["starting", "failed"]


def test_a_run_that_is_over_restarts_nothing(run, kill, events):
    first, _ = run()
    first.start([wanted()])
    first.stop()
    kill(first.pid("counter"))
    wait_until(lambda: "crashed" in states(events))
    with pytest.raises(ServiceError, match="no longer waits"):
        first.restart("counter")


def test_close_stops_everything_once(run, shared, events):
    first, heard = run()
    first.start([wanted("one"), wanted("two")])
    pids = [first.pid("one"), first.pid("two")]
    first.stop()
    shared.close()
    shared.close()
    assert not any(is_running(pid) for pid in pids)
    assert states(events).count("stopped") == 2
    assert "stopped" not in states(heard), "the run was over"
    second, _ = run()
    with pytest.raises(ServiceError, match="the shared services were closed"):
        second.start([wanted("one")])


def test_close_ends_a_start_that_is_under_way(run, shared, events, tmp_path):
    child = tmp_path / "child"
    first, _ = run()
    failed = []

    def start():
        with pytest.raises(ServiceError) as caught:
            first.start([wanted(fault="hang", child_file=str(child))])
        failed.append(caught.value)

    thread = threading.Thread(target=start)
    thread.start()
    wait_until(child.exists)
    wait_until(child.read_text)
    shared.close()
    thread.join(20)
    assert len(failed) == 1
    wait_until(lambda: not is_running(int(child.read_text())))


KEEPER = """
import sys, time
from pathlib import Path
from rpent.services.shared import SharedServices
from rpent.services.supervisor import Supervisor
from test_shared import wanted

folder = Path(sys.argv[1])
shared = SharedServices(folder / "shared")
with Supervisor(logs_dir=folder / "logs", on_event=lambda _: None, shared=shared) as run:
    run.start([wanted()])
    pid = run.pid("counter")
print(pid, flush=True)
time.sleep(600)
"""


def test_nothing_is_left_when_the_keeper_is_killed(tmp_path):
    keeper = subprocess.Popen(
        [sys.executable, "-c", KEEPER, str(tmp_path)], cwd=HERE, stdout=subprocess.PIPE, text=True
    )
    try:
        pid = int(keeper.stdout.readline())
        assert is_running(pid)
    finally:
        keeper.kill()
        keeper.wait()
    wait_until(lambda: not is_running(pid))
