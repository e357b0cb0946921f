"""A run that stopped goes on: the model is told what happened before, and sees the world as it is."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest
from rpent.cancel import CancelToken
from rpent.errors import ExitCode
from rpent.run import Limits, resume
from rpent.runs.events import read_events
from rpent.testing.fake_robot.robot import solution
from rpent.testing.models import ALWAYS, Call, Fault, ModelServer, Reply, Request
from rpent.testing.registry import FakeRegistry

from .cases import CASES, KEY, PARAMS, PRICES, Case
from .scenario import DONE, FINISH, LOOK, MOVE, SLOW

FIRST = Reply(text="First I look around.", calls=[LOOK])
NEAR = Call("move_to", {"xyz": [0.0, 0.0, 0.25]})


def knows_what_was(request: Request) -> None:
    """Assert that the model is told of the task, of what it said and did, and sees the newest picture."""
    told = request.text
    assert "put the" in told
    assert "First I look around." in told
    assert '"camera"' in told, "the reply to `look` is missing"
    assert request.pictures, "the model sees nothing"
    assert request.last.role == "user"


def script_after(*, replies: int = 2) -> list[Reply]:
    return [
        Reply(text="On we go.", calls=[NEAR], expect=knows_what_was),
        Reply(calls=[FINISH]),
    ][:replies]


def stops(how: str) -> dict[str, Any]:
    """Return how the first process comes to its end."""
    if how == "interrupted":
        cancel = CancelToken()

        def act(drive: Any, event: Any) -> None:
            if event.type == "tool_progress":
                cancel.cancel()

        return {"script": [FIRST, Reply(calls=[MOVE])], "act": act, "cancel": cancel, "robot_config": SLOW}
    if how == "model_error":
        return {"script": [FIRST, Reply(calls=[LOOK], fault=Fault(status=500, times=ALWAYS))]}
    if how == "between_call_and_result":
        return {"script": [FIRST, Reply(calls=[LOOK, MOVE, LOOK])], "limits": Limits(max_tool_calls=2)}
    return {"script": [FIRST, Reply(calls=[LOOK])], "limits": Limits(max_turns=1)}


REASONS = {
    "interrupted": "interrupted",
    "model_error": "infrastructure",
    "turn_limit": "turn_limit",
    "between_call_and_result": "turn_limit",
}


@pytest.mark.parametrize("how", list(REASONS))
@pytest.mark.parametrize("case", PARAMS)
def test_a_run_goes_on(case: Case, how: str, drive_run: Any) -> None:
    arguments = stops(how)
    first = drive_run(case, arguments.pop("script"), arguments.pop("act", None), **arguments)
    assert first.outcome.reason == REASONS[how], first.outcome.detail
    before = first.manifest["usage"]["input_tokens"]

    second = drive_run(case, script_after(), run_dir=first.outcome.run_dir, limits=Limits())
    assert second.server.problems == []
    assert (second.outcome.reason, second.outcome.planner_status) == ("finished", "failure"), (
        second.outcome.detail
    )
    assert len(second.server.requests) == 2
    assert second.manifest["usage"]["input_tokens"] > before
    assert len(second.manifest["processes"]) == 2
    turns = [event.turn for event in second.of("turn")]
    assert turns == sorted(turns)
    assert [event.seq for event in second.events] == list(range(len(second.events)))


def case(name: str) -> Case:
    return next(case for case in CASES if case.id == name)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("api-chat", "api-anthropic"),
        ("api-anthropic", "api-responses"),
        pytest.param("api-chat", "claude-code", marks=pytest.mark.sdk),
        pytest.param("claude-code", "api-chat", marks=pytest.mark.sdk),
    ],
)
def test_another_model_or_planner_goes_on(first: str, then: str, drive_run: Any) -> None:
    no_credit = Reply(calls=[LOOK], fault=Fault(status=402, type="billing_error", times=ALWAYS))
    started = drive_run(case(first), [FIRST, no_credit])
    assert started.outcome.reason == "infrastructure", started.outcome.detail
    assert "goes on from here, also with `--model …`." in started.outcome.hint

    resumed = drive_run(case(then), script_after(), run_dir=started.outcome.run_dir)
    assert resumed.server.problems == []
    assert (resumed.outcome.reason, resumed.outcome.planner_status) == ("finished", "failure")
    assert {request.wire for request in resumed.server.requests} == {case(then).wire}
    processes = [process["planner"] for process in resumed.manifest["processes"]]
    assert [process["name"] for process in processes] == [case(first).planner, case(then).planner]
    assert processes[0]["config"]["model"] == resumed.manifest["planner"]["config"]["model"]
    (event,) = resumed.of("run_resumed")
    assert event.options["model"] == processes[1]["config"]["model"]


def test_a_run_goes_on_with_another_model_from_the_command_line(
    plugin_site: Any, run_cli: Any, tmp_path: Path
) -> None:
    plugin_site.add_fake_robot()
    runs = ("--output-dir", str(tmp_path / "runs"), "--quiet")
    no_credit = Reply(calls=[LOOK], fault=Fault(status=402, type="billing_error", times=ALWAYS))
    with ModelServer([FIRST, no_credit], key=KEY) as server:
        model = ("--model", "openai-chat:test-model", "--base-url", f"{server.url}/v1")
        started = run_cli("run", "--robot", "fake", "--planner", "api", *model, *runs, "--no-video")
    assert started.exit_code == ExitCode.INFRASTRUCTURE, started.stderr
    assert "also with `--model …`" in started.stdout + started.stderr

    refused = run_cli("resume", "latest", *runs)  # the old server is gone
    assert refused.exit_code == ExitCode.INFRASTRUCTURE
    assert "cannot be reached" in refused.stderr
    with ModelServer(script_after(), key=KEY, models=("better",)) as server:
        wrong = run_cli("resume", "latest", *runs, "--model", "anthropic:worse", "--base-url", server.url)
        model = ("--model", "anthropic:better", "--base-url", server.url)
        resumed = run_cli("resume", "latest", *runs, *model)
        assert server.problems == []
    assert "The model `worse` is not served" in wrong.stderr
    assert resumed.exit_code == ExitCode.TASK_FAILED, resumed.stderr
    shown = run_cli("show", "latest", *runs[:2]).stdout
    assert "then api (model=anthropic:better, base_url=" in shown


def test_a_planner_without_a_model_goes_on(drive_run: Any) -> None:
    started = drive_run(case("api-chat"), [FIRST, Reply(calls=[LOOK])], limits=Limits(max_turns=1))
    outcome = resume(
        started.outcome.run_dir,
        registry=FakeRegistry(),
        progress="quiet",
        planner="scripted",
        planner_config={"calls": solution()},
        endpoints={},
        limits=Limits(),
    )
    assert outcome.benchmark_success is True, outcome.detail


DRIVER = """
import json, sys
from pathlib import Path
from rpent.run import RunRequest, execute
from rpent.testing.registry import FakeRegistry

if __name__ == "__main__":
    values = json.loads(sys.argv[1])
    values["output_dir"] = Path(values["output_dir"])
    execute(RunRequest(robot="fake", progress="plain", record_video=False, **values), registry=FakeRegistry())
"""


@pytest.mark.parametrize("case", PARAMS)
def test_a_killed_run_leaves_no_process_and_goes_on(case: Case, tmp_path: Path, drive_run: Any) -> None:
    script = tmp_path / "driver.py"
    script.write_text(DRIVER)
    with ModelServer([FIRST, Reply(calls=[MOVE])], key=KEY) as server:
        values = {
            "planner": case.planner,
            "planner_config": {**case.options(server), **PRICES},
            "robot_config": SLOW,
            "output_dir": str(tmp_path / "runs"),
        }
        run = subprocess.Popen([sys.executable, str(script), json.dumps(values)], stdout=subprocess.DEVNULL)
        try:
            wait_for_motion(tmp_path / "runs", run)
            (run_dir,) = (tmp_path / "runs").iterdir()
            entries = json.loads((run_dir / "transcript.json").read_text())["entries"]
            assert entries, "the transcript can be read while the run goes on"
            children = psutil.Process(run.pid).children(recursive=True)
        finally:
            run.send_signal(signal.SIGKILL)
            run.wait()
    assert children
    _, alive = psutil.wait_procs(children, timeout=20)
    assert alive == []
    assert json.loads((run_dir / "run.json").read_text())["outcome"] is None

    resumed = drive_run(case, script_after(), run_dir=run_dir, robot_config={})
    assert resumed.server.problems == []
    assert resumed.outcome.reason == "finished", resumed.outcome.detail
    lost = [event for event in resumed.of("tool_returned") if event.cancelled]
    assert len(lost) == 1
    assert resumed.of("tool_called")[-1].arguments == DONE


def wait_for_motion(runs: Path, run: subprocess.Popen[bytes]) -> None:
    """Wait until the motion is under way."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        assert run.poll() is None, "the run ended early"
        for path in runs.glob("*/events.jsonl"):
            if any(event.type == "tool_progress" for event in read_events(path)):
                return
        time.sleep(0.05)
    raise AssertionError("the motion did not begin")
