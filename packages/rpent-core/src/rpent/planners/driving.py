"""Runs a planner over an opened session, on a thread of its own; whatever it raises becomes the session's end."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from rpent.errors import RpentError
from rpent.planners.faults import ModelError
from rpent.runs.outcome import Ending
from rpent.session.session import SessionEndedError

if TYPE_CHECKING:
    from rpent.planners.planner import Planner
    from rpent.session.limits import Limits
    from rpent.session.session import Session


def check_planner(planner: Planner, limits: Limits) -> None:
    """Let a planner look for what it needs (SDK, key, model server) before anything is started; some need nothing.

    Raises:
        ModelError: Something is missing or wrong.
    """
    check = getattr(planner, "check", None)
    if check is not None:
        check(limits)


def start_planner(planner: Planner, session: Session, *, resume: str = "") -> threading.Thread:
    """Start a planner; the thread ends with it, and then the session has ended too.

    Args:
        planner: What works on the session.
        session: An opened one.
        resume: The command that goes on with this run, for faults that pass or can be mended.
    """
    work = threading.Thread(target=_work, args=(planner, session, resume), name="rpent-planner", daemon=True)
    work.start()
    return work


def _work(planner: Planner, session: Session, resume: str) -> None:
    try:
        planner.run(session)
    except BaseException as raised:  # noqa: BLE001  (the run goes on to its close)
        end_for(cause_of(raised), session, resume)
    else:
        if session.ended is None:
            session.end(Ending(reason="finished", detail="The planner returned without calling `finish`."))


def end_for(error: BaseException, session: Session, resume: str = "") -> None:
    """End a session for what its planner raised."""
    if isinstance(error, SessionEndedError):
        return
    if isinstance(error, ModelError):
        session.recorder.trouble("the model's provider", error)
        session.fail(error.message, hint=remedy_of(error, resume))
    elif isinstance(error, RpentError):
        session.fail(f"The planner failed: {error.message}", hint=error.hint or "")
    else:
        session.recorder.trouble("planner", error)
        session.fail(
            f"The planner failed: {type(error).__name__}: {error}",
            hint="The traceback is in `logs/run.log`.",
        )


def remedy_of(error: ModelError, resume: str) -> str:
    """Return what to do about a fault, and how to go on with the run afterwards."""
    options, goes_on = error.other_options, ""
    if resume and error.resumable:
        goes_on = f"{'Then ' if error.hint else ''}`{resume}` goes on from here"
        goes_on += f", also with `{options}`." if options else "."
    elif resume and options:
        goes_on = f"`{resume} {options}` goes on from here."
    return " ".join(filter(None, (error.hint, goes_on)))


def cause_of(error: BaseException) -> BaseException:
    """Return the error that says most, out of the groups that task groups raise."""
    if not isinstance(error, BaseExceptionGroup):
        return error
    causes = [cause_of(member) for member in error.exceptions]
    for kind in (ModelError, SessionEndedError, RpentError, Exception):
        found = next((cause for cause in causes if isinstance(cause, kind)), None)
        if found is not None:
            return found
    return causes[0]
