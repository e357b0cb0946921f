"""The integration graph.

::

    inspect_policy → inspect_target → check → generate → validate → record

Each artefact is inspected once. A wrapper is generated whatever the checks say, and executed; what is critical and what
it did decide the outcome.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from rpent.errors import UsageError

from rpent_robosmith.compatibility.compare import compare
from rpent_robosmith.compatibility.pair import NOTHING
from rpent_robosmith.compatibility.report import Compatibility  # noqa: TC001  (LangGraph reads the annotations)
from rpent_robosmith.inspect.api import ArtefactFacts  # noqa: TC001
from rpent_robosmith.inspect.find import find
from rpent_robosmith.integrate import validation
from rpent_robosmith.integrate.files import Checked, write_files
from rpent_robosmith.integrate.generate import wrapper_source
from rpent_robosmith.integrate.samples import declared_samples
from rpent_robosmith.integrate.validation import Validation  # noqa: TC001

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from langgraph.graph.state import CompiledStateGraph

    from rpent_robosmith.compatibility.pair import Wishes
    from rpent_robosmith.work.api import Bench

NODES = ("inspect_policy", "inspect_target", "check", "generate", "validate", "record")
Outcome = Literal["valid", "not_compatible", "invalid", "unchecked"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """What is integrated, and how."""

    policy: str
    target: str
    folder: Path
    """Where the files go."""
    bench: Bench
    wishes: Wishes = NOTHING
    samples: int = 8
    """Steps of the target that the wrapper is executed on."""
    validate: bool = True
    say: Callable[[str], None] = field(default=lambda _line: None)
    """Told what is being done."""


class State(TypedDict, total=False):
    """The graph's channels, each written by one node."""

    policy: ArtefactFacts
    target: ArtefactFacts
    report: Compatibility
    source: str
    seen: Validation | None
    outcome: Outcome
    files: tuple[str, ...]


def integrate(request: Request) -> State:
    """Go through the graph.

    Raises:
        RpentError: An artefact cannot be read, or the worker cannot be run.
    """
    found: State = build(request).invoke(State())  # type: ignore[assignment]
    return found


def build(request: Request) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the graph for a request."""
    from langgraph.graph import END, START, StateGraph  # noqa: PLC0415  (two seconds)

    graph = StateGraph(State)
    for name, node in zip(NODES, _nodes(request), strict=True):
        graph.add_node(name, node)  # type: ignore[call-overload]
    for before, after in zip((START, *NODES), (*NODES, END), strict=True):
        graph.add_edge(before, after)
    return graph.compile()


def _nodes(request: Request) -> tuple[Callable[[State], State], ...]:
    def inspect_policy(_state: State) -> State:
        request.say(f"inspecting the policy {request.policy}")
        return State(policy=find(request.policy, ("policy",)).inspect(bench=request.bench))

    def inspect_target(_state: State) -> State:
        request.say(f"inspecting the target {request.target}")
        found = find(request.target, ("dataset", "environment"))
        count = request.samples if request.validate else 0
        return State(target=found.inspect(samples=count, bench=request.bench))

    def check(state: State) -> State:
        return State(report=compare(state["policy"], state["target"], request.wishes))

    def generate(state: State) -> State:
        return State(source=wrapper_source(state["policy"], state["report"]))

    def validate(state: State) -> State:
        if not request.validate:
            return State(seen=None, outcome="unchecked" if state["report"].compatible else "not_compatible")
        request.say("executing the wrapper in a sealed worker")
        seen = _validated(request, state)
        if not state["report"].compatible:
            return State(seen=seen, outcome="not_compatible")
        return State(seen=seen, outcome="valid" if seen.status == "passed" else "invalid")

    def record(state: State) -> State:
        checked = Checked(
            report=state["report"], seen=state["seen"], outcome=state["outcome"], target=state["target"]
        )
        return State(files=write_files(request.folder, state["source"], checked))

    return inspect_policy, inspect_target, check, generate, validate, record


def _validated(request: Request, state: State) -> Validation:
    policy, target, mapping = state["policy"], state["target"], state["report"].mapping
    robot = target.details.get("embodiment") is not None
    samples = declared_samples(target, request.samples) if robot else target.details.get("samples", [])
    origin = "declared" if robot else target.kind
    if not samples:
        raise UsageError(f"`{target.id}` has no steps, so the wrapper cannot be executed on it.")
    told = [{"instruction": "", **sample} for sample in samples]
    seen, actions = validation.execute(
        policy, state["source"], mapping, told, origin=origin, bench=request.bench
    )
    if robot:
        return validation.within_bounds(seen, target)
    if target.kind == "dataset":
        return validation.against_records(seen, told, actions)
    return validation.in_environment(seen, target.details["entry"], actions, request.bench)
