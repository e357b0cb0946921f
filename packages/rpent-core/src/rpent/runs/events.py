"""The events of a run: one typed object a line in `events.jsonl`, numbered, append-only.

A reader skips a torn last line (a kill in the middle of a write) and keeps events of types that it does not
know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from rpent.encodable import encodable
from rpent.runs.outcome import PlannerStatus, Reason  # noqa: TC001  (pydantic reads the annotations)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Level = Literal["info", "warning", "error"]
"""How much a notice matters."""
Origin = Literal["planner", "user"]
"""Who called a tool: the planner, or the user while the planner waited for them."""


class Event(BaseModel):
    """What all events have; the recorder fills in number and time."""

    model_config = ConfigDict(extra="allow", ser_json_inf_nan="null")

    seq: int = -1
    """Number in the run, from 0 without gaps, also across resumes."""
    time: float = 0.0
    """Seconds since the epoch."""

    @model_validator(mode="before")
    @classmethod
    def _can_be_written(cls, value: Any) -> Any:
        return encodable(value)


class RunStarted(Event):
    """The run directory exists."""

    type: Literal["run_started"] = "run_started"
    robot: str
    planner: str
    instruction: str
    tag: str
    seed: int


class RunResumed(Event):
    """A later process goes on with the run, from the state after `step`."""

    type: Literal["run_resumed"] = "run_resumed"
    step: int
    planner: str = ""
    """Who goes on, where that is another planner than the run was started with, or it has other options."""
    options: dict[str, Any] = {}
    """Its options that differ from those the run was started with; of another planner, those that were given."""
    dropped_from_seq: int | None = None
    """Events from this number on (of a call that never returned) have no effect on the restored state."""


class StageChanged(Event):
    """A stage of the run began, ended or failed."""

    type: Literal["stage"] = "stage"
    stage: str
    status: Literal["started", "done", "failed"]
    elapsed_s: float | None = None
    detail: str = ""


class ServiceState(Event):
    """A service changed state."""

    type: Literal["service"] = "service"
    service: str
    state: str
    detail: str = ""


class PromptsRendered(Event):
    """What the planner is told at the start."""

    type: Literal["prompts"] = "prompts"
    system: str
    user: str


class TurnStarted(Event):
    """The planner begins a turn (one model reply)."""

    type: Literal["turn"] = "turn"
    turn: int


class AssistantText(Event):
    """The planner said something."""

    type: Literal["text"] = "text"
    turn: int
    text: str


class AssistantThinking(Event):
    """The planner thought aloud."""

    type: Literal["thinking"] = "thinking"
    turn: int
    text: str


class ToolCalled(Event):
    """A tool call begins."""

    type: Literal["tool_called"] = "tool_called"
    turn: int
    call_id: str
    name: str
    arguments: Any
    readonly: bool = False
    origin: Origin = "planner"


class ToolProgress(Event):
    """The tool call under way reports progress (throttled)."""

    type: Literal["tool_progress"] = "tool_progress"
    call_id: str
    data: dict[str, Any]


class ToolReturned(Event):
    """A tool call ended. `data` and `images` are what the planner gets."""

    type: Literal["tool_returned"] = "tool_returned"
    call_id: str
    name: str
    ok: bool
    data: dict[str, Any]
    text: str
    images: list[dict[str, Any]] = []
    """Name, caption, media type, size, path in the run directory and SHA-256 of the file; never the pixels."""
    views: list[dict[str, Any]] = []
    """Pictures of further cameras after the call, for whoever watches; the planner does not get them."""
    depth: list[str] = []
    """Cameras whose depth is stored with the step."""
    step: int | None = None
    """Index of the step that was captured after the call."""
    env_steps: int = 0
    elapsed_s: float = 0.0
    cancelled: bool = False
    executed: bool = True
    """False: refused before anything happened (bad arguments, unknown tool, session over)."""
    recipe: bool = False
    origin: Origin = "planner"
    video_s: tuple[float, float] | None = None
    """From where to where `episode.mp4` shows the call, in seconds; None where nothing was filmed."""


class FrameShown(Event):
    """What the main camera sees while a call is under way, in runs that somebody watches."""

    type: Literal["frame"] = "frame"
    call_id: str
    image: dict[str, Any]
    """As in `tool_returned`."""


class StepCaptured(Event):
    """A step that no tool call led to: the opening observation, or the one after a resume."""

    type: Literal["step"] = "step"
    step: int
    env_steps: int
    state: dict[str, Any]
    images: list[dict[str, Any]] = []
    views: list[dict[str, Any]] = []
    """As in `tool_returned`."""
    depth: list[str] = []


class AttemptStarted(Event):
    """An attempt of an exploring run begins, at the beginning of the episode."""

    type: Literal["attempt_started"] = "attempt_started"
    attempt: int
    """From 1."""
    step: int
    """Index of the step with which it begins."""


class AttemptEnded(Event):
    """An attempt is over. One that no other follows goes on when the run is resumed."""

    type: Literal["attempt_ended"] = "attempt_ended"
    attempt: int
    benchmark_success: bool | None
    """What the benchmark says."""
    status: PlannerStatus | None = None
    """What the planner claims; None where it did not get to say."""
    lesson: str = ""
    env_steps: int = 0
    """Control steps of this attempt."""


class UserMessage(Event):
    """The user (or the session in their name) told the planner something."""

    type: Literal["user_message"] = "user_message"
    text: str
    origin: Literal["user", "nudge"] = "user"
    interrupt: bool = False


class MessagesDelivered(Event):
    """The planner took the user's messages; those before are no longer under way."""

    type: Literal["messages_delivered"] = "messages_delivered"
    count: int


class AwaitingUser(Event):
    """The planner has nothing more to do and waits for its user; the session's clock stands still."""

    type: Literal["awaiting_user"] = "awaiting_user"
    turn: int


class Notice(Event):
    """Something worth knowing that is not part of the conversation."""

    type: Literal["notice"] = "notice"
    text: str
    level: Level = "info"


class UsageReported(Event):
    """What one response of a model cost."""

    type: Literal["usage"] = "usage"
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    requests: int = 1
    cost_usd: float | None = None
    model: str = ""


class Recovered(Event):
    """A service that died was restarted and the world put back."""

    type: Literal["recovered"] = "recovered"
    service: str
    step: int
    detail: str = ""


class SessionEnded(Event):
    """The planner's session is over."""

    type: Literal["session_ended"] = "session_ended"
    reason: Reason
    planner_status: PlannerStatus | None = None
    detail: str = ""


class RunEnded(Event):
    """The last event: the outcome, as in run.json."""

    type: Literal["run_ended"] = "run_ended"
    outcome: dict[str, Any]


AnyEvent = Annotated[
    RunStarted
    | RunResumed
    | StageChanged
    | ServiceState
    | PromptsRendered
    | TurnStarted
    | AssistantText
    | AssistantThinking
    | ToolCalled
    | ToolProgress
    | ToolReturned
    | FrameShown
    | StepCaptured
    | AttemptStarted
    | AttemptEnded
    | UserMessage
    | MessagesDelivered
    | AwaitingUser
    | Notice
    | UsageReported
    | Recovered
    | SessionEnded
    | RunEnded,
    Field(discriminator="type"),
]

_ADAPTER: TypeAdapter[Any] = TypeAdapter(AnyEvent)


def parse_event(line: bytes) -> Event | None:
    """Read one line; None for a torn one or one of an unknown type."""
    try:
        event: Event = _ADAPTER.validate_json(line)
    except ValueError:
        return None
    return event


def read_events(path: Path) -> Iterator[Event]:
    """Read `events.jsonl`; torn lines and unknown types are skipped."""
    with path.open("rb") as file:
        for line in file:
            event = parse_event(line)
            if event is not None:
                yield event
