"""A perception server of the run that fails: the planner hears of it, the run goes on with a fresh one."""

from __future__ import annotations

from pathlib import Path

import pytest
from rpent.errors import ExitCode
from rpent.runs.events import read_events
from rpent.specs import PerceptorSpec, ServiceSpec
from rpent.testing.fake_robot.robot import solution
from rpent.testing.registry import FakeRegistry, fake_specs

SPEC = PerceptorSpec(
    name="failing",
    summary="Fails as it is told.",
    perceptor="failing_perceptor:Perceptor",
    service=ServiceSpec(
        name="perception", factory="failing_perceptor:create", config="failing_perceptor:Config"
    ),
)


@pytest.fixture
def registry(monkeypatch):
    here = str(Path(__file__).parent)
    monkeypatch.setenv("PYTHONPATH", here)
    monkeypatch.syspath_prepend(here)
    return FakeRegistry({**fake_specs(), "perceptors": {"failing": SPEC}})


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        ("crash", "The service `perception` crashed and was restarted."),
        ("hang", "The service `perception` hung and was restarted."),
        ("error", "The model ran out of memory."),
    ],
)
def test_it_is_restarted_and_the_run_goes_on(run_fake, registry, failure, message):
    calls = [("find", {"prompt": failure}), ("find", {"prompt": "cube"}), *solution()]
    planner = {"calls": calls, "retry": False}
    outcome = run_fake([], planner_config=planner, registry=registry, perceptor="failing")
    events = list(read_events(outcome.run_dir / "events.jsonl"))
    failed, again = (e for e in events if e.type == "tool_returned" and e.name == "find")
    assert failed.data["error"].startswith(message)
    assert again.data["found"] == [{"label": "cube", "box": [0, 0, 1, 1]}]
    restarted = [e.service for e in events if e.type == "service" and e.state == "restarting"]
    assert restarted == ([] if failure == "error" else ["perception"])
    assert outcome.exit_code == ExitCode.SUCCESS, outcome.detail
