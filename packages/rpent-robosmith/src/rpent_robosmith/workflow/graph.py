"""The training graph: a LangGraph `StateGraph` over the typed state, entered where it says and saved after each node.

::

    intake → environment → inspect → reward → training → evaluation → decision → delivery
                 ↑____________________↑__________↑______________________│

A stage is a plain function. Where it leaves `next_node` as it was, the next node is the one after it; `decision` names
another one, and counts the iteration up. A node that comes to its end is recorded under (node, iteration) and is not
entered again by a resumed run; one that failed is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypedDict

from rpent.errors import RpentError

from rpent_robosmith.agents.factory import spent
from rpent_robosmith.workflow.state import NODES, NodeRecord, RunState

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from langgraph.graph.state import CompiledStateGraph

    from rpent_robosmith.workflow.state import NodeName
    from rpent_robosmith.workflow.workshop import Stage, Workshop

_IN_AN_ITERATION = 6
"""Nodes of one that goes all the way back to another environment."""


class Observer(Protocol):
    """Who keeps the run's records."""

    def entering(self, state: RunState, node: NodeName) -> None:
        """A node begins."""

    def left(self, state: RunState) -> None:
        """A node ended, well or not; what follows relies on the state being saved."""


class Frame(TypedDict):
    """The graph's only channel: the state, replaced whole by every node."""

    run: RunState


class NodeFailedError(RpentError):
    """A node failed; the state says which and why."""

    def __init__(self, state: RunState, cause: RpentError) -> None:
        super().__init__(cause.message, hint=cause.hint)
        self.exit_code = cause.exit_code
        self.state = state
        self.cause = cause


def step_limit(state: RunState) -> int:
    """Return how many nodes a run can enter at most, with some to spare."""
    return len(NODES) + _IN_AN_ITERATION * state.task.iterations + 2


def build(
    stages: Mapping[str, Stage], workshop: Workshop, observer: Observer
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the graph over these stages.

    Args:
        stages: One for each of `NODES`.
        workshop: Handed to each.
        observer: Told before and after each.
    """
    from langgraph.graph import START, StateGraph  # noqa: PLC0415  (two seconds)

    graph = StateGraph(Frame)
    for node in NODES:
        entered: Any = _entered(node, stages[node], workshop, observer)
        graph.add_node(node, entered)
        graph.add_conditional_edges(node, _next)
    graph.add_conditional_edges(START, _next)
    return graph.compile()


def execute(state: RunState, stages: Mapping[str, Stage], workshop: Workshop, observer: Observer) -> RunState:
    """Run from the state's next node to the end.

    Raises:
        NodeFailedError: A stage failed; the state that it carries is saved, and a resume enters that node again.
        KeyboardInterrupt: The user interrupted; what the last ended node left is saved.
    """
    from langgraph.errors import GraphRecursionError  # noqa: PLC0415

    graph = build(stages, workshop, observer)
    try:
        ended = graph.invoke(Frame(run=state), config={"recursion_limit": step_limit(state)})
    except GraphRecursionError:
        raise RpentError(
            f"The run went round more often than its `{state.task.iterations}` iterations allow.",
            hint="This is a bug of a stage; please report it with the run's `checkpoint.json`.",
        ) from None
    result: RunState = ended["run"]
    return result


def after(node: NodeName) -> NodeName | None:
    """Return the node that follows where a stage names none."""
    position = NODES.index(node) + 1
    return NODES[position] if position < len(NODES) else None


def _next(frame: Frame) -> str:
    from langgraph.graph import END  # noqa: PLC0415

    return frame["run"].next_node or END


def _entered(
    node: NodeName, stage: Stage, workshop: Workshop, observer: Observer
) -> Callable[[Frame], Frame]:
    def run(frame: Frame) -> Frame:
        state = frame["run"]
        observer.entering(state, node)
        try:
            done = _recorded(stage(state, workshop), state, node)
        except NodeFailedError:
            raise
        except RpentError as error:
            failed = _failed(state, node, error, workshop)
            observer.left(failed)
            raise NodeFailedError(failed, error) from error
        observer.left(done)
        return Frame(run=done)

    return run


def _recorded(done: RunState, before: RunState, node: NodeName) -> RunState:
    """Note the node's end, and where to go where the stage did not say."""
    changes: dict[str, Any] = {}
    record = NodeRecord(node=node, iteration=before.iteration, status="done")
    if done.history == before.history:
        changes["history"] = (*done.history, record)
    if done.next_node == node:
        changes["next_node"] = after(node)
    return done.model_copy(update=changes)


def _failed(state: RunState, node: NodeName, error: RpentError, workshop: Workshop) -> RunState:
    record = NodeRecord(node=node, iteration=state.iteration, status="failed", detail=error.message)
    return state.model_copy(
        update={
            "history": (*state.history, record),
            "status": "failed",
            "usage": spent(workshop),
            "detail": f"The node `{node}` of iteration `{state.iteration}` failed: {error.message}",
        }
    )
