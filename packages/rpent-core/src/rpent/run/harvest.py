"""The end of an exploring session: its drafts and the recipe of its best attempt go into the memory.

Only a session that came to its own end (`finish`, or a budget) is harvested. One that was interrupted, or whose
infrastructure failed, keeps its drafts in the run directory; `rpent resume` goes on with it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from rpent.errors import RpentError
from rpent.memory.layout import DRAFTS
from rpent.run.confirm import confirm
from rpent.runs.recipe import read_recipe

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpent.memory.store import Store
    from rpent.run.episode import Episode
    from rpent.runs.attempts import Attempt
    from rpent.session.attempts import Attempts
    from rpent.session.session import Session
    from rpent.tools.toolkit import Toolkit

UNFINISHED = ("interrupted", "infrastructure")


@dataclass(slots=True)
class Harvest:
    """What came of an exploring session."""

    merged: list[str] = field(default_factory=list)
    """Paths of the notes that were changed."""
    confirmed: int | None = None
    """The shortest attempt that the benchmark confirmed and whose recipe solves the task again."""
    published: bool = False
    """Its recipe is in the memory now; else there is a shorter one."""
    refuted: list[int] = field(default_factory=list)
    """Solved attempts whose recipe did not solve the task again."""
    lines: list[str] = field(default_factory=list)
    """What was done, one sentence a line."""
    problems: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "merged": self.merged,
            "confirmed": self.confirmed,
            "published": self.published,
            "refuted": self.refuted,
            "problems": self.problems,
        }


def harvest(episode: Episode, stopped: Callable[[], bool]) -> Harvest:
    """Merge the drafts and publish the best recipe; what goes wrong with one is said and stops nothing else.

    Args:
        episode: The run; its session is over, its services are still up.
        stopped: Whether the user wants the run to end.
    """
    found, session, toolkit = Harvest(), episode.session, episode.toolkit
    if session is None or session.attempts is None or toolkit is None:
        return found
    ending = episode.ending or session.ended
    if ending is None or ending.reason in UNFINISHED or stopped():
        if (episode.recorder.directory.path / DRAFTS).is_dir():
            found.lines.append(f"The drafts stay in `{DRAFTS}`: the session did not come to its end.")
        return found
    from rpent.memory.store import Store  # noqa: PLC0415  (only runs that explore need it)

    request = episode.resolved.request
    name = episode.resolved.robot_spec.name
    store = Store.at(request.memory_dir, name, episode.recorder.notice)
    for step in (_merge, _publish):
        try:
            step(episode, store, _Over(session, session.attempts, toolkit, stopped), found)
        except RpentError as error:
            found.problems.append(error.message)
    for line in found.lines:
        episode.recorder.notice(line)
    return found


@dataclass(frozen=True, slots=True)
class _Over:
    """A session that is over."""

    session: Session
    attempts: Attempts
    toolkit: Toolkit
    stopped: Callable[[], bool]


def _merge(episode: Episode, store: Store, over: _Over, found: Harvest) -> None:
    from rpent.memory.merge import Evidence, merge  # noqa: PLC0415

    setup, directory = episode.resolved.setup, episode.recorder.directory
    evidence = Evidence(
        run=directory.path.name,
        benchmark_success=over.attempts.verdict,
        created=episode.manifest["created"],
        family=setup.family,
        task=setup.task,
    )
    report = merge(store, directory.path / DRAFTS, evidence)
    found.merged += report.merged
    found.lines += [f"Merged into the memory: `{path}`." for path in report.merged]
    found.problems += [f"The draft {problem}" for problem in report.problems]


def _publish(episode: Episode, store: Store, over: _Over, found: Harvest) -> None:
    from rpent.memory.publish import publish_recipe  # noqa: PLC0415
    from rpent.memory.recorded import audit_of, solution_of  # noqa: PLC0415

    best = _confirmed(episode, over, found)
    if best is None:
        return
    directory, repeated = episode.recorder.directory, True if over.toolkit.resettable else None
    found.confirmed = best.attempt
    audit = audit_of(
        episode.manifest,
        directory.path.name,
        env_steps=best.env_steps,
        attempt=best.attempt,
        repeated=repeated,
    )
    publication = publish_recipe(
        store,
        episode.resolved.setup.task,
        solution_of(read_recipe(directory.recipe_of(best.attempt)), best.lesson),
        replace(audit, model=over.session.budget.usage.model),
    )
    found.published = publication.published
    what = "published" if publication.published else "not published"
    found.lines.append(f"The recipe of attempt {best.attempt} is {what}. {publication.detail}")


def _confirmed(episode: Episode, over: _Over, found: Harvest) -> Attempt | None:
    """Return the shortest solved attempt whose recipe solves the task again, from a reset.

    Where the robot cannot be reset, the benchmark's verdict on the attempt is all there is.
    """
    solved = [attempt for attempt in over.attempts.ended if attempt.benchmark_success is True]
    for attempt in sorted(solved, key=lambda attempt: (attempt.env_steps, attempt.attempt)):
        if not over.toolkit.resettable or _solves_again(episode, over, attempt):
            return attempt
        found.refuted.append(attempt.attempt)
        found.problems.append(
            f"The recipe of attempt {attempt.attempt} is not published: replayed from a reset, it did not solve the "
            "task."
        )
    return None


def _solves_again(episode: Episode, over: _Over, attempt: Attempt) -> bool:
    episode.recorder.notice(f"The recipe of attempt {attempt.attempt} is replayed from a reset.")
    recipe = episode.recorder.directory.recipe_of(attempt.attempt)
    return confirm(
        recipe, original=over.session, toolkit=over.toolkit, scope=episode.scope, stopped=over.stopped
    )
