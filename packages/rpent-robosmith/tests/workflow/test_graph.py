"""The graph goes where the state says, and not further than its iterations allow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from rpent.errors import RpentError, UsageError
from rpent_robosmith.workflow.graph import NodeFailedError, execute, step_limit
from rpent_robosmith.workflow.state import NODES, NodeRecord, RunState

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpent_robosmith.workflow.workshop import Workshop

FIRST = [(node, 1) for node in ("intake", "environment", "inspect")]


class Saved:
    """Keeps what would be saved."""

    def __init__(self) -> None:
        self.states: list[RunState] = []
        self.entering_: list[tuple[str, int]] = []

    def entering(self, state: RunState, node: str) -> None:
        self.entering_.append((node, state.iteration))

    def left(self, state: RunState) -> None:
        self.states.append(state)


def round_(iteration: int, start: str = "reward") -> list[tuple[str, int]]:
    first = NODES.index(start)  # type: ignore[arg-type]
    return [(node, iteration) for node in NODES[first:-1]]


@pytest.mark.parametrize("back_to", ["environment", "reward", "training"])
def test_a_retry_begins_where_the_decision_says(
    state: RunState, make_fakes: Any, make_workshop: Callable[[], Workshop], back_to: str
) -> None:
    fakes = make_fakes(back_to=back_to)

    ended = execute(state, fakes.stages(), make_workshop(), Saved())

    expected = [*FIRST, *round_(1), *round_(2, back_to), ("delivery", 2)]
    assert fakes.entered == expected
    assert [(record.node, record.iteration) for record in ended.history] == expected
    assert {record.status for record in ended.history} == {"done"}
    assert ended.next_node is None


@pytest.mark.parametrize("iterations", [1, 7, 20])
def test_the_step_limit_fits_the_iterations(
    state: RunState, make_fakes: Any, make_workshop: Callable[[], Workshop], iterations: int
) -> None:
    fakes = make_fakes(back_to="environment")
    task = state.task.model_copy(update={"iterations": iterations})
    state = state.model_copy(update={"task": task})

    ended = execute(state, fakes.stages(), make_workshop(), Saved())

    assert ended.status == "succeeded"
    assert len(fakes.entered) == len(ended.history) == 2 + 6 * iterations


def test_a_stage_that_goes_round_for_ever_is_stopped(
    state: RunState, fakes: Any, make_workshop: Callable[[], Workshop]
) -> None:
    fakes.decision = lambda _state: {"next_node": "training"}

    with pytest.raises(RpentError, match="more often than its `2` iterations allow"):
        execute(state, fakes.stages(), make_workshop(), Saved())

    assert len(fakes.entered) <= step_limit(state)


@pytest.mark.parametrize(
    ("node", "iteration"),
    [*((node, 1) for node in NODES[:-1]), *((node, 2) for node in NODES[1:])],
)
def test_finished_nodes_are_not_entered_again(
    state: RunState, make_fakes: Any, make_workshop: Callable[[], Workshop], node: str, iteration: int
) -> None:
    whole = make_fakes(back_to="environment")
    saved = Saved()
    execute(state, whole.stages(), make_workshop(), saved)
    position = whole.entered.index((node, iteration))
    before = saved.states[position - 1] if position else state

    again = make_fakes(back_to="environment")
    ended = execute(before, again.stages(), make_workshop(), Saved())

    assert again.entered == whole.entered[position:]
    assert ended == saved.states[-1]


def test_a_failed_node_is_recorded_saved_and_entered_again(
    state: RunState, fakes: Any, make_workshop: Callable[[], Workshop]
) -> None:
    def fail(_state: RunState) -> None:
        raise UsageError("No luck.", hint="Try harder.")

    fakes.at["training"] = fail
    saved = Saved()

    with pytest.raises(NodeFailedError) as caught:
        execute(state, fakes.stages(), make_workshop(), saved)

    assert caught.value.message == "No luck."
    assert caught.value.hint == "Try harder."
    assert caught.value.exit_code == 2
    failed = saved.states[-1]
    assert failed.history[-1] == NodeRecord(node="training", iteration=1, status="failed", detail="No luck.")
    assert failed.next_node == "training"
    assert failed.status == "failed"

    fakes.entered.clear()
    execute(failed, fakes.stages(), make_workshop(), Saved())
    assert fakes.entered[0] == ("training", 1)


def test_an_interrupt_and_a_bug_pass_through(
    state: RunState, make_fakes: Any, make_workshop: Callable[[], Workshop]
) -> None:
    for error in (KeyboardInterrupt, ZeroDivisionError):
        fakes, saved = make_fakes(), Saved()

        def fail(_state: RunState, error: type[BaseException] = error) -> None:
            raise error

        fakes.at["reward"] = fail
        with pytest.raises(error):
            execute(state, fakes.stages(), make_workshop(), saved)
        assert saved.states[-1].next_node == "reward"
        assert saved.states[-1].status == "running"
