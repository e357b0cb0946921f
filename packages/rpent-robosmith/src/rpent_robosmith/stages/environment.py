"""Scout: which environment the task is trained in. Named, synthesised from a scene, or found in the catalogs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpent.errors import EnvironmentSetupError, PluginError, UsageError
from rpent.suggest import did_you_mean, listing

from rpent_robosmith.catalog.entry import SERVED
from rpent_robosmith.catalog.load import entries, find
from rpent_robosmith.catalog.search import THRESHOLD, Query, Scored, query_of, search, telling
from rpent_robosmith.evaluation.verdict import check_metrics
from rpent_robosmith.measures import Success
from rpent_robosmith.training.choice import choose
from rpent_robosmith.training.plan import check_training
from rpent_robosmith.work.requirements import Lack, lack
from rpent_robosmith.workflow.state import Match

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rpent_robosmith.catalog.entry import EnvEntry
    from rpent_robosmith.task import TaskSpec
    from rpent_robosmith.workflow.state import RunState
    from rpent_robosmith.workflow.workshop import Workshop

SHOWN = 5
"""Matches that are kept for people, besides all above the threshold."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """An environment, how well it fits, and whether it can be used."""

    scored: Scored
    lack: Lack | None = None
    reason: str = ""
    """Why it is not chosen."""

    @property
    def fits(self) -> bool:
        """Whether it may be chosen."""
        return self.scored.score >= THRESHOLD and self.lack is None and not self.reason

    def match(self) -> Match:
        """Return it for the run's state."""
        entry = self.scored.entry
        lacking = f"{self.lack.reason}: {self.lack.remedy}" if self.lack else ""
        weak = "" if self.scored.score >= THRESHOLD else _missed(self.scored)
        reason = "; ".join(text for text in (self.reason, lacking, self.scored.reason, weak) if text)
        return Match(entry=entry.id, score=self.scored.score, available=self.lack is None, reason=reason)


def run(state: RunState, workshop: Workshop) -> RunState:
    """Choose the environment.

    Raises:
        UsageError: The task names something that there is not, or nothing fits it well enough.
        EnvironmentSetupError: What fits needs a framework that is not installed.
    """
    task = state.task
    python = state.options.get("python")
    if task.scene is not None:
        _check_scene_alone(task)
        entry = _synthesised(task)
        _require(entry, Usable(task, python))
        return _settled(state, workshop, entry, ())
    if task.environment is not None and not _adjusting(state):
        entry = find(task.environment)
        check_consistent(task, entry)
        _require(entry, Usable(task, python))
        return _settled(state, workshop, entry, ())
    weighed = weigh(task, left=_left(state), python=python)
    chosen = next((each for each in weighed if each.fits), None)
    if chosen is None:
        raise _nothing(task, weighed)
    for each in weighed:
        if each.lack is not None and each.scored.score > chosen.scored.score:
            workshop.listener.say(
                f"`{each.scored.entry.id}` fits better, but {each.lack.reason}: {each.lack.remedy}"
            )
    entry = chosen.scored.entry
    workshop.listener.say(f"Environment `{entry.id}` ({entry.name}), score {chosen.scored.score:.2f}.")
    return _settled(state, workshop, entry, tuple(each.match() for each in weighed))


def weigh(task: TaskSpec, *, left: Sequence[str] = (), python: str | None = None) -> list[Weighed]:
    """Return the environments that share a word with a task, the best first, with why one is not chosen.

    Args:
        task: Its sentence and tags are searched for; its robot and framework are held.
        left: Ids of environments that the run has left already.
        python: The interpreter that the user chose for workers.

    Raises:
        UsageError: The robot or the framework is unknown.
    """
    known = narrowed(task, list(entries().values()))
    found = _best(search(query, known) for query in _queries(task))
    usable = Usable(task, python)
    weighed = [
        Weighed(scored, lack=usable.lack(scored.entry), reason=_unfit(scored.entry, task, left))
        for scored in found
    ]
    passing = [each for each in weighed if each.scored.score >= THRESHOLD]
    return weighed[: max(SHOWN, len(passing))]


def alternatives(state: RunState) -> tuple[str, ...]:
    """Return ids of the environments that `adjust_environment` could go to, the best first; usually none."""
    task = state.task
    named = task.environment is not None and "environment" not in task.chosen
    if named or task.scene is not None or state.entry is None:
        return ()
    weighed = weigh(state.task, left=_left(state), python=state.options.get("python"))
    current = state.entry.id
    return tuple(each.scored.entry.id for each in weighed if each.fits and each.scored.entry.id != current)


def declared(entry: EnvEntry, task: TaskSpec) -> EnvEntry:
    """Return an entry that no catalog describes with the success that the task's criteria declare, where they do.

    `mean_return >= 200` makes a success of every episode with a return of at least 200.
    """
    if entry.id in entries() or entry.success.declared or entry.success.signal != "is_success":
        return entry
    for criterion in task.criteria:
        measure = criterion.metric.removeprefix("mean_")
        if measure in {"return", "length"}:
            bound = "at_least" if criterion.operator in {">=", ">"} else "at_most"
            success = Success.model_validate({"measure": measure, bound: criterion.threshold})
            return entry.model_copy(update={"success": success})
    return entry


def check_consistent(task: TaskSpec, entry: EnvEntry) -> None:
    """Refuse an environment that is not of the robot or the framework that the user states beside it.

    Raises:
        UsageError: It is of another one.
    """
    if "robot" in task.stated and task.robot not in {None, entry.robot, entry.robot_model}:
        raise UsageError(
            f"The robot of `{entry.id}` is `{entry.robot}`, and `--robot {task.robot}` asks for another one.",
            hint="Leave out `--robot` or `--environment`.",
        )
    if "framework" in task.stated and task.framework not in {None, entry.adapter}:
        raise UsageError(
            f"The framework of `{entry.id}` is `{entry.adapter}`, and `--framework {task.framework}` asks for "
            "another one.",
            hint="Leave out `--framework` or `--environment`.",
        )


def _check_scene_alone(task: TaskSpec) -> None:
    for name in ("environment", "robot", "framework"):
        if name in task.stated and getattr(task, name) is not None:
            raise UsageError(
                f"`--scene` makes an environment of its own, so `--{name}` says nothing beside it.",
                hint=f"Leave out `--scene` or `--{name}`.",
            )


def _settled(state: RunState, workshop: Workshop, entry: EnvEntry, matches: tuple[Match, ...]) -> RunState:
    entry = declared(entry, state.task)
    check_metrics(state.task, entry)
    if not state.trainings:
        check_training(state.task, entry)
    left = state.left_environments
    if state.entry is not None and state.entry.id != entry.id:
        left = (*left, state.entry.id)
        workshop.listener.say(f"Environment `{state.entry.id}` is left for `{entry.id}`.")
    return state.model_copy(update={"entry": entry, "matches": matches, "left_environments": left})


def _left(state: RunState) -> tuple[str, ...]:
    """Return the environments that are not to be chosen again: after `adjust_environment` the current one too."""
    current = (state.entry.id,) if _adjusting(state) and state.entry is not None else ()
    return (*state.left_environments, *current)


def _adjusting(state: RunState) -> bool:
    return bool(state.decisions) and state.decisions[-1].kind == "adjust_environment"


def _synthesised(task: TaskSpec) -> EnvEntry:
    from rpent_robosmith.synthesis.entry import scene_entry  # noqa: PLC0415  (for scenes only)

    return scene_entry(task.scene or {})


def _require(entry: EnvEntry, usable: Usable) -> None:
    lacking = usable.lack(entry)
    if lacking is not None:
        raise EnvironmentSetupError(
            f"The environment `{entry.id}` cannot be trained in: {lacking.reason}.", hint=lacking.remedy
        )


class Usable:
    """Tells which environments can be made and trained in here; what was found out is remembered.

    Args:
        task: With the user's algorithm and dataset.
        python: The interpreter that the user chose for workers.
    """

    def __init__(self, task: TaskSpec, python: str | None = None) -> None:
        self._task, self._python = task, python
        self._known: dict[tuple[str, ...], Lack | None] = {}

    def lack(self, entry: EnvEntry) -> Lack | None:
        """Return why an environment cannot be trained in; None where it can.

        Raises:
            UsageError: The user's algorithm is unknown, or fits neither its dataset nor a reward.
        """
        usual = entry.training.algorithm if entry.training else ""
        key = ("train", entry.adapter, usual, *entry.needs.modules)
        return self.making(entry) or self._remembered(self._training, entry, *key)

    def making(self, entry: EnvEntry) -> Lack | None:
        """Return why an environment cannot be made, a missing or broken adapter included; None where it can."""
        robot = entry.env_id if entry.adapter == SERVED else ""
        return self._remembered(self._making, entry, "make", entry.adapter, robot, *entry.needs.modules)

    def _remembered(self, find: Callable[[EnvEntry], Lack | None], entry: EnvEntry, *key: str) -> Lack | None:
        if key not in self._known:
            self._known[key] = find(entry)
        return self._known[key]

    def _making(self, entry: EnvEntry) -> Lack | None:
        try:
            return lack(entry, python=self._python)
        except PluginError as error:
            return Lack(reason=error.message.rstrip("."), remedy=error.hint or "rpent plugins list")

    def _training(self, entry: EnvEntry) -> Lack | None:
        try:
            choose(self._task, entry, None, python=self._python)
        except EnvironmentSetupError as error:
            return Lack(reason=error.message.rstrip("."), remedy=error.hint or "rpent smith trainers")
        return None


def _unfit(entry: EnvEntry, task: TaskSpec, left: Sequence[str]) -> str:
    if {entry.id, entry.env_id, entry.robot, entry.robot_model}.intersection(task.avoid):
        return "the sentence says no to it"
    if entry.id in left:
        return "it was tried in this run"
    if entry.training is None and task.dataset is None:
        return f"what comes along does not learn it from nothing; `--environment {entry.id}` takes it all the same"
    return ""


def _queries(task: TaskSpec) -> list[Query]:
    """Return the sentence as it is, and the words that intake kept of it: a model's may be in another language."""
    said = query_of(task.sentence)
    kept = Query(
        words=telling(word for tag in task.tags for word in tag.lower().split()), refused=said.refused
    )
    return [said, kept]


def _best(searches: Iterable[Sequence[Scored]]) -> list[Scored]:
    best: dict[str, Scored] = {}
    for found in searches:
        for scored in found:
            known = best.get(scored.entry.id)
            if known is None or scored.score > known.score:
                best[scored.entry.id] = scored
    order = {name: i for i, name in enumerate(entries())}
    return sorted(best.values(), key=lambda each: (-each.score, order[each.entry.id]))


def narrowed(task: TaskSpec, known: list[EnvEntry]) -> list[EnvEntry]:
    """Return the environments with the task's robot and framework.

    Raises:
        UsageError: There are none with it.
    """
    robots = {name for entry in known for name in (entry.robot, entry.robot_model) if name}
    frameworks = {entry.adapter for entry in known}
    for field, value, options in (("robot", task.robot, robots), ("framework", task.framework, frameworks)):
        if value is not None and value not in options:
            raise UsageError(
                f"No environment has the {field} `{value}`{did_you_mean(value, options)}",
                hint=f"There are {listing(options)}.",
            )
    return [
        entry
        for entry in known
        if task.robot in {None, entry.robot, entry.robot_model} and task.framework in {None, entry.adapter}
    ]


def _missed(scored: Scored) -> str:
    return f"it knows nothing of {listing(scored.missed)}" if scored.missed else "it knows too little of it"


def _nothing(task: TaskSpec, weighed: Sequence[Weighed]) -> UsageError | EnvironmentSetupError:
    """Return the error for a task that nothing was chosen for."""
    ready = [each for each in weighed if each.scored.score >= THRESHOLD and not each.reason]
    if ready and ready[0].lack is not None:
        entry = ready[0].scored.entry
        return EnvironmentSetupError(
            f"`{entry.id}` fits the task, but {ready[0].lack.reason}.", hint=ready[0].lack.remedy
        )
    sentence = " ".join(task.sentence.split())
    if not weighed:
        return UsageError(f"No environment fits `{sentence}`.", hint=_NAME_ONE)
    near = "; ".join(
        f"`{each.scored.entry.id}` ({each.scored.score:.2f}: {each.match().reason})" for each in weighed[:3]
    )
    return UsageError(f"No environment fits `{sentence}` well enough. Near misses: {near}.", hint=_NAME_ONE)


_NAME_ONE = "`rpent smith envs` lists what there is; name one with `--environment`, or describe a scene with `--scene`."
