"""Puts a run together: its folder, its stages, its agents, its worker bench; and begins, resumes or plans it."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from rpent.errors import RpentError, RunDirectoryError, UsageError
from rpent.plugins.named import load_named

from rpent_robosmith.agents.factory import AgentOptions, make_agents
from rpent_robosmith.config import Effective, task_of
from rpent_robosmith.delivery.versions import own_versions
from rpent_robosmith.work.bench import ProcessBench
from rpent_robosmith.work.served import ServingBench
from rpent_robosmith.workflow import checkpoint
from rpent_robosmith.workflow.drive import Deadline, Ending, drive, fresh
from rpent_robosmith.workflow.run_state import Keeper
from rpent_robosmith.workflow.runs import new_run
from rpent_robosmith.workflow.state import NODES, RunState
from rpent_robosmith.workflow.workshop import Workshop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from rpent_robosmith.work.api import Bench, Job
    from rpent_robosmith.workflow.state import NodeName
    from rpent_robosmith.workflow.workshop import Listener, Stage

STAGES = {node: f"rpent_robosmith.stages.{node}:run" for node in NODES}
MODEL_LOG = "model.jsonl"
OPTIONS = ("rewards", "decisions", "model", "base_url", "key_variable", "python")
"""Settings that are no part of the task."""


class MakeListener(Protocol):
    """Makes the run's listener once there is a run."""

    def __call__(self, folder: Path, keeper: Keeper) -> Listener:
        """Return it."""


@dataclass(frozen=True, slots=True)
class NotingBench:
    """A bench that notes what the sandbox of a worker could not forbid."""

    bench: Bench
    note: Callable[[str], None]

    def run(self, job: Job, heard: Callable[[str, Mapping[str, Any]], None] | None = None) -> dict[str, Any]:
        """Run a job, see `Bench.run`."""

        def hear(kind: str, data: Mapping[str, Any]) -> None:
            if kind == "sealed":
                for caveat in data.get("caveats", ()):
                    self.note(str(caveat))
            if heard is not None:
                heard(kind, data)

        return self.bench.run(job, hear)


def begin(
    sentence: str,
    settings: Effective,
    make_listener: MakeListener,
    *,
    stages: Mapping[str, Stage] | None = None,
) -> tuple[Path, Ending]:
    """Begin a run and work on it until it ends.

    Raises:
        UsageError: The task is not accepted.
        PluginError: An agent is not installed.
        RunDirectoryError: The run directory cannot be written.
    """
    state = first_state(sentence, settings)
    check_agents(state, ask=True)
    from pathlib import Path  # noqa: PLC0415

    folder = new_run(Path(settings.config.runs_dir), sentence)
    state = state.model_copy(update={"run_id": folder.name})
    with _held(folder):
        return folder, _work(folder, state, make_listener, stages)


def resume(
    folder: Path,
    make_listener: MakeListener,
    *,
    changes: Mapping[str, Any] | None = None,
    iterations: int | None = None,
    base_url: str | None = None,
    stages: Mapping[str, Stage] | None = None,
) -> Ending:
    """Go on with a run.

    Args:
        folder: Its directory.
        make_listener: See `begin`.
        changes: Of its budget: `minutes`, `model_tokens`, …; they replace what it was started with.
        iterations: So many at most from now on; a run that ended without an accepted policy decides again.
        base_url: Where the model's server is now; None leaves it.
        stages: See `begin`.

    Raises:
        RunDirectoryError: Another process works on it.
        CheckpointError: It cannot be read.
        UsageError: It has ended, or has no model that an address could be of.
    """
    with _held(folder):
        loaded = checkpoint.recover(folder)
        state = loaded.state.model_copy(update={"run_id": folder.name})  # it may have been renamed
        if iterations is not None:
            state = with_iterations(state, iterations)
        if state.next_node is None:
            raise UsageError(
                f"The run `{state.run_id}` has ended ({state.status}): nothing is left to be done.",
                hint=f"`rpent smith runs show {state.run_id}` shows what it delivered"
                + (
                    "."
                    if state.status == "succeeded"
                    else f"; `rpent smith resume {state.run_id} --iterations {state.iteration + 1}` tries more."
                ),
            )
        options = _with_address(state, base_url)
        task = _with_budget(state, changes or {})
        state = fresh(state.model_copy(update={"task": task, "options": options}))
        check_agents(state, ask=True)
        return _work(folder, state, make_listener, stages, warning=loaded.warning)


def first_state(sentence: str, settings: Effective) -> RunState:
    """Return the state that a run begins with; its id is given with its folder."""
    if not sentence.strip():
        raise UsageError("The sentence is empty.", hint='`rpent smith run "balance the pole"`')
    _check_texts(sentence, settings)
    _check_model_settings(settings)
    options = {name: getattr(settings.config, name) for name in OPTIONS}
    given = settings.config.plain()
    options["given"] = {name: given[name] for name in settings.stated if name != "runs_dir"}
    return RunState(run_id="", task=task_of(sentence, settings), options=options)


def _check_texts(sentence: str, settings: Effective) -> None:
    """Refuse what is not Unicode (bytes that a shell passed on): no file of the run could hold it."""
    for name, value in {"sentence": sentence, **settings.config.model_dump()}.items():
        try:
            json.dumps(value, ensure_ascii=False, default=str).encode()
        except UnicodeEncodeError:
            raise UsageError(f"`{name}` holds bytes that are not UTF-8.", hint="Write it in UTF-8.") from None


def _check_model_settings(settings: Effective) -> None:
    """Refuse settings of a model where none is named: they would do nothing."""
    if settings.config.model is not None:
        return
    for name in ("base_url", "key_variable", "model_tokens", "model_cost"):
        if name in settings.stated:
            raise UsageError(
                f"`{name}` ({settings.sources[name]}) is for a model, and none is named.",
                hint="Give `--model PROVIDER:NAME`, or leave it out.",
            )


def check_agents(state: RunState, *, ask: bool = False) -> None:
    """Refuse agents that cannot work, before anything is done.

    Args:
        state: With the user's options.
        ask: Whether the model's server is asked for the model and the key.

    Raises:
        PluginError: One is not installed.
        UsageError: One asks a model, and none is named.
        ModelError: The model cannot be asked.
    """
    make_agents(agent_options(state), check=ask)


def agent_options(state: RunState) -> AgentOptions:
    """Return which agents the user chose."""
    budget = state.task.budget
    chosen: dict[str, Any] = {name: state.options.get(name) for name in OPTIONS if name != "python"}
    return AgentOptions(
        **chosen, seed=state.task.seed, model_tokens=budget.model_tokens, model_cost_usd=budget.model_cost_usd
    )


def load_stages(*nodes: NodeName) -> dict[str, Stage]:
    """Import the stages of these nodes, or of all."""
    return {node: load_named(STAGES[node], f"stage `{node}`") for node in nodes or STAGES}


def make_workshop(
    folder: Path, state: RunState, listener: Listener, *, note: Callable[[str], None], used_s: float = 0.0
) -> Workshop:
    """Return what the stages have at hand."""
    deadline = Deadline(state.task.budget.minutes, used_s)
    options = replace(
        agent_options(state), log=str(folder / MODEL_LOG), say=listener.say, seconds_left=deadline
    )
    intake, rewards, decisions = make_agents(options)
    bench = ServingBench(ProcessBench(python=state.options.get("python")), logs=folder / "logs")
    return Workshop(
        folder=folder,
        bench=NotingBench(bench, note),
        intake=intake,
        rewards=rewards,
        decisions=decisions,
        listener=listener,
        deadline=deadline,
    )


def _work(
    folder: Path,
    state: RunState,
    make_listener: MakeListener,
    stages: Mapping[str, Stage] | None,
    warning: str = "",
) -> Ending:
    checkpoint.ensure(folder, state)  # first: a run that is listed can be resumed
    keeper = Keeper.begin(folder, state, versions=own_versions())
    listener = make_listener(folder, keeper)
    if warning:
        listener.say(warning)
    used = sum(process.seconds for process in keeper.record.processes[:-1])

    def note(caveat: str) -> None:
        listener.say(caveat)
        keeper.caveat(caveat)

    try:
        workshop = make_workshop(folder, state, listener, note=note, used_s=used)
        return drive(state, stages or load_stages(), workshop, keeper)
    except RpentError as error:
        keeper.ended("failed", detail=error.message, hint=error.hint or "")
        raise


def with_iterations(state: RunState, iterations: int) -> RunState:
    """Return the state with another number of iterations; one that ended unaccepted is before its last decision again.

    Raises:
        UsageError: It has gone through so many already.
    """
    ended = state.next_node is None
    if iterations < state.iteration or (ended and iterations == state.iteration):
        raise UsageError(
            f"The run `{state.run_id}` is in its iteration {state.iteration} already, so {iterations} leave nothing "
            "to be done.",
            hint=f"`--iterations {state.iteration + 1}` gives it another one.",
        )
    given = {**state.options.get("given", {}), "iterations": iterations}
    changes: dict[str, Any] = {
        "task": state.task.model_copy(update={"iterations": iterations}),
        "options": {**state.options, "given": given},
    }
    if ended and state.status == "failed" and state.decisions:
        done = [record.node for record in state.history]
        last = len(done) - 1 - done[::-1].index("decision") if "decision" in done else len(done)
        changes |= {
            "next_node": "decision",
            "decisions": state.decisions[:-1],
            "history": state.history[:last],
        }
    return state.model_copy(update=changes)


def _with_budget(state: RunState, changes: Mapping[str, Any]) -> Any:
    budget = state.task.budget.model_copy(update=dict(changes))
    return state.task.model_copy(update={"budget": budget})


def _with_address(state: RunState, base_url: str | None) -> dict[str, Any]:
    if base_url is None:
        return state.options
    if not state.options.get("model"):
        raise UsageError(
            f"The run `{state.run_id}` has no model, so `--base-url` says nothing.", hint="Leave it out."
        )
    return {**state.options, "base_url": base_url}


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    from rpent.run.lock import RunLock  # noqa: PLC0415  (brings the whole of core's run)

    try:
        lock = RunLock(folder).__enter__()
    except RunDirectoryError as error:
        error.hint = "Stop that process first; `run_state.json` names its number."
        raise
    try:
        yield
    finally:
        lock.__exit__()
