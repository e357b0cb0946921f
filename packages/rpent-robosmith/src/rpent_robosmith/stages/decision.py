"""What to do after an evaluation: accept, try something that is different, or stop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent.errors import RpentError

from rpent_robosmith.agents.api import DecisionRequest
from rpent_robosmith.agents.factory import spent
from rpent_robosmith.agents.rules import RuleDecisions
from rpent_robosmith.stages.environment import alternatives
from rpent_robosmith.stages.evaluation import first_iteration_here
from rpent_robosmith.training.choice import algorithms, fitting

if TYPE_CHECKING:
    from rpent_robosmith.reports import Decision, DecisionKind
    from rpent_robosmith.workflow.state import NodeName, RunState
    from rpent_robosmith.workflow.workshop import Workshop

NEXT: dict[DecisionKind, NodeName] = {
    "accept": "delivery",
    "stop": "delivery",
    "refine_reward": "reward",
    "switch_algorithm": "training",
    "adjust_environment": "environment",
}
"""Where each decision leads. Another algorithm keeps the reward, so that it does not pay for a new search."""
LEAST_S = 60.0
"""With less time left, no other iteration begins."""


def run(state: RunState, workshop: Workshop) -> RunState:
    """Decide, and name the next node; going back counts the iteration up.

    Raises:
        RpentError: There is no verdict to decide on, or whoever decides cannot be asked.
    """
    if not state.verdicts or not state.trainings or state.entry is None or state.facts is None:
        raise RpentError("There is nothing to decide on: the run has no evaluation.")
    seconds_left = workshop.deadline()
    request = DecisionRequest(
        task=state.task,
        entry=state.entry,
        facts=state.facts,
        iteration=state.iteration,
        verdict=state.verdicts[-1],
        training=state.trainings[-1],
        reward=state.reward,
        allowed=possible(state, seconds_left),
        algorithms=untried(state),
        earlier=state.decisions,
    )
    decision = held_to(request, workshop.decisions.decide(request))
    if decision.kind == "stop" and _out_of_time(seconds_left) and state.iteration < state.task.iterations:
        decision = decision.model_copy(update={"reason": "The run's time is over."})
    workshop.listener.say(f"{decision.kind.replace('_', ' ')}: {decision.reason}")
    return state.model_copy(
        update={
            "decisions": (*state.decisions, decision),
            "usage": spent(workshop),
            **_leads_to(state, decision),
        }
    )


def possible(state: RunState, seconds_left: float | None = None) -> tuple[DecisionKind, ...]:
    """Return what can be done now; each way back changes something.

    Args:
        state: With a verdict on the last iteration.
        seconds_left: Of the run's wall clock; None is no limit.
    """
    accepted = state.verdicts[-1].accepted
    last: tuple[DecisionKind, ...] = ("accept",) if accepted else ("stop",)
    if state.iteration >= state.task.iterations or _out_of_time(seconds_left):
        return last
    back: list[DecisionKind] = []
    if state.reward is not None and not _repeated(state):
        back.append("refine_reward")
    if untried(state):
        back.append("switch_algorithm")
    if alternatives(state):
        back.append("adjust_environment")
    return (*last, *back) if accepted else (*back, *last)


def _out_of_time(seconds_left: float | None) -> bool:
    return seconds_left is not None and seconds_left < LEAST_S


def untried(state: RunState) -> tuple[str, ...]:
    """Return installed algorithms that fit and were not tried in this environment; none where the user named one."""
    if state.entry is None or state.facts is None or state.task.algorithm is not None:
        return ()
    here = first_iteration_here(state)
    tried = {training.algorithm for training in state.trainings if training.iteration >= here}
    python = state.options.get("python")
    return tuple(
        name
        for name in fitting(state.task, state.entry, state.facts.action, python=python)
        if name not in tried and _same_need(state, name)
    )


def held_to(request: DecisionRequest, decision: Decision) -> Decision:
    """Return the decision if it can be done, else the rules', with a word about the one that cannot.

    Nobody accepts against the verdict: `accept` is possible only where it accepts.
    """
    wrong = ""
    if decision.kind not in request.allowed:
        wrong = f"`{decision.by}` wanted `{decision.kind}`, which cannot be done now."
    elif decision.kind == "switch_algorithm" and decision.algorithm not in request.algorithms:
        wrong = f"`{decision.by}` wanted the algorithm `{decision.algorithm}`, which cannot be tried."
    if not wrong:
        return decision
    ours = RuleDecisions().decide(request)
    return ours.model_copy(update={"reason": f"{wrong} {ours.reason}"})


def _repeated(state: RunState) -> bool:
    """Whether the last training was one of an earlier iteration: its search found no other reward."""
    last = state.trainings[-1]
    return bool(last.order) and any(training.order == last.order for training in state.trainings[:-1])


def _same_need(state: RunState, name: str) -> bool:
    """Whether another algorithm learns from what this run has: a reward, or demonstrations."""
    paradigm = algorithms()[name].algorithm.paradigm
    return (paradigm == "rl") == (state.reward is not None)


def _leads_to(state: RunState, decision: Decision) -> dict[str, Any]:
    changes: dict[str, Any] = {"next_node": NEXT[decision.kind]}
    if decision.kind in {"accept", "stop"}:
        return changes
    changes["iteration"] = state.iteration + 1
    if decision.kind == "switch_algorithm":
        changes["algorithm"] = decision.algorithm
    elif decision.kind == "adjust_environment":
        changes |= {"reward": None, "facts": None, "algorithm": None}
    return changes
