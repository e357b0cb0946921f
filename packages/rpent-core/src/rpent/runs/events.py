"""The events of a run: one typed object a line in `events.jsonl`, numbered, append-only.

A reader skips a torn last line (a kill in the middle of a write) and keeps events of types that it does not know, and
fields that it does not know.

Pictures are references, never pixels: `{"name", "caption", "media_type", "width", "height", "path", "sha256"}`. `path`
is relative to the run directory, `sha256` the hash of the file in hexadecimal (older runs have none), `width` and
`height` are pixels.
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
    """The robot's name, as in `--robot`."""
    planner: str
    """The planner's name, as in `--planner`."""
    instruction: str
    """The task in words."""
    tag: str
    """The task's short name, which the run directory begins with."""
    seed: int
    """Selects the initial state."""


class RunResumed(Event):
    """A later process goes on with the run, from the state after `step`."""

    type: Literal["run_resumed"] = "run_resumed"
    step: int
    """Index of the step whose state was restored; -1 where the episode begins anew."""
    planner: str = ""
    """Who goes on, where that is another planner than the run was started with, or it has other options."""
    options: dict[str, Any] = {}
    """Its options that differ from those the run was started with; of another planner, those that were given."""
    dropped_from_seq: int | None = None
    """Events from this number on (of a call that never returned) have no effect on the restored state."""


class TaskStated(Event):
    """The scene says what the task is in words; until now it was only named."""

    type: Literal["task_stated"] = "task_stated"
    instruction: str
    """The task in the benchmark's own words."""


class StageChanged(Event):
    """A stage of the run began, ended or failed."""

    type: Literal["stage"] = "stage"
    stage: str
    """`prompts`, `services`, `toolkit`, `session`, in this order."""
    status: Literal["started", "done", "failed"]
    elapsed_s: float | None = None
    """Seconds that the stage took; None at its start."""
    detail: str = ""
    """Why it failed."""


class ServiceState(Event):
    """A service changed state."""

    type: Literal["service"] = "service"
    service: str
    """`env`, `vla`, `perception`: also the name of its log, `logs/<service>.log`."""
    state: str
    """`starting`, `loading`, `ready`, `restarting`, `crashed`, `failed`, `stopped`."""
    detail: str = ""
    """What happened, where that is not plain."""


class PromptsRendered(Event):
    """What the planner is told at the start."""

    type: Literal["prompts"] = "prompts"
    system: str
    """The system prompt."""
    user: str
    """The first message: the task, as a user may have edited it."""


class TurnStarted(Event):
    """The planner begins a turn (one model reply)."""

    type: Literal["turn"] = "turn"
    turn: int
    """From 1, also across resumes."""


class AssistantText(Event):
    """The planner said something."""

    type: Literal["text"] = "text"
    turn: int
    """The turn that it belongs to."""
    text: str


class AssistantThinking(Event):
    """The planner thought aloud."""

    type: Literal["thinking"] = "thinking"
    turn: int
    """The turn that it belongs to."""
    text: str


class ToolCalled(Event):
    """A tool call begins."""

    type: Literal["tool_called"] = "tool_called"
    turn: int
    """The planner's last turn."""
    call_id: str
    """Names the call; no other call of the run has it."""
    name: str
    """The tool's name."""
    arguments: Any
    """As they were given: an object, or text that is no JSON object and is therefore refused."""
    readonly: bool = False
    """Whether the tool leaves the world as it is; no step is captured after it."""
    origin: Origin = "planner"
    """Who called."""


class ToolProgress(Event):
    """The tool call under way reports progress, at most twice a second."""

    type: Literal["tool_progress"] = "tool_progress"
    call_id: str
    data: dict[str, Any]
    """What the tool says: numbers with their units in the names (`distance_m`)."""


class ToolReturned(Event):
    """A tool call ended. `data` and `images` are what the planner gets."""

    type: Literal["tool_returned"] = "tool_returned"
    call_id: str
    """As in `tool_called`."""
    name: str
    """As in `tool_called`."""
    ok: bool
    """Whether the call was carried out; what the tool achieved is in `data`."""
    data: dict[str, Any]
    """The tool's own data; after an action also `step` and `observation`; `error`, `hint` when not `ok`."""
    text: str
    """`data` as JSON of bounded length, which is what a language model reads."""
    images: list[dict[str, Any]] = []
    """References of the pictures that the planner gets."""
    views: list[dict[str, Any]] = []
    """References of pictures of further cameras after the call, for whoever watches; the planner does not get them."""
    depth: list[str] = []
    """Cameras whose depth is stored with the step, as `steps/NNNN/depth_<camera>.png`: 16 bits, millimetres, 0 where
    nothing was measured."""
    step: int | None = None
    """Index of the step that was captured after the call, in `steps/NNNN`; None where none was."""
    env_steps: int = 0
    """Control steps of the episode so far (of the attempt, where the run explores)."""
    elapsed_s: float = 0.0
    """Seconds from the call to its end, the capture included."""
    cancelled: bool = False
    """The user, a limit or the end of the session stopped it on its way."""
    executed: bool = True
    """False: refused before anything happened (bad arguments, unknown tool, session over)."""
    recipe: bool = False
    """Whether `recipe.jsonl` holds the call."""
    origin: Origin = "planner"
    """Who called."""
    video_s: tuple[float, float] | None = None
    """From where to where `episode.mp4` shows the call, in seconds; None where nothing was filmed."""


class FrameShown(Event):
    """What the main camera sees while a call is under way, in runs that somebody watches; at most five a second."""

    type: Literal["frame"] = "frame"
    call_id: str
    """The call under way."""
    image: dict[str, Any]
    """Reference of the picture, `clips/<call>/NNNN.jpg`; a long run keeps fewer of them the longer it takes."""


class StepCaptured(Event):
    """A step that no tool call led to: the opening observation, or the one after a resume."""

    type: Literal["step"] = "step"
    step: int
    """Index of the step, in `steps/NNNN`."""
    env_steps: int
    """Control steps of the episode so far."""
    state: dict[str, Any]
    """What the robot says of the world: poses, gripper, flags; SI units."""
    images: list[dict[str, Any]] = []
    """References of the pictures that the planner gets."""
    views: list[dict[str, Any]] = []
    """As in `tool_returned`."""
    depth: list[str] = []
    """As in `tool_returned`."""


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
    """`nudge`: the session reminds a model that stopped without `finish`."""
    interrupt: bool = False
    """Whether it also stopped the running call and the reply under way."""


class MessagesDelivered(Event):
    """The planner took the user's messages; those before are no longer under way.

    Where the user has called tools themselves since the last time, the planner is told of it along with them.
    """

    type: Literal["messages_delivered"] = "messages_delivered"
    count: int
    """How many."""


class AwaitingUser(Event):
    """The planner waits for its user, who may speak to it or call tools themselves; the session's clock stands still.

    Written again after each call of the user, as long as the planner waits on.
    """

    type: Literal["awaiting_user"] = "awaiting_user"
    turn: int
    """The planner's last turn."""


class Notice(Event):
    """Something worth knowing that is not part of the conversation."""

    type: Literal["notice"] = "notice"
    text: str
    level: Level = "info"
    """How much it matters."""


class UsageReported(Event):
    """What one response of a model cost."""

    type: Literal["usage"] = "usage"
    input_tokens: int = 0
    """All that the model read, also what came from a cache."""
    output_tokens: int = 0
    """All that it wrote, also what it thought."""
    cache_read_tokens: int = 0
    """Of the input, what the provider had in its cache."""
    cache_write_tokens: int = 0
    """Of the input, what it put there."""
    reasoning_tokens: int = 0
    """Of the output, what was thought."""
    requests: int = 1
    """Requests that the numbers stand for."""
    cost_usd: float | None = None
    """US dollars; None where no price is known."""
    model: str = ""
    """The model that answered."""


class Recovered(Event):
    """A service that died was restarted and the world put back."""

    type: Literal["recovered"] = "recovered"
    service: str
    """Which one."""
    step: int
    """Index of the newest step; after a restart of the env server the world is as it was then."""
    detail: str = ""
    """Why it had to be restarted."""


class SessionEnded(Event):
    """The planner's session is over."""

    type: Literal["session_ended"] = "session_ended"
    reason: Reason
    """What ended it; `finished` by the planner, else the limit, the user or the failure."""
    planner_status: PlannerStatus | None = None
    """What `finish` claimed; None where it was not called. The benchmark's verdict is in `run_ended`."""
    detail: str = ""
    """One or two sentences."""


class RunEnded(Event):
    """The last event: the outcome, as in run.json."""

    type: Literal["run_ended"] = "run_ended"
    outcome: dict[str, Any]
    """`benchmark_success` (true, false, or null where the benchmark was not asked), `planner_status`, `reason`,
    `detail` and more."""


AnyEvent = Annotated[
    RunStarted
    | RunResumed
    | TaskStated
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
