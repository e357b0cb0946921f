"""Delivers what there is, accepted or not, and says which."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rpent.errors import PluginError, PolicyError, RpentError

from rpent_robosmith.delivery import evaluation, reproduce
from rpent_robosmith.delivery.chosen import is_accepted, reward_of, training_of, verdict_of
from rpent_robosmith.delivery.film import EPISODES, film
from rpent_robosmith.delivery.library import is_of_library, library_file
from rpent_robosmith.delivery.package import Package
from rpent_robosmith.delivery.plots import plots
from rpent_robosmith.delivery.report import Material, report
from rpent_robosmith.delivery.source import source
from rpent_robosmith.delivery.versions import versions_of
from rpent_robosmith.policy.files import policy_files, read_policy
from rpent_robosmith.policy.format import POLICY_FOLDER
from rpent_robosmith.workflow.run_state import read_record

if TYPE_CHECKING:
    from pathlib import Path

    from rpent_robosmith.catalog.entry import EnvEntry
    from rpent_robosmith.policy.format import PolicyDescription
    from rpent_robosmith.workflow.state import RunState
    from rpent_robosmith.workflow.workshop import Workshop

FILM = "policy_rollout.mp4"


@dataclass(slots=True)
class _Delivery:
    state: RunState
    workshop: Workshop
    package: Package
    notes: list[str] = field(default_factory=list)
    film_seeds: tuple[int, ...] = ()

    def note(self, sentence: str) -> None:
        self.notes.append(sentence)
        self.workshop.listener.say(sentence)


def run(state: RunState, workshop: Workshop) -> RunState:
    """Write the delivered files; an accepted policy makes the run a success, and nothing else does.

    Raises:
        RunDirectoryError: A file cannot be written.
        PolicyError: The policy that was accepted cannot be read.
    """
    delivery = _Delivery(state, workshop, Package(workshop.folder, state.files))
    versions = versions_of(state)
    delivery.package.add_json("task_spec.json", state.task.plain())
    delivery.package.add_json("eval_report.json", evaluation.document(state, versions))
    delivery.package.add("reproduce.sh", reproduce.script(state, versions), executable=True)
    reward = reward_of(state)
    if reward is not None:
        delivery.package.add("reward_function.py", source(state, reward))
    _deliver_policy(delivery)
    _deliver_plots(delivery)
    delivery.package.add("report.md", report(state, _material(delivery, versions)))
    return state.model_copy(update={"files": delivery.package.close(), **_outcome(state)})


def _outcome(state: RunState) -> dict[str, str]:
    if state.status == "failed":
        return {}
    if is_accepted(state):
        return {
            "status": "succeeded",
            "detail": f"The policy of iteration {state.best_iteration} is accepted.",
        }
    told = state.decisions[-1].reason if state.decisions else ""
    return {"status": "failed", "detail": f"No policy is accepted. {told}".strip()}


def _deliver_policy(delivery: _Delivery) -> None:
    training = training_of(delivery.state)
    if training is None or training.policy is None:
        delivery.note("There is no policy to deliver: no training left one.")
        return
    folder = delivery.workshop.folder / training.policy
    try:
        description = read_policy(folder).description
    except PolicyError as error:
        if is_accepted(delivery.state):
            raise
        delivery.note(f"The policy cannot be delivered: {error.message}")
        return
    for name in policy_files(folder):
        delivery.package.add_copy(f"{POLICY_FOLDER}/{name}", folder / name)
    delivered = delivery.workshop.folder / POLICY_FOLDER
    if is_of_library(description):
        _deliver_library_file(delivery, delivered, description)
    entry = description.entry or delivery.state.entry
    if entry is not None:
        _deliver_film(delivery, delivered, entry)


def _deliver_library_file(delivery: _Delivery, policy: Path, description: PolicyDescription) -> None:
    delivery.workshop.listener.progress(f"write policy_{description.algorithm}.zip", 0, 1)
    made = library_file(description, policy, delivery.workshop.bench)
    if made.data is None:
        advice = f" ({made.hint})" if made.hint else ""
        delivery.note(f"There is no `{made.name}`: {made.problem}{advice}")
        return
    delivery.package.add(made.name, made.data)


def _deliver_film(delivery: _Delivery, policy: Path, entry: EnvEntry) -> None:
    state, verdict = delivery.state, verdict_of(delivery.state)
    first = state.task.evaluation.first_seed
    seeds = (
        [one.seed for one in verdict.trained.episodes] if verdict else [first + n for n in range(EPISODES)]
    )
    made = film(entry, policy, seeds[:EPISODES], delivery.workshop)
    if made.data is None:
        advice = f" ({made.hint})" if made.hint else ""
        delivery.note(f"There is no film: {made.problem}{advice}")
        return
    delivery.film_seeds = made.seeds
    delivery.package.add(FILM, made.data)


def _deliver_plots(delivery: _Delivery) -> None:
    try:
        for name, data in plots(delivery.state).items():
            delivery.package.add(name, data)
    except PluginError as error:
        delivery.note(f"{error.message} Install it: {error.hint}")


def _material(delivery: _Delivery, versions: dict[str, str]) -> Material:
    try:
        caveats = read_record(delivery.workshop.folder).caveats
    except RpentError:
        caveats = ()
    return Material(
        files=sorted(delivery.package.hashes),
        versions=versions,
        notes=(*delivery.notes, *caveats),
        film_seeds=delivery.film_seeds,
    )
