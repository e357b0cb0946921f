"""Whether a recipe solves the task again: it is replayed from a reset, in the env that is still open."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from rpent.planners.replay import ReplayConfig, ReplayPlanner
from rpent.robot import Prompts
from rpent.runs.directory import create
from rpent.runs.outcome import Ending
from rpent.runs.recorder import Recorder
from rpent.session.finish import NAME as FINISH
from rpent.session.limits import Limits
from rpent.session.session import Session, SessionEndedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpent.session.scope import CallScope
    from rpent.tools.toolkit import Toolkit

TIME_LIMIT_S = 300.0
_LIMITS = Limits(max_turns=None, max_tool_calls=None, time_limit_s=TIME_LIMIT_S)


def confirm(
    recipe: Path, *, original: Session, toolkit: Toolkit, scope: CallScope, stopped: Callable[[], bool]
) -> bool:
    """Replay a recipe from a reset and return whether the benchmark says then that the task is solved.

    The replay keeps to the session's own rules and leaves no trace in the run's record.

    Args:
        recipe: The recipe file.
        original: The session that explored; it is over.
        toolkit: Its toolkit, which can be reset.
        scope: Where the toolkit looks for the call under way.
        stopped: Asked ten times a second whether the user wants the run to end.

    Raises:
        RpentError: The world could not be reset or observed, or the replay was stopped.
    """
    toolkit.reset()
    with TemporaryDirectory(prefix="rpent-confirm-") as folder:
        recorder = Recorder(create(Path(folder), original.task.tag, "replay"), record_video=False)
        session = Session(
            task=original.task,
            prompts=Prompts(system="", user=""),
            toolkit=toolkit,
            tools=[tool for tool in original.tools if tool.name != FINISH],
            recorder=recorder,
            scope=scope,
            limits=_LIMITS,
        )
        try:
            session.open()
            _drive(ReplayPlanner(ReplayConfig(recipe=recipe)), session, stopped)
        finally:
            session.close()
            recorder.close()
        ended = session.ended
    if ended is None or ended.reason != "finished":
        raise SessionEndedError(
            f"The recipe could not be replayed: {ended.detail if ended else 'no reason is known'}"
        )
    return toolkit.benchmark_success() is True


def _drive(planner: ReplayPlanner, session: Session, stopped: Callable[[], bool]) -> None:
    def run() -> None:
        with suppress(SessionEndedError):
            planner.run(session)

    thread = threading.Thread(target=run, name="rpent-confirm", daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.1)
        if session.ended is None and stopped():
            session.end(Ending(reason="interrupted", detail="Interrupted by the user."))
