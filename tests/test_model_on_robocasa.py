"""A language model's client drives a mobile robot in a real kitchen: it is told the scene's own words, drives, presses.

The model's server plays a fixed script and looks at what the client sends.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rpent.run import RunRequest, execute
from rpent.testing.models import Call, ModelServer, Reply
from rpent_robot_robocasa.testing.installed import require_simulator

pytestmark = pytest.mark.sim

KEY = "test-key"
TASK = "StartCoffeeMachine"
TOLD = "Press the button on the coffee machine to serve coffee."
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("segment", {"prompt": "start button of the coffee machine"}),
    ("navigate_to", {"target": "coffee machine"}),
    ("press", {"target": "start button of the coffee machine"}),
    ("finish", {"status": "success", "summary": "Coffee is on its way."}),
)


def test_a_model_drives_and_presses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    require_simulator()
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    script = [Reply(text=f"Next: {name}.", calls=[Call(name, arguments)]) for name, arguments in CALLS]
    with ModelServer(script, models=("test-model",), key=KEY) as server:
        outcome = execute(
            RunRequest(
                robot="robocasa",
                robot_config={"task_name": TASK, "seed": 0, "assets": "placeholder"},
                planner="api",
                planner_config={"model": "openai-chat:test-model", "base_url": f"{server.url}/v1"},
                output_dir=tmp_path / "runs",
                progress="quiet",
                record_video=False,
            )
        )
    assert server.problems == []
    assert (outcome.benchmark_success, outcome.planner_status, int(outcome.exit_code)) == (True, "success", 0)
    first, last = server.requests[0], server.requests[-1]
    assert {"navigate_to", "turn_base", "press", "turn_knob", "open_door", "check_grasp"} <= set(first.tools)
    assert not {"progress", "rldx_skill", "turn", "rotate_pitch"} & set(first.tools)
    said = first.system + "\n".join(turn.text for turn in first.turns)
    assert TOLD in said
    assert "start coffee machine" not in said
    assert [call.name for turn in last.turns for call in turn.calls] == [name for name, _ in CALLS[:-1]]
    answers = [answer_in(result.text) for turn in last.turns for result in turn.results]
    assert all(answer.get("ok", True) for answer in answers)
    assert answers[-1]["touched"]
    assert answers[-1]["observation"]["task_success"]
    assert_recorded(outcome.run_dir)


def answer_in(text: str) -> dict[str, Any]:
    """Return the JSON that a tool's answer begins with; captions of pictures come after it."""
    answer, _ = json.JSONDecoder().raw_decode(text)
    return dict(answer)


def assert_recorded(run_dir: Path | None) -> None:
    """The run keeps the scene's own words, the kitchen, and that its result is not the benchmark's."""
    assert run_dir is not None
    manifest = json.loads((run_dir / "run.json").read_text())
    assert manifest["task"]["instruction"] == TOLD
    assert 1 <= manifest["task"]["layout"] <= 10
    assert "placeholder" in manifest["caveats"][0]
