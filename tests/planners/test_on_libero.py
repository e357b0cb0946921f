"""Each real client solves a LIBERO-PRO task in the real simulator, told what to do over the real wire.

The model's server plays a fixed script and looks at what the client sends: tools, pictures, order.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from rpent.run import RunRequest, execute
from rpent.runs.events import read_events
from rpent.testing.models import Call, ModelServer, Reply, Request

from .cases import KEY, PARAMS, PRICES, Case
from .libero_script import CALLS, INSTRUCTION, SEED, SUITE, TASK

pytestmark = pytest.mark.sim

JPEG = b"\xff\xd8\xff"


def script() -> list[Reply]:
    return [Reply(text=f"Next: {name}.", calls=[Call(name, arguments)]) for name, arguments in CALLS]


def solve(case: Case, server: ModelServer, tmp_path: Path) -> Any:
    return execute(
        RunRequest(
            robot="libero",
            robot_config={"suite": SUITE, "task": TASK, "seed": SEED},
            planner=case.planner,
            planner_config=case.options(server) | PRICES,
            output_dir=tmp_path / "runs",
            progress="quiet",
            record_video=False,
        )
    )


@pytest.mark.parametrize("case", PARAMS)
def test_a_client_solves_a_task(case: Case, tmp_path: Path) -> None:
    with ModelServer(script(), models=("test-model",), key=KEY) as server:
        outcome = solve(case, server, tmp_path)
    assert server.problems == []
    assert (outcome.benchmark_success, outcome.planner_status, int(outcome.exit_code)) == (True, "success", 0)
    assert len(server.requests) == len(CALLS)
    first, last = server.requests[0], server.requests[-1]
    assert first.wire == case.wire
    assert {"grasp", "place", "segment", "move_to", "finish"} <= set(first.tools)
    assert first.tools["place"]["properties"]["relation"]["enum"][0] == "in"
    assert INSTRUCTION.lower() in whole(first).lower()
    assert "grasp point between the finger tips" in whole(first)
    assert pictures_of(first)[0].startswith(JPEG)
    assert_order(last)
    assert_each_action_showed_the_scene(server.requests)
    assert_recorded(outcome.run_dir)


def whole(request: Request) -> str:
    return request.system + "\n" + "\n".join(turn.text for turn in request.turns)


def pictures_of(request: Request) -> list[bytes]:
    return [picture for turn in request.turns for picture in turn.pictures]


def assert_order(last: Request) -> None:
    """The last request holds the calls so far, in order, each with the answer that belongs to it."""
    called = [call for turn in last.turns for call in turn.calls]
    answered = [result.call_id for turn in last.turns for result in turn.results]
    assert [call.name for call in called] == [name for name, _ in CALLS[:-1]]
    assert [json.loads(call.arguments) for call in called] == [arguments for _, arguments in CALLS[:-1]]
    assert answered == [call.id for call in called]


def assert_each_action_showed_the_scene(requests: list[Request]) -> None:
    """Every answer brought new pictures along, and each is announced by its caption."""
    for before, after in pairwise(requests):
        new = pictures_of(after)[len(pictures_of(before)) :]
        assert new, "no picture came with the answer"
        assert all(picture.startswith(JPEG) for picture in new)
    text = json.dumps(requests[-1].body)
    assert "256\\u00d7256, after control step" in text or "256×256, after control step" in text


def assert_recorded(run_dir: Path) -> None:
    manifest = json.loads((run_dir / "run.json").read_text())
    assert manifest["usage"]["requests"] >= len(CALLS)
    assert manifest["usage"]["cost_usd"] > 0
    assert manifest["counts"]["turns"] == len(CALLS)
    assert json.loads((run_dir / "transcript.json").read_text())["entries"]
    called = [event.name for event in read_events(run_dir / "events.jsonl") if event.type == "tool_called"]
    assert called == [name for name, _ in CALLS]
