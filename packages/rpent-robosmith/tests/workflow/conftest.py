"""Stages that do next to nothing: the graph, its records and its endings are what is tested here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from rpent_robosmith.reports import Usage
from rpent_robosmith.task import TaskSpec
from rpent_robosmith.workflow.run_state import Keeper
from rpent_robosmith.workflow.state import NODES, RunState
from rpent_robosmith.workflow.workshop import Workshop

if TYPE_CHECKING:
    from collections.abc import Callable


class Recorder:
    """A listener that keeps what it is told."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, line: str) -> None:
        self.lines.append(line)

    def progress(self, label: str, done: float, total: float, note: str = "") -> None:
        del done, total, note
        self.lines.append(label)


class Agent:
    """An agent that has asked its model once."""

    def usage(self) -> Usage:
        return Usage(requests=1, input_tokens=10, output_tokens=2)


class Fakes:
    """Stages that note that they were entered; `decision` goes round until the iterations are used up.

    `at[node]` is called instead of the node's own work the first time that it is entered.
    """

    def __init__(self, *, back_to: str = "reward", accepted: bool = True) -> None:
        self.entered: list[tuple[str, int]] = []
        self.at: dict[str, Callable[[RunState], Any]] = {}
        self.back_to, self.accepted = back_to, accepted

    def stages(self) -> dict[str, Any]:
        return {node: self._stage(node) for node in NODES}

    def _stage(self, node: str) -> Any:
        def run(state: RunState, workshop: Workshop) -> RunState:
            self.entered.append((node, state.iteration))
            if node in self.at:
                self.at.pop(node)(state)
            (workshop.folder / "trace").open("a").write(f"{node}-{state.iteration}\n")
            changes = getattr(self, node, lambda _state: {})(state)
            return state.model_copy(update=changes)

        return run

    def decision(self, state: RunState) -> dict[str, Any]:
        if state.iteration >= state.task.iterations:
            return {"next_node": "delivery"}
        return {"next_node": self.back_to, "iteration": state.iteration + 1}

    def delivery(self, state: RunState) -> dict[str, Any]:
        if state.status == "failed":
            return {"files": {"report.md": "0" * 64}}
        return {"status": "succeeded" if self.accepted else "failed", "files": {"report.md": "1" * 64}}


@pytest.fixture
def fakes() -> Fakes:
    return Fakes()


@pytest.fixture
def make_fakes() -> type[Fakes]:
    return Fakes


@pytest.fixture
def state() -> RunState:
    return RunState(run_id="balance-001", task=TaskSpec(sentence="balance the pole", iterations=2))


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def make_workshop(tmp_path: Path, recorder: Recorder) -> Callable[..., Workshop]:
    def make(folder: Path = tmp_path) -> Workshop:
        nobody: Any = None
        agent: Any = Agent()
        return Workshop(
            folder=folder,
            bench=nobody,
            intake=agent,
            rewards=agent,
            decisions=agent,
            listener=recorder,
            deadline=lambda: None,
        )

    return make


@pytest.fixture
def make_keeper(tmp_path: Path) -> Callable[[RunState], Keeper]:
    return lambda state: Keeper.begin(tmp_path, state, versions={"rpent-robosmith": "0"})
