"""Exploration: what a session learned is merged and published, and only what the benchmark confirms."""

from __future__ import annotations

import json
import os
import shutil
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from click.testing import CliRunner
from rpent.cli.memory.merge import command as merge_command
from rpent.cli.runs.list import command as list_command
from rpent.cli.show import command as show_command
from rpent.errors import ExitCode, UsageError
from rpent.memory.layout import DRAFTS
from rpent.memory.view import MemoryView
from rpent.planners.replay import ReplayPlanner
from rpent.run import Explore, Limits, RunRequest, explore, replay, resume
from rpent.runs.index import find_run, list_runs
from rpent.session.session import Session
from rpent.specs import PlannerSpec
from rpent.testing.fake_robot.robot import solution
from rpent.testing.registry import FakeRegistry, fake_specs
from rpent.testing.scripted_planner import ScriptConfig, ScriptedPlanner

SLOW = {"step_time_s": 0.05}
WRONG: list[tuple[str, Any]] = [
    ("move_to", {"xyz": [0.1, 0.0, 0.2]}),
    ("next_attempt", {"status": "failure", "lesson": "The cube is not there."}),
]
DETOUR = [("move_to", {"xyz": [-0.3, 0.3, 0.3]}), *solution()[:-1]]
AGAIN = ("next_attempt", {"status": "success", "lesson": "Solved; a shorter way is worth trying."})


def draft(path: str, text: str = "Grip low.") -> tuple[str, Any]:
    note = f"---\ntitle: Cubes\nsummary: How cubes are held.\n---\n\n{text}\n"
    return ("write_memory_draft", {"path": path, "content": note})


def seen_by(memory: Path, task: int = 0) -> MemoryView:
    return MemoryView(memory, "fake", "fake", f"fake_t{task}")


def explored(run_dir: Path) -> dict[str, Any]:
    values: dict[str, Any] = json.loads((run_dir / "run.json").read_text())["explored"]
    return values


def test_a_solved_attempt_is_published_and_drafts_are_merged(run_fake, memory_dir):
    calls = [*WRONG, draft("global/grasping.md"), draft("task-specific/fake_t0/notes.md"), *solution()]
    outcome = run_fake(calls, explore=Explore(attempts=3))
    assert outcome.problems == ()
    view = seen_by(memory_dir)
    recipe = view.recipe()
    assert recipe is not None
    assert [call.name for call in recipe.calls] == [name for name, _ in solution()]
    audit = recipe.audit
    assert (audit.run, audit.attempt, audit.benchmark_success) == (outcome.run_dir.name, 2, True)
    assert (audit.seed, audit.planner, audit.model, audit.repeated) == (0, "scripted", "script", True)
    assert "rpent-core" in audit.versions
    assert {"global/grasping.md", "task-specific/fake_t0/notes.md"} <= set(view.files)
    assert outcome.run_dir.name in view.read("global/grasping.md")
    assert explored(outcome.run_dir)["confirmed"] == 2
    assert any("attempt 1: not solved" in line for line in outcome.explored)


def test_the_shortest_confirmed_attempt_is_published(run_fake, memory_dir):
    calls = [*DETOUR, AGAIN, *solution()]
    outcome = run_fake(calls, explore=Explore(attempts=2))
    recipe = seen_by(memory_dir).recipe()
    assert recipe.audit.attempt == 2
    long, short = json.loads((outcome.run_dir / "run.json").read_text())["attempts"]
    assert short["env_steps"] < long["env_steps"]
    assert recipe.audit.env_steps == short["env_steps"]


def test_an_earlier_attempt_is_published_with_an_ending_of_its_own(run_fake, memory_dir):
    last = [("move_to", {"xyz": [0.1, 0.0, 0.2]}), ("finish", {"status": "failure", "summary": "Not again."})]
    outcome = run_fake([*solution()[:-1], AGAIN, *last], explore=Explore(attempts=2))
    assert outcome.benchmark_success is True
    calls = seen_by(memory_dir).recipe().calls
    assert [call.name for call in calls] == [name for name, _ in solution()]
    assert calls[-1].arguments["status"] == "success"
    published = memory_dir / "fake/task-specific/fake_t0/recipe.jsonl"
    again = run_fake([], planner="replay", planner_config={"recipe": str(published)})
    assert again.benchmark_success is True
    assert again.planner_status == "success"


def test_a_longer_recipe_does_not_replace_a_shorter_one(run_fake, memory_dir):
    first = run_fake(solution(), explore=Explore(attempts=1))
    second = run_fake([*DETOUR, solution()[-1]], explore=Explore(attempts=1))
    assert seen_by(memory_dir).recipe().audit.run == first.run_dir.name
    assert explored(second.run_dir)["published"] is False
    assert any("stays" in line for line in second.explored)


def test_a_claim_that_the_benchmark_does_not_confirm_is_not_published(run_fake, memory_dir):
    calls = [*WRONG[:1], ("finish", {"status": "success", "summary": "Surely done."})]
    outcome = run_fake(calls, explore=Explore(attempts=3))
    assert outcome.planner_status == "success"
    assert outcome.benchmark_success is False
    assert seen_by(memory_dir).recipe() is None


def test_a_recipe_that_does_not_solve_the_task_again_is_not_published(run_fake, memory_dir, monkeypatch):
    """What a reset cannot bring back (here: a replay that stops early) makes no recipe for others."""

    def stop_early(_: ReplayPlanner, session: Session) -> None:
        session.begin_turn()
        session.call("finish", {"status": "stuck", "summary": ""})

    monkeypatch.setattr(ReplayPlanner, "run", stop_early)
    outcome = run_fake(solution(), explore=Explore(attempts=3))
    assert outcome.benchmark_success is True
    assert seen_by(memory_dir).recipe() is None
    assert any("did not solve the task" in problem for problem in outcome.problems)


def test_a_bad_draft_is_said_and_stops_nothing_else(run_fake, memory_dir):
    calls = [draft("global/grasping.md"), *solution()]

    def spoil(event: Any) -> None:
        if event.type == "session_ended":
            folder = next(memory_dir.parent.glob("runs/*")) / DRAFTS
            (folder / "global" / "script.sh").write_text("#!/bin/sh")

    outcome = run_fake(calls, explore=Explore(), on_event=spoil)
    assert any("script.sh" in problem for problem in outcome.problems)
    view = seen_by(memory_dir)
    assert "global/grasping.md" in view.files
    assert view.recipe() is not None


def test_an_evaluation_writes_nothing(run_fake, memory_dir):
    outcome = run_fake([draft("global/grasping.md"), *solution()], memory=True)
    assert outcome.benchmark_success is True
    assert not memory_dir.exists()
    assert not (outcome.run_dir / DRAFTS).exists()


def test_the_episode_over_leaves_the_way_to_the_next_attempt(run_fake):
    calls = [*solution()[:-1], AGAIN, *solution()]
    outcome = run_fake(calls, explore=Explore(attempts=2))
    verdicts = [
        one["benchmark_success"] for one in json.loads((outcome.run_dir / "run.json").read_text())["attempts"]
    ]
    assert verdicts == [True, True]


def test_a_budget_ends_the_session_and_what_was_learned_stays(run_fake, memory_dir):
    calls = [*solution()[:-1], AGAIN, *WRONG]
    outcome = run_fake(calls, explore=Explore(attempts=3), limits=Limits(max_turns=9))
    assert outcome.reason == "turn_limit"
    assert outcome.exit_code == ExitCode.SUCCESS
    assert seen_by(memory_dir).recipe().audit.attempt == 1


def test_ctrl_c_leaves_the_memory_alone_and_resume_goes_on(start_run, memory_dir):
    calls = [draft("global/grasping.md"), *WRONG, *solution()]
    process = start_run("run", planner_config={"calls": calls}, robot_config=SLOW, explore={"attempts": 3})
    process.wait_for_event(lambda event: event["type"] == "tool_called" and event["turn"] == 6)
    process.signal(signal.SIGINT)
    code, output = process.wait(30)
    assert code == 130, output
    assert not memory_dir.exists() or not seen_by(memory_dir).files
    assert (process.run_dir / DRAFTS / "global" / "grasping.md").is_file()
    code, output = start_run("resume", run_dir=str(process.run_dir)).wait()
    assert code == 0, output
    view = seen_by(memory_dir)
    assert "global/grasping.md" in view.files
    assert view.recipe().audit.attempt == 2


def test_kill_and_resume_publish_once(start_run, memory_dir):
    calls = [draft("global/grasping.md"), *WRONG, *solution()]
    process = start_run("run", planner_config={"calls": calls}, robot_config=SLOW, explore={"attempts": 3})
    process.wait_for_event(lambda event: event["type"] == "tool_called" and event["turn"] == 6)
    process.signal(signal.SIGKILL)
    process.wait()
    assert not memory_dir.exists() or not seen_by(memory_dir).files
    code, output = start_run("resume", run_dir=str(process.run_dir)).wait()
    assert code == 0, output
    view = seen_by(memory_dir)
    assert view.recipe().audit.attempt == 2
    assert view.read("global/grasping.md").count("## From run") == 1


def cut_after(run_dir: Path, kind: str) -> None:
    """Leave a run as a kill right after the last such event would."""
    path = run_dir / "events.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    end = max(number for number, line in enumerate(lines) if json.loads(line)["type"] == kind)
    path.write_bytes(b"".join(lines[: end + 1]))
    manifest = json.loads((run_dir / "run.json").read_text())
    (run_dir / "run.json").write_text(json.dumps(manifest | {"outcome": None}))


@pytest.mark.parametrize("kind", ["session_ended", "attempt_ended"])
@pytest.mark.parametrize("merged", [True, False])
def test_a_kill_before_all_was_published(run_fake, memory_dir, kind, merged):
    outcome = run_fake([draft("global/grasping.md"), *WRONG, *solution()], explore=Explore(attempts=3))
    cut_after(outcome.run_dir, kind)
    if not merged:
        shutil.rmtree(memory_dir)
    outcome = resume(outcome.run_dir, registry=FakeRegistry(), progress="quiet")
    assert outcome.benchmark_success is True
    view = seen_by(memory_dir)
    assert view.problems == ()
    assert view.recipe().audit.attempt == 2
    assert [call.name for call in view.recipe().calls] == [name for name, _ in solution()]
    assert view.read("global/grasping.md").count("## From run") == 1


def test_a_crash_in_the_confirming_replay_publishes_nothing(run_fake, memory_dir):
    seen: dict[str, Any] = {}

    def kill(event: Any) -> None:
        if event.type == "service" and event.state == "ready":
            seen["pid"] = event.pid
        if event.type == "notice" and "is replayed from a reset" in event.text:
            os.kill(seen["pid"], signal.SIGKILL)

    calls = [draft("global/grasping.md"), *solution()]
    outcome = run_fake(calls, explore=Explore(attempts=3), on_event=kill)
    assert outcome.exit_code == ExitCode.SUCCESS
    assert any("env" in problem for problem in outcome.problems)
    view = seen_by(memory_dir)
    assert view.files == ("global/grasping.md",)


def test_two_explorations_of_one_task_keep_the_shorter_recipe(start_run, memory_dir, tmp_path):
    processes = [
        start_run(
            "run",
            planner_config={"calls": calls},
            explore={"attempts": 2},
            output_dir=str(tmp_path / f"runs{number}"),
        )
        for number, calls in enumerate([[*DETOUR, solution()[-1]], solution(), [*DETOUR, solution()[-1]]])
    ]
    for process in processes:
        code, output = process.wait()
        assert code == 0, output
    steps = [
        json.loads(path.read_text())["attempts"][0]["env_steps"]
        for path in sorted(tmp_path.glob("runs?/*/run.json"))
    ]
    assert seen_by(memory_dir).recipe().audit.env_steps == min(steps) < max(steps)


def test_two_explorations_at_once_into_one_memory(start_run, memory_dir, tmp_path):
    processes = [
        start_run(
            "run",
            planner_config={"calls": [draft("global/grasping.md", f"Number {number}."), *solution(number)]},
            robot_config={"task": number},
            explore={"attempts": 2},
            output_dir=str(tmp_path / f"runs{number}"),
        )
        for number in (0, 1)
    ]
    for process in processes:
        code, output = process.wait()
        assert code == 0, output
    text = seen_by(memory_dir).read("global/grasping.md")
    assert "Number 0." in text
    assert "Number 1." in text
    assert seen_by(memory_dir, 0).recipe() is not None
    assert seen_by(memory_dir, 1).recipe() is not None


@dataclass
class Learner:
    """Fails and notes why; where it finds a note, it does as the note says. A stand-in for a model."""

    config: ScriptConfig
    saw: ClassVar[list[list[str]]] = []

    def run(self, session: Session) -> None:
        session.begin_turn()
        files = [entry["path"] for entry in session.call("list_memory", {}).data["files"]]
        self.saw.append(files)
        if "global/grasping.md" in files:
            calls = solution()
        else:
            calls = [draft("global/grasping.md"), ("finish", {"status": "failure", "summary": "Slipped."})]
        ScriptedPlanner(ScriptConfig(calls=calls)).run(session)


@pytest.fixture
def learner():
    Learner.saw.clear()
    home = "tests.run.test_explore" if __name__.startswith("tests.") else __name__
    spec = PlannerSpec(
        name="learner",
        summary="For tests.",
        planner=f"{home}:Learner",
        config="rpent.testing.scripted_planner:ScriptConfig",
        uses_model=False,
    )
    specs = fake_specs()
    specs["planners"]["learner"] = spec
    return FakeRegistry(specs)


def test_later_sessions_see_what_earlier_ones_learned(tmp_path, memory_dir, learner):
    request = RunRequest(
        robot="fake",
        planner="learner",
        output_dir=tmp_path / "runs",
        explore=Explore(attempts=2, sessions=3),
        progress="quiet",
    )
    done = explore(request, registry=learner)
    assert [outcome.benchmark_success for outcome in done.outcomes] == [False, True, True]
    assert done.exit_code == ExitCode.SUCCESS
    first, second, third = Learner.saw
    assert "global/grasping.md" not in first
    assert "global/grasping.md" in second
    assert any(path.endswith("recipe.jsonl") for path in third)
    assert {outcome.run_dir.parent for outcome in done.outcomes} == {done.folder}
    assert done.folder.parent == tmp_path / "runs"
    assert "_explore_fake_t0_s0" in done.folder.name
    listed = list_runs(tmp_path / "runs")
    assert len(listed) == 3
    assert {run.attempts for run in listed} == {1}
    assert find_run(listed[0].name, tmp_path / "runs").samefile(listed[0].path)
    again = replay(done.outcomes[1].run_dir, registry=FakeRegistry(), progress="quiet")
    assert again.benchmark_success is True


def test_an_interrupt_ends_all_sessions(tmp_path, memory_dir, learner):
    from rpent.cancel import CancelToken

    cancel = CancelToken()
    request = RunRequest(
        robot="fake",
        planner="learner",
        output_dir=tmp_path / "runs",
        explore=Explore(sessions=3),
        progress="quiet",
    )

    def on_event(event: Any) -> None:
        if event.type == "tool_called":
            cancel.cancel("enough")

    done = explore(request, registry=learner, cancel=cancel, on_event=on_event)
    assert len(done.outcomes) == 1
    assert done.exit_code == ExitCode.INTERRUPTED
    assert not memory_dir.exists() or not seen_by(memory_dir).files


def test_what_was_resumed_is_not_published_twice(run_fake, memory_dir):
    calls = [*WRONG, *solution()]
    outcome = run_fake(calls, explore=Explore(attempts=2), limits=Limits(max_turns=4))
    outcome = resume(outcome.run_dir, limits=Limits(), registry=FakeRegistry(), progress="quiet")
    assert explored(outcome.run_dir)["confirmed"] == 2


@pytest.mark.parametrize("values", [{"attempts": 0}, {"sessions": -1}, {"attempts": 1.5}])
def test_impossible_numbers_are_refused(values):
    with pytest.raises(UsageError, match="whole number above 0"):
        Explore(**values)


def test_what_is_refused_before_it_begins_leaves_no_folder(tmp_path, monkeypatch):
    def check(*_: Any) -> None:
        raise UsageError("There is no key.")

    monkeypatch.setattr(ScriptedPlanner, "check", check, raising=False)
    request = RunRequest(
        robot="fake",
        planner="scripted",
        output_dir=tmp_path / "runs",
        explore=Explore(sessions=2),
        progress="quiet",
    )
    with pytest.raises(UsageError, match="no key"):
        explore(request, registry=FakeRegistry())
    assert list((tmp_path / "runs").iterdir()) == []


def test_lists_and_texts_tell_of_attempts(run_fake, tmp_path):
    outcome = run_fake([*WRONG, *solution()], explore=Explore(attempts=3))
    listed = CliRunner().invoke(list_command, ["--output-dir", str(tmp_path / "runs")])
    assert "put the red cube on the pad (2 attempts)" in listed.output
    shown = CliRunner().invoke(show_command, [str(outcome.run_dir)]).output
    assert "attempt     1: not solved (planner: failure" in shown
    assert "attempt     2: success (planner: success" in shown
    assert "lesson    The cube is not there." in shown


def test_an_interrupted_runs_solved_attempt_can_be_merged_by_hand(start_run, memory_dir):
    calls = [
        draft("global/grasping.md"),
        *solution()[:-1],
        AGAIN,
        *[("move_to", {"xyz": [0.3, 0.3, 0.3]})] * 9,
    ]
    process = start_run("run", planner_config={"calls": calls}, robot_config=SLOW, explore={"attempts": 3})
    process.wait_for_event(lambda event: event["type"] == "attempt_started" and event["attempt"] == 2)
    process.signal(signal.SIGINT)
    assert process.wait(30)[0] == 130
    assert not memory_dir.exists() or not seen_by(memory_dir).files
    merged = CliRunner().invoke(merge_command, [str(process.run_dir)])
    assert merged.exit_code == 0, merged.output
    published = seen_by(memory_dir).recipe()
    assert (published.audit.attempt, published.audit.repeated) == (1, None)
    assert published.calls[-1].arguments["status"] == "success"
    assert "global/grasping.md" in seen_by(memory_dir).files


def test_what_a_replay_refuted_cannot_be_merged_by_hand(run_fake, memory_dir, monkeypatch):
    monkeypatch.setattr("rpent.run.harvest.confirm", lambda *_, **__: False)
    outcome = run_fake(solution(), explore=Explore(attempts=3))
    assert explored(outcome.run_dir)["refuted"] == [1]
    assert CliRunner().invoke(merge_command, [str(outcome.run_dir)]).exit_code == 0
    assert seen_by(memory_dir).recipe() is None


@pytest.mark.parametrize("when", ["in an attempt", "in the confirming replay"])
def test_ctrl_c_ends_an_exploration_of_several_sessions(start_run, memory_dir, when):
    process = start_run(
        "run",
        planner_config={"calls": [*WRONG, *solution()]},
        robot_config=SLOW,
        explore={"attempts": 3, "sessions": 2},
    )
    if when == "in an attempt":
        process.wait_for_event(lambda event: event["type"] == "tool_called" and event["turn"] == 5)
    else:
        process.wait_for_event(lambda event: "is replayed from a reset" in event.get("text", ""))
    process.signal(signal.SIGINT)
    code, output = process.wait(30)
    assert code == 130, output
    assert len(list(process.runs.rglob("run.json"))) == 1
    assert process.events()[-1]["type"] == "run_ended"
    assert not memory_dir.exists() or not seen_by(memory_dir).files
