"""A run that ended without an accepted policy can be given more iterations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from rpent.errors import UsageError
from rpent_robosmith.assembly import with_iterations
from rpent_robosmith.reports import Decision
from rpent_robosmith.workflow import checkpoint
from rpent_robosmith.workflow.drive import drive, fresh

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rpent_robosmith.workflow.state import RunState
    from rpent_robosmith.workflow.workshop import Workshop


def ended(state: RunState, fakes: Any, workshop: Workshop, keeper: Any, *, iterations: int) -> RunState:
    task = state.task.model_copy(update={"iterations": iterations})
    begun = state.model_copy(update={"task": task, "options": {"given": {"iterations": iterations}}})
    left = drive(begun, fakes.stages(), workshop, keeper).state
    stop = Decision(kind="stop", reason="It was the last.", by="rules")
    return left.model_copy(update={"decisions": (stop,)})


def test_it_decides_again_and_goes_on_in_the_next_iteration(
    tmp_path: Path, state: RunState, fakes: Any, make_workshop: Callable[[], Workshop], make_keeper: Any
) -> None:
    fakes.accepted = False
    left = ended(state, fakes, make_workshop(), make_keeper(state), iterations=1)
    assert (left.status, left.next_node) == ("failed", None)
    fakes.entered.clear()

    more = with_iterations(left, 2)
    again = drive(fresh(more), fakes.stages(), make_workshop(), make_keeper(more))

    assert fakes.entered == [
        ("decision", 1),
        *((node, 2) for node in ("reward", "training", "evaluation", "decision", "delivery")),
    ]
    assert again.exit_code == 1
    nodes = [(record.node, record.iteration) for record in checkpoint.load(tmp_path).state.history]
    assert len(nodes) == len(set(nodes)), "the decision that was taken back is not recorded twice"
    assert again.state.options["given"] == {"iterations": 2}, "`reproduce.sh` asks for as many"
    assert again.state.decisions == ()


@pytest.mark.parametrize("iterations", [1, 2])
def test_as_many_as_it_had_are_refused(
    state: RunState,
    fakes: Any,
    make_workshop: Callable[[], Workshop],
    make_keeper: Any,
    iterations: int,
) -> None:
    fakes.accepted = False
    left = ended(state, fakes, make_workshop(), make_keeper(state), iterations=2)
    with pytest.raises(UsageError, match="in its iteration 2 already") as caught:
        with_iterations(left, iterations)
    assert caught.value.hint == "`--iterations 3` gives it another one."


def test_an_accepted_run_stays_ended(
    state: RunState, fakes: Any, make_workshop: Callable[[], Workshop], make_keeper: Any
) -> None:
    left = ended(state, fakes, make_workshop(), make_keeper(state), iterations=1)
    assert left.status == "succeeded"
    assert with_iterations(left, 3).next_node is None
