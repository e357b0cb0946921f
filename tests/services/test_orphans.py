"""Whatever happens to the agent, no process of a service is left."""

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from service_cases import HERE, is_running, wait_until

AGENT = """
import sys, time
from pathlib import Path
from service_cases import counter_request
from rpent.services.supervisor import Supervisor

folder = Path(sys.argv[1])
supervisor = Supervisor(logs_dir=folder / "logs", on_event=lambda _: None)
supervisor.start([counter_request("one"), counter_request("two")])
pids = [supervisor.pid("one"), supervisor.pid("two")]
pids += [supervisor.channels["one"].call(name) for name in ("spawn", "spawn_escaping")]
pids += [process._process.pid for process in supervisor._services.values()]
print(*pids, flush=True)
if sys.argv[2] == "busy":
    supervisor.channels["two"].call("wait", seconds=3600, timeout_s=3600)
time.sleep(3600)
"""

STARTING_AGENT = """
import sys
from contextlib import contextmanager
from pathlib import Path
from service_cases import counter_request
from rpent.services.supervisor import Supervisor

supervisor = Supervisor(logs_dir=Path(sys.argv[1]) / "logs", on_event=lambda e: print(e, flush=True))
supervisor.start([counter_request("one", fault="hang", child_file=sys.argv[1] + "/child")])
"""


@contextmanager
def agent(code, *arguments):
    """A process with a supervisor of its own; it is killed at the end, also when the test fails."""
    process = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(HERE)},
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("state", ["idle", "busy"])
def test_kill_9_of_the_agent_leaves_nothing(tmp_path, state):
    with agent(AGENT, tmp_path, state) as process:
        pids = [int(pid) for pid in process.stdout.readline().split()]
        assert len(pids) == 6
        assert all(is_running(pid) for pid in pids)
        process.kill()
    wait_until(lambda: not any(is_running(pid) for pid in pids))


def test_kill_9_of_the_agent_while_a_service_starts_leaves_nothing(tmp_path):
    child = tmp_path / "child"
    with agent(STARTING_AGENT, tmp_path) as process:
        wait_until(lambda: child.exists() and child.read_text())
        process.kill()
    wait_until(lambda: not is_running(int(child.read_text())))


def test_a_copy_of_the_agent_does_not_keep_its_services(tmp_path):
    """A forked copy has the agent's pipes too."""
    code = AGENT.replace("print(*pids", "pids.append(os.fork() or time.sleep(3600))\nprint(*pids").replace(
        "import sys", "import os, sys"
    )
    with agent(code, tmp_path, "idle") as process:
        *pids, copy = [int(pid) for pid in process.stdout.readline().split()]
        process.kill()
        try:
            wait_until(lambda: not any(is_running(pid) for pid in pids))
            assert is_running(copy)
        finally:
            os.kill(copy, signal.SIGKILL)


def test_ctrl_c_while_a_service_starts_leaves_nothing(tmp_path):
    child = tmp_path / "child"
    with agent(STARTING_AGENT, tmp_path) as process:
        wait_until(lambda: child.exists() and child.read_text())
        process.send_signal(signal.SIGINT)
        process.wait(30)
    assert not is_running(int(child.read_text()))


def test_kill_9_of_the_guardian_ends_the_service_and_is_noticed(supervisor, events, kill):
    from service_cases import counter_request

    supervisor.start([counter_request()])
    pids = [supervisor.pid("counter"), supervisor.channels["counter"].call("spawn")]
    kill(supervisor._services["counter"]._process.pid)
    wait_until(lambda: not any(is_running(pid) for pid in pids))
    wait_until(lambda: any(event["state"] == "crashed" for event in events))
    supervisor.stop()
    assert not Path(supervisor._services["counter"]._sockets).exists()


def test_a_stuck_service_is_killed_after_its_grace(supervisor, monkeypatch):
    """A service that stands still cannot close itself."""
    from service_cases import counter_request

    supervisor.start([counter_request()])
    pid = supervisor.pid("counter")
    os.kill(pid, signal.SIGSTOP)
    monkeypatch.setattr("rpent.services.process._KILL_MARGIN_S", 0.5)
    supervisor._services["counter"]._process._grace_s = 0.5
    supervisor.stop()
    assert not is_running(pid)


def test_sigterm_to_the_guardian_closes_the_service(supervisor, tmp_path, events):
    from service_cases import counter_request

    closed = tmp_path / "closed"
    supervisor.start([counter_request(closed_file=str(closed))])
    os.kill(supervisor._services["counter"]._process.pid, signal.SIGTERM)
    wait_until(lambda: any(event["state"] == "crashed" for event in events))
    assert Path(closed).read_text() == "closed"
