"""What a planner says before a run, and what a provider's fault makes of one."""

from __future__ import annotations

import json

import pytest
from rpent.planners.faults import ModelError, model_error
from rpent.run import Limits, resume
from rpent.runs.events import SessionEnded, read_events
from rpent.testing.fake_robot.robot import solution
from rpent.testing.registry import FakeRegistry
from rpent.testing.scripted_planner import ScriptedPlanner


def no_key(*_):
    raise model_error("key", planner="scripted", key_variable="A_KEY_THAT_IS_NOT_SET")


def busy(*_):
    raise model_error("overloaded", planner="scripted", model="m", detail="Overloaded")


def test_a_fault_that_the_check_finds_leaves_nothing(run_fake, tmp_path, monkeypatch):
    monkeypatch.setattr(ScriptedPlanner, "check", no_key, raising=False)
    with pytest.raises(ModelError, match="has no key: `A_KEY_THAT_IS_NOT_SET` is not set") as caught:
        run_fake(solution())
    assert caught.value.exit_code == 3
    assert not (tmp_path / "runs").exists()


def test_the_check_sees_the_limits(run_fake, monkeypatch):
    seen = []
    monkeypatch.setattr(ScriptedPlanner, "check", lambda _, limits: seen.append(limits), raising=False)
    limits = Limits(cost_limit_usd=2.5)
    assert run_fake(solution(), limits=limits).exit_code == 0
    assert seen == [limits]


def test_a_fault_during_the_run_is_its_detail_and_it_goes_on(run_fake, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def busy_at_the_fourth(_session, index):
        if index == 3:
            busy()

    monkeypatch.setattr(ScriptedPlanner, "on_turn", staticmethod(busy_at_the_fourth))
    outcome = run_fake(solution())
    assert outcome.exit_code == 3
    assert outcome.detail == "The provider of `m` is overloaded or failing (Overloaded)."
    command = f"rpent resume runs/{outcome.run_dir.name}"
    assert outcome.hint.endswith(f"Then `{command}` goes on from here, also with `--model …`.")
    ended = next(
        event for event in read_events(outcome.run_dir / "events.jsonl") if event.type == "session_ended"
    )
    assert isinstance(ended, SessionEnded)
    assert ended.detail == outcome.detail
    monkeypatch.setattr(ScriptedPlanner, "on_turn", None)
    again = resume(outcome.run_dir, registry=FakeRegistry(), progress="quiet")
    assert again.exit_code == 0


def test_a_resume_is_checked_and_changes_nothing(run_fake, monkeypatch):
    outcome = run_fake(solution(), limits=Limits(max_turns=2))
    before = (outcome.run_dir / "run.json").read_bytes(), (outcome.run_dir / "events.jsonl").read_bytes()
    monkeypatch.setattr(ScriptedPlanner, "check", no_key, raising=False)
    with pytest.raises(ModelError):
        resume(outcome.run_dir, registry=FakeRegistry(), progress="quiet")
    after = (outcome.run_dir / "run.json").read_bytes(), (outcome.run_dir / "events.jsonl").read_bytes()
    assert before == after


def test_a_run_of_an_earlier_version_is_resumed(run_fake):
    outcome = run_fake(solution(), limits=Limits(max_turns=2))
    path = outcome.run_dir / "run.json"
    manifest = json.loads(path.read_text())
    limits = manifest["request"]["limits"]
    limits["max_tokens"] = limits.pop("token_limit")
    limits["max_turns"] = 100
    path.write_text(json.dumps(manifest))
    assert resume(outcome.run_dir, registry=FakeRegistry(), progress="quiet").exit_code == 0
