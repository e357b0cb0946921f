"""However a run ends, its records say so and its exit code agrees."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from rpent.errors import RpentError
from rpent_robosmith.workflow import checkpoint
from rpent_robosmith.workflow.drive import Deadline, drive, fresh
from rpent_robosmith.workflow.run_state import read_record

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rpent_robosmith.workflow.run_state import Keeper
    from rpent_robosmith.workflow.state import RunState
    from rpent_robosmith.workflow.workshop import Workshop

KEYS = {
    *(
        "version",
        "run_id",
        "sentence",
        "status",
        "detail",
        "hint",
        "node",
        "iteration",
        "pid",
        "created",
        "updated",
    ),
    *("ended", "processes", "environment", "algorithm", "accepted", "caveats", "versions"),
}


def raising(error: BaseException) -> Callable[[RunState], None]:
    def fail(_state: RunState) -> None:
        raise error

    return fail


def test_accepted(
    tmp_path: Path, state: RunState, fakes: Any, make_workshop: Callable[[], Workshop], make_keeper: Any
) -> None:
    ending = drive(state, fakes.stages(), make_workshop(), make_keeper(state))

    record = read_record(tmp_path)
    assert (ending.exit_code, ending.status, record.status, record.accepted) == (
        0,
        "succeeded",
        "succeeded",
        True,
    )
    assert record.node is None
    assert record.ended is not None
    assert checkpoint.load(tmp_path).state == ending.state


def test_ended_and_not_accepted(
    tmp_path: Path, state: RunState, make_fakes: Any, make_workshop: Callable[[], Workshop], make_keeper: Any
) -> None:
    ending = drive(state, make_fakes(accepted=False).stages(), make_workshop(), make_keeper(state))

    record = read_record(tmp_path)
    assert (ending.exit_code, ending.status, record.status, record.accepted) == (1, "failed", "failed", False)


def test_a_failure_delivers_what_there_is_and_is_no_success(
    tmp_path: Path, state: RunState, fakes: Any, make_workshop: Callable[[], Workshop], make_keeper: Any
) -> None:
    fakes.at["training"] = raising(RpentError("The disk is full.", hint="Make room."))

    ending = drive(state, fakes.stages(), make_workshop(), make_keeper(state))

    record = read_record(tmp_path)
    assert (ending.exit_code, ending.status, record.status, record.accepted) == (3, "failed", "failed", False)
    assert "The disk is full." in record.detail
    assert record.hint == "Make room."
    assert ending.state.files == {"report.md": "0" * 64}
    assert ending.state.next_node == "training"
    assert fakes.entered[-1] == ("delivery", 1)

    fakes.entered.clear()
    again = drive(fresh(ending.state), fakes.stages(), make_workshop(), make_keeper(ending.state))
    assert fakes.entered[0] == ("training", 1)
    assert again.exit_code == 0
    assert [r.status for r in again.state.history if (r.node, r.iteration) == ("training", 1)] == [
        "failed",
        "done",
    ]


def test_a_failure_of_the_delivery_is_not_tried_twice(
    state: RunState, fakes: Any, make_workshop: Callable[[], Workshop], make_keeper: Any
) -> None:
    fakes.at["delivery"] = raising(RpentError("The disk is full."))

    ending = drive(state, fakes.stages(), make_workshop(), make_keeper(state))

    assert ending.exit_code == 3
    assert [node for node, _ in fakes.entered].count("delivery") == 1
    assert ending.state.next_node == "delivery"


def test_an_interrupt_leaves_a_run_that_goes_on(
    tmp_path: Path, state: RunState, fakes: Any, make_workshop: Callable[[], Workshop], make_keeper: Any
) -> None:
    fakes.at["evaluation"] = raising(KeyboardInterrupt())

    ending = drive(state, fakes.stages(), make_workshop(), make_keeper(state))

    record = read_record(tmp_path)
    assert (ending.exit_code, ending.status, record.status) == (130, "interrupted", "interrupted")
    assert (record.node, record.iteration) == ("evaluation", 1)
    assert "rpent smith resume balance-001" in record.hint
    assert ending.state.next_node == "evaluation"
    again = drive(fresh(ending.state), fakes.stages(), make_workshop(), make_keeper(ending.state))
    assert again.exit_code == 0
    assert len(read_record(tmp_path).processes) == 2


def test_a_bug_is_recorded_as_a_failure(
    tmp_path: Path, state: RunState, fakes: Any, make_workshop: Callable[[], Workshop], make_keeper: Any
) -> None:
    fakes.at["inspect"] = raising(ZeroDivisionError("division by zero"))

    with pytest.raises(ZeroDivisionError):
        drive(state, fakes.stages(), make_workshop(), make_keeper(state))

    record = read_record(tmp_path)
    assert (record.status, record.node) == ("failed", "inspect")
    assert "ZeroDivisionError" in record.detail


def test_the_record_has_one_shape_from_the_first_moment(
    tmp_path: Path, state: RunState, fakes: Any, make_workshop: Callable[[], Workshop], make_keeper: Any
) -> None:
    seen: list[dict[str, Any]] = []
    for node in ("intake", "training"):
        fakes.at[node] = lambda _state: seen.append(json.loads((tmp_path / "run_state.json").read_text()))
    keeper: Keeper = make_keeper(state)
    seen.append(json.loads((tmp_path / "run_state.json").read_text()))

    drive(state, fakes.stages(), make_workshop(), keeper)

    seen.append(json.loads((tmp_path / "run_state.json").read_text()))
    assert [set(document) for document in seen] == [KEYS] * 4
    assert [document["status"] for document in seen] == ["running", "running", "running", "succeeded"]
    assert [document["node"] for document in seen] == ["intake", "intake", "training", None]
    for document in seen:
        for name in ("created", "updated"):
            assert document[name].endswith("Z")


def test_a_deadline_counts_earlier_processes() -> None:
    assert Deadline(None)() is None
    assert 59.0 < (Deadline(2.0, used_s=60.0)() or 0.0) <= 60.0
    assert Deadline(1.0, used_s=600.0)() == 0.0


def test_what_a_failed_node_asked_its_model_is_not_lost(
    tmp_path: Path, state: RunState, fakes: Any, make_workshop: Callable[[], Workshop], make_keeper: Any
) -> None:
    fakes.at["reward"] = raising(RpentError("No answer could be used."))
    drive(state, fakes.stages(), make_workshop(), make_keeper(state))
    usage = checkpoint.load(tmp_path).state.usage
    assert (usage.requests, usage.input_tokens, usage.output_tokens) == (3, 30, 6)
