"""Every planner, every scenario: the same outcome and the same events, whichever SDK and wire is behind it."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from rpent.testing.models import Reply

from .cases import PARAMS, Case
from .normal import normalised
from .scenario import Scenario
from .scenarios import SCENARIOS


@pytest.mark.parametrize("case", PARAMS)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.id)
def test_the_same_for_every_planner(case: Case, scenario: Scenario, drive_run: Any) -> None:
    scenario = scenario.of(case.id)
    limits = replace(scenario.limits, time_limit_s=case.start_s) if scenario.tight_s else scenario.limits
    options = {"robot_config": scenario.robot, "limits": limits, "owned_env": scenario.owned_env}
    ran = drive_run(case, lambda drive: script_of(scenario, drive), scenario.act, **options)
    outcome, server = ran.outcome, ran.server
    assert server.problems == []
    assert_same(normalised(ran.events), scenario.events)
    assert (outcome.reason, outcome.planner_status) == (scenario.reason, scenario.status), outcome.detail
    assert outcome.exit_code == scenario.exit_code
    assert scenario.detail in outcome.detail
    replies = len(scenario.script) if scenario.replies is None else scenario.replies
    assert server.script.position == replies
    scenario.last(server.last)
    check_notices(ran, scenario)
    check_messages(ran)
    check_usage(ran, replies, scenario.aborted)
    check_record(ran)


def check_messages(ran: Any) -> None:
    """Assert that the planner took every message of the user, and took it once."""
    sent = [event for event in ran.events if event.type == "user_message" and event.origin == "user"]
    assert sum(event.count for event in ran.events if event.type == "messages_delivered") == len(sent)


def script_of(scenario: Scenario, drive: Any) -> list[Reply]:
    """Return the script, with the user's word in the middle of a reply."""
    script = list(scenario.script)
    if scenario.speak_at is not None:
        at, said = scenario.speak_at, "Look before you move."
        speak = partial(drive.send, said, interrupt=scenario.interrupt, after_s=0.3)
        moment = "expect" if script[at].delay_s else "during"
        script[at] = replace(script[at], **{moment: lambda request: speak()})
    return script


def assert_same(got: list[tuple[Any, ...]], wanted: list[tuple[Any, ...]]) -> None:
    """Compare events; `...` stands for anything."""
    filled = [
        tuple(g if w is ... else w for g, w in zip(event, want, strict=False))
        if len(event) == len(want)
        else want
        for event, want in zip(got, wanted, strict=False)
    ]
    assert got == [*filled, *wanted[len(filled) :]]


def check_notices(ran: Any, scenario: Scenario) -> None:
    said = [event.text for event in ran.of("notice")]
    retries = [text for text in said if "rying again" in text]
    assert len(retries) == scenario.retries, said
    for words in scenario.notices:
        assert any(words in text for text in said), said


def check_usage(ran: Any, replies: int, aborted: int) -> None:
    """One report a reply, with tokens and cost; run.json has the sum."""
    reports = ran.of("usage")
    assert replies - aborted <= len(reports) <= replies
    assert all(report.input_tokens > 0 and report.output_tokens > 0 for report in reports)
    total = ran.manifest["usage"]
    assert total["input_tokens"] == sum(report.input_tokens for report in reports)
    assert total["cost_usd"] == pytest.approx(sum(report.cost_usd for report in reports))
    assert total["cost_usd"] > 0


def check_record(ran: Any) -> None:
    """The transcript is whole: each call has its answer, and no key or traceback is in the record."""
    entries = json.loads((ran.outcome.run_dir / "transcript.json").read_text())["entries"]
    calls = [entry["call_id"] for entry in entries if entry["role"] == "assistant" and "call_id" in entry]
    answers = [entry["call_id"] for entry in entries if entry["role"] == "tool"]
    assert sorted(calls) == sorted(answers)
    assert len(set(calls)) == len(calls)
    for path in ran.outcome.run_dir.rglob("*.json*"):
        text = path.read_text()
        assert "test-key" not in text, path
        assert "Traceback" not in text, path
