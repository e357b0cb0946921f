"""`rpent check planner`: one real session over a world of one picture, and what it says about the planner."""

from __future__ import annotations

import tempfile
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rpent.errors import RpentError
from rpent.planners.driving import check_planner, start_planner
from rpent.planners.trial_toolkit import COLOURS, TrialToolkit
from rpent.robot import Prompts, TaskSetup, ToolContext
from rpent.runs import events as ev
from rpent.runs.directory import create
from rpent.runs.outcome import Ending
from rpent.runs.recorder import Recorder
from rpent.session.limits import Limits
from rpent.session.scope import CallScope
from rpent.session.session import Session

if TYPE_CHECKING:
    from pydantic import BaseModel

    from rpent.planners.planner import Planner
    from rpent.runs.events import Event

LIMITS = Limits(max_turns=8, time_limit_s=120.0)
GRACE_S = 30.0
"""How long a planner may take to return once its session is over."""
PROMPTS = Prompts(
    system=(
        "You help to check a connection. You act through tools only. `look` shows a picture of a table with one "
        "coloured shape; `finish` ends the task."
    ),
    user=(
        "Call `look` once. Then call `finish` with the status `success` and a summary that names the colour and "
        "the shape that the picture shows, such as `a purple star`. If no picture reaches you, say so in the "
        "summary instead of guessing."
    ),
)


@dataclass(kw_only=True, slots=True)
class Trial:
    """What the trial found, as far as it came."""

    ok: bool = False
    error: str = ""
    """What is wrong, in one sentence; empty when nothing is."""
    hint: str = ""
    warning: str = ""
    model: str = ""
    endpoint: str = ""
    """Empty: the provider's own."""
    images: bool = True
    """Whether the planner shows pictures to its model."""
    check_s: float | None = None
    first_call_s: float | None = None
    """From the session's start to the first tool call."""
    total_s: float | None = None
    turns: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    shown: str = ""
    """What the picture shows."""
    summary: str = ""
    """What the planner said of it."""
    understood: bool | None = None
    """Whether it named the colour; None when it came to no answer."""
    notices: list[str] = field(default_factory=list)
    """Retries and the like."""

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)


def run_trial(
    planner: Planner, config: BaseModel | None = None, *, limits: Limits = LIMITS, **world: str
) -> Trial:
    """Let a planner look at one picture and name its colour.

    Args:
        planner: The planner to try.
        config: Its configuration, for the model's name, the address, and whether it gets pictures.
        limits: Budgets of the session.
        **world: `colour` and `shape` of the picture; random where left out.
    """
    trial = Trial(
        model=str(getattr(config, "model", None) or ""),
        endpoint=str(getattr(config, "base_url", None) or ""),
        images=bool(getattr(config, "images", True)),
    )
    started = time.monotonic()
    try:
        check_planner(planner, limits)
        trial.check_s = _since(started)
        with tempfile.TemporaryDirectory(prefix="rpent-check-", ignore_cleanup_errors=True) as folder:
            _try_in(Path(folder), trial, planner, limits, world)
    except RpentError as error:
        trial.error, trial.hint = error.message, error.hint or ""
    trial.ok = not trial.error
    return trial


def _try_in(folder: Path, trial: Trial, planner: Planner, limits: Limits, world: dict[str, str]) -> None:
    scope, setup = CallScope(), TaskSetup(instruction="Name the colour of the shape.", tag="check", seed=0)
    recorder = Recorder(create(folder, setup.tag, "check"), record_video=False)
    run_dir = recorder.directory.path
    context = ToolContext(
        setup=setup, channels={}, run_dir=run_dir, cancel=scope.token, progress=scope.progress
    )
    toolkit = TrialToolkit(context, **world)
    trial.shown = f"a {toolkit.colour} {toolkit.shape}"
    session = Session(
        task=setup, prompts=PROMPTS, toolkit=toolkit, recorder=recorder, scope=scope, limits=limits
    )
    try:
        _drive(planner, session, trial)
        _judge(trial, session, toolkit, _trouble(recorder))
    finally:
        session.close(1.0)
        recorder.close()


def _drive(planner: Planner, session: Session, trial: Trial) -> None:
    session.open()
    started = time.monotonic()
    session.recorder.listen(_watcher(trial, started))
    thread = start_planner(planner, session)
    try:
        while thread.is_alive() and session.ended is None:
            thread.join(0.1)
    except KeyboardInterrupt:
        session.end(Ending(reason="interrupted", detail="Interrupted by the user."))
        thread.join(GRACE_S)
        raise
    trial.total_s = _since(started)
    thread.join(GRACE_S)
    if thread.is_alive():
        trial.warning = "The planner did not return after its session had ended."
    usage = session.budget.usage
    trial.turns = session.budget.turns
    trial.input_tokens, trial.output_tokens = usage.input_tokens, usage.output_tokens
    trial.cost_usd = usage.cost_usd
    trial.model = usage.model or trial.model


def _judge(trial: Trial, session: Session, toolkit: TrialToolkit, trouble: str) -> None:
    """Say what came of the session: the first thing that is wrong."""
    ended = session.ended
    assert ended is not None
    if ended.reason == "infrastructure":
        trial.error, trial.hint = ended.detail, trouble if _is_bug(ended) else ended.hint
    elif ended.planner_status is None:
        trial.error = f"The planner came to no `finish`: {ended.detail}"
        trial.hint = "Take a `--model` that calls tools, or raise its limits."
    elif toolkit.looks == 0:
        trial.error = "The planner finished without calling `look`."
        trial.hint = "Take a `--model` that calls tools."
    if trial.error or ended.planner_status is None:
        return
    trial.summary = ended.detail
    trial.understood = names_only(toolkit.colour, ended.detail)
    if trial.understood:
        return
    what = f"The picture was not understood: it shows {trial.shown}, the model said `{ended.detail[:120]}`."
    if trial.images:
        trial.error = what
        trial.hint = "Take a `--model` that reads pictures, or give `--no-images`."
    else:
        trial.warning = "Pictures are off (`--no-images`): the model works from numbers and captions alone."


def _is_bug(ended: Ending) -> bool:
    return "traceback" in ended.hint


def names_only(colour: str, text: str) -> bool:
    """Whether a text names this colour, and no other that the picture might have had."""
    words = set("".join(letter if letter.isalpha() else " " for letter in text.lower()).split())
    return words & set(COLOURS) == {colour}


def _watcher(trial: Trial, started: float) -> Any:
    def watch(event: Event) -> None:
        if isinstance(event, ev.ToolCalled) and trial.first_call_s is None:
            trial.first_call_s = _since(started)
        elif isinstance(event, ev.Notice):
            trial.notices.append(event.text)

    return watch


def _trouble(recorder: Recorder) -> str:
    """Return the last line of a traceback's innermost frame: the run's log does not outlive the trial."""
    log = recorder.directory.logs / "run.log"
    with suppress(OSError):
        lines = [line.strip() for line in log.read_text(encoding="utf-8").splitlines() if "File " in line]
        return f"It was raised in {lines[-1].removeprefix('File ')}." if lines else ""
    return ""


def _since(started: float) -> float:
    return round(time.monotonic() - started, 2)
