"""Stage 8: flush the recording, write the outcome, stop the services. One that fails skips no other."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rpent.errors import RpentError
from rpent.run.harvest import Harvest, harvest
from rpent.runs import events as ev
from rpent.runs.attempts import attempt_line
from rpent.runs.outcome import Ending, Outcome
from rpent.specs import RunFinishedEvent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent.run.episode import Episode
    from rpent.tools.toolkit import Toolkit


def close_episode(episode: Episode) -> Outcome:
    """Close an episode and return its outcome."""
    problems: list[str] = []
    with _guard(episode, "session", problems):
        _close_session(episode)
    with _guard(episode, "benchmark", problems):
        if episode.toolkit is not None:
            episode.benchmark_success = _verdict(episode, episode.toolkit)
    learned = Harvest()
    with _guard(episode, "exploration", problems):
        if not problems:  # a tool that did not stop may still be at work in the world
            learned = harvest(episode, lambda: episode.asked_to_stop)
            problems += learned.problems
    with _guard(episode, "toolkit", problems):
        if episode.toolkit is not None:
            episode.toolkit.close()
    outcome = _outcome(episode)
    with _guard(episode, "record", problems):
        for problem in problems:
            episode.recorder.notice(problem, "warning")
        episode.recorder.event(ev.RunEnded(outcome=outcome.to_json()))
    with _guard(episode, "recording", problems):
        problems += episode.recorder.close()
    with _guard(episode, "services", problems):
        episode.supervisor.stop()
    with _guard(episode, "run.json", problems):
        _finish_manifest(episode, outcome, problems, learned)
    with _guard(episode, "life-cycle hooks", problems):
        _tell_plugins(episode, outcome)
    return replace(
        outcome,
        problems=tuple(problems),
        explored=_explored(episode, learned),
        caveats=tuple(episode.manifest.get("caveats", ())),
    )


def _close_session(episode: Episode) -> None:
    session = episode.session
    if session is None:
        return
    if episode.ending is not None:
        session.end(episode.ending)
    if not session.close(grace_s=1.0 if episode.impatient else None):
        raise RpentError("The last tool call did not stop in time.")


def _verdict(episode: Episode, toolkit: Toolkit) -> bool | None:
    """Return what the benchmark says; of several attempts, one success is enough."""
    session = episode.session
    if session is None or session.attempts is None:
        return toolkit.benchmark_success()
    session.attempts.close(episode.ending or session.ended, toolkit, episode.recorder)
    return session.attempts.verdict


def _outcome(episode: Episode) -> Outcome:
    ended = episode.session.ended if episode.session else None
    ending = episode.ending or ended or Ending(reason="infrastructure", detail="The run ended early.")
    return Outcome(
        benchmark_success=episode.benchmark_success,
        planner_status=ended.planner_status if ended else None,
        reason=ending.reason,
        detail=ending.detail,
        hint=ending.hint,
        run_dir=episode.recorder.directory.path,
    )


def _finish_manifest(episode: Episode, outcome: Outcome, problems: list[str], learned: Harvest) -> None:
    manifest: dict[str, Any] = episode.manifest
    session = episode.session
    manifest["finished"] = time.time()
    manifest["processes"][-1]["finished"] = manifest["finished"]
    manifest["outcome"] = outcome.to_json()
    if problems:
        manifest["problems"] = problems
    if session is not None:
        manifest["usage"] = session.budget.usage.to_json()
        manifest["counts"] = {
            "turns": session.budget.turns,
            "tool_calls": session.budget.tool_calls,
            "steps": episode.recorder.next_step,
            "env_steps": _env_steps(episode),
        }
        if session.attempts is not None:
            manifest["attempts"] = [attempt.to_json() for attempt in session.attempts.ended]
            manifest["explored"] = learned.to_json()
    episode.recorder.directory.write_manifest(manifest)


def _explored(episode: Episode, learned: Harvest) -> tuple[str, ...]:
    """Return what an exploring session tried, and what became of it."""
    attempts = episode.session.attempts if episode.session else None
    if attempts is None:
        return ()
    return (*(attempt_line(attempt) for attempt in attempts.ended), *learned.lines)


def _env_steps(episode: Episode) -> int:
    attempts = episode.session.attempts if episode.session else None
    if attempts is not None:
        return attempts.env_steps
    return episode.toolkit.env_steps() if episode.toolkit else 0


def _tell_plugins(episode: Episode, outcome: Outcome) -> None:
    tell = getattr(episode.resolved.registry, "lifecycle", None)
    if tell is not None:
        event = RunFinishedEvent(run_dir=str(episode.recorder.directory.path), outcome=outcome.to_json())
        tell("rpent_run_finished", event)


@contextmanager
def _guard(episode: Episode, what: str, problems: list[str]) -> Iterator[None]:
    try:
        yield
    except RpentError as error:
        problems.append(f"Closing the {what}: {error.message}")
    except Exception as error:  # noqa: BLE001  (the other steps must run)
        episode.recorder.trouble(f"closing the {what}", error)
        problems.append(f"Closing the {what}: {type(error).__name__}: {error}")
