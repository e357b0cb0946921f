"""Which algorithm, by which trainer: the user's, the environment's usual one, or the first that fits and is there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpent.errors import EnvironmentSetupError, PluginError, UsageError
from rpent.plugins import registry
from rpent.suggest import did_you_mean, listing

from rpent_robosmith.work.interpreter import missing
from rpent_robosmith.work.requirements import needs_lack, requirements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent_robosmith.catalog.entry import EnvEntry
    from rpent_robosmith.facts import SpaceFacts
    from rpent_robosmith.specs import AlgorithmSpec, TrainerSpec
    from rpent_robosmith.task import TaskSpec

ORDER = ("sac", "ppo", "tqc", "crossq", "td3", "bc", "act")
"""What is tried first where the environment says nothing; others follow by name."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """An algorithm and who trains it."""

    algorithm: AlgorithmSpec
    trainer: TrainerSpec

    @property
    def name(self) -> str:
        """What the user types."""
        return self.algorithm.name


def algorithms() -> dict[str, Choice]:
    """Return every algorithm of the installed trainers: RoboSmith's own usual order first, then by name.

    Where two trainers have an algorithm of the same name, the first trainer by name has it.
    """
    found: dict[str, Choice] = {}
    for trainer in _trainers():
        for algorithm in trainer.algorithms:
            found.setdefault(algorithm.name, Choice(algorithm=algorithm, trainer=trainer))
    rank = {name: number for number, name in enumerate(ORDER)}
    names = sorted(found, key=lambda name: (rank.get(name, len(ORDER)), name))
    return {name: found[name] for name in names}


def choose(
    task: TaskSpec, entry: EnvEntry, action: SpaceFacts | None, *, python: str | None = None
) -> Choice:
    """Return the algorithm that a task begins with.

    Args:
        task: The user's algorithm and dataset, and what the sentence says no to.
        entry: The environment, with its usual algorithm.
        action: Its action space; None before it was inspected, when any is taken to fit.
        python: The interpreter that the user chose for workers.

    Raises:
        UsageError: The user's algorithm is unknown or does not fit, or nothing fits.
        EnvironmentSetupError: What fits is not installed; the hint says how to install it.
    """
    if task.algorithm is not None:
        return named(task.algorithm, task, entry, action, python=python)
    fits = [choice for choice in _preferred(task, entry) if _misfit(choice, task, action) is None]
    for choice in fits:
        if not lacking(choice, entry, python=python):
            return choice
    if not fits:
        what = "imitation" if task.dataset is not None else "reinforcement learning"
        raise UsageError(
            f"No installed algorithm for {what} acts in `{action.kind if action else 'any'}` spaces."
        )
    raise _not_installed(fits[0], entry)


def named(
    name: str, task: TaskSpec, entry: EnvEntry, action: SpaceFacts | None, *, python: str | None = None
) -> Choice:
    """Return an algorithm by its name.

    Raises:
        UsageError: It is unknown, or does not fit the task or the action space.
        EnvironmentSetupError: It is not installed.
    """
    known = algorithms()
    if name not in known:
        raise UsageError(
            f"`{name}` is no algorithm of the installed trainers{did_you_mean(name, known)}",
            hint=f"There are {listing(known)}.",
        )
    choice = known[name]
    misfit = _misfit(choice, task, action)
    if misfit is not None:
        raise UsageError(
            f"`{name}` {misfit}.", hint="`rpent smith trainers` lists which algorithm fits where."
        )
    if lacking(choice, entry, python=python):
        raise _not_installed(choice, entry)
    return choice


def usual(task: TaskSpec, entry: EnvEntry) -> Choice | None:
    """Return the algorithm that a task begins with where everything is installed; None where nothing fits."""
    if task.algorithm is not None:
        return algorithms().get(task.algorithm)
    return next((choice for choice in _preferred(task, entry) if _misfit(choice, task, None) is None), None)


def fitting(
    task: TaskSpec, entry: EnvEntry, action: SpaceFacts | None, *, python: str | None = None
) -> tuple[str, ...]:
    """Return the algorithms that fit a task and are installed, the ones to try first in front."""
    return tuple(
        choice.name
        for choice in _preferred(task, entry)
        if _misfit(choice, task, action) is None and not lacking(choice, entry, python=python)
    )


def lacking(choice: Choice, entry: EnvEntry, *, python: str | None = None) -> list[str]:
    """Return the modules that a training of an environment by a trainer would lack here; nothing is imported."""
    needed = requirements(entry, choice.trainer)
    return missing(needed.needs, needed.environments, python=python)


def _preferred(task: TaskSpec, entry: EnvEntry) -> list[Choice]:
    known = algorithms()
    usual = entry.training.algorithm if entry.training is not None else None
    names = [*([usual] if usual in known else []), *(name for name in known if name != usual)]
    return [known[name] for name in names if name not in task.avoid]


def _misfit(choice: Choice, task: TaskSpec, action: SpaceFacts | None) -> str | None:
    algorithm = choice.algorithm
    if algorithm.paradigm == "imitation" and task.dataset is None:
        return "learns from demonstrations, and no `--dataset` is given"
    if algorithm.paradigm == "rl" and task.dataset is not None:
        return "learns from a reward, not from a `--dataset`"
    if action is not None and action.kind not in algorithm.action_spaces:
        return f"acts in {listing(algorithm.action_spaces)} spaces, and the environment has a `{action.kind}` one"
    return None


def _not_installed(choice: Choice, entry: EnvEntry) -> EnvironmentSetupError:
    lack = needs_lack(choice.trainer.needs, requirements(entry, choice.trainer).environments)
    return EnvironmentSetupError(
        f"`{choice.name}` cannot be used here: {lack.reason}.", hint=lack.remedy or "rpent smith trainers"
    )


def _trainers() -> Iterator[TrainerSpec]:
    for name in registry.names("trainers"):
        try:
            yield registry.get("trainers", name)
        except PluginError:  # `rpent plugins list` shows it
            continue
