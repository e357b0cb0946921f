"""`rpent show`: a recorded run as text."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from rpent.runs import events as ev
from rpent.runs.attempts import Attempt, attempt_line
from rpent.runs.events import read_events
from rpent.runs.index import is_locked
from rpent.runs.processes import PlannerChange, planner_changes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent.runs.directory import RunDirectory
    from rpent.runs.events import Event

_WIDTH = 160


def show_lines(directory: RunDirectory) -> Iterator[str]:
    """Yield the text: what was run, the conversation, how it ended.

    Raises:
        RunDirectoryError: It is not a run directory.
    """
    manifest = directory.read_manifest()
    yield from _head(manifest)
    yield ""
    if directory.events.is_file():
        for event in read_events(directory.events):
            yield from event_lines(event)
    yield ""
    yield from _tail(manifest, directory)


def _head(manifest: dict[str, Any]) -> Iterator[str]:
    task = manifest["task"]
    yield f"task        {task['instruction']}"
    details = {key: value for key, value in task.items() if key not in {"instruction", "tag"}}
    yield f"episode     {task['tag']} ({_facts(details)})"
    for kind in ("robot", "planner", "perceptor"):
        if plugin := manifest.get(kind):
            origin = f"  [{plugin['distribution']} {plugin['version']}]" if plugin.get("distribution") else ""
            yield f"{kind:<11} {plugin['name']}{origin}"
        if kind == "planner":
            yield from (_cut(f"            then {change}") for change in _later_planners(manifest))
    if policy := manifest.get("policy"):
        yield _cut(f"policy      {_policy(policy)}")
    if manifest.get("privileged_perceptors"):
        yield f"privileged  {', '.join(manifest['privileged_perceptors'])} (reads ground truth)"
    for caveat in manifest.get("caveats", ()):
        yield f"caveat      {caveat}"
    yield f"created     {_when(manifest['created'])} by rpent {manifest['rpent']}"


def _policy(policy: dict[str, Any]) -> str:
    """Return which policy drove the robot: its backend, checkpoint and layout, and whether the run started it."""
    served = policy.get("served", {})
    checkpoint = served.get("checkpoint") or policy.get("config", {}).get("checkpoint", "")
    layout = served.get("layout") or policy.get("layout") or "unknown"
    origin = (
        f"  [{policy['distribution']} {policy['version']}]" if policy.get("distribution") else "  (attached)"
    )
    return f"{policy.get('name') or served.get('backend')} {checkpoint}, layout {layout}{origin}"


def _later_planners(manifest: dict[str, Any]) -> Iterator[str]:
    """Yield what later processes went on with, where it changed."""
    texts = [str(change) or "as started" for change in planner_changes(manifest)]
    yield from (text for before, text in zip(["as started", *texts], texts, strict=False) if text != before)


def _tail(manifest: dict[str, Any], directory: RunDirectory) -> Iterator[str]:
    outcome, counts = manifest.get("outcome"), manifest.get("counts") or {}
    if outcome is None:
        state = "still running" if is_locked(directory.path) else "interrupted before its end"
        yield f"outcome     {state}"
        if not is_locked(directory.path):
            yield f"            `rpent resume {directory.path}` goes on"
    else:
        says = {True: "success", False: "not solved", None: "no verdict"}[outcome["benchmark_success"]]
        yield f"benchmark   {says}"
        claim = outcome["planner_status"] or "no claim"
        yield f"planner     {claim} ({outcome['reason']}) {outcome['detail']}"
    if counts:
        yield f"counts      {_facts(counts)}"
    for attempt in manifest.get("attempts", ()):
        yield f"attempt     {attempt_line(Attempt.from_json(attempt)).removeprefix('attempt ')}"
    if explored := manifest.get("explored"):
        yield f"learned     {_facts(explored)}"
    usage = {key: value for key, value in (manifest.get("usage") or {}).items() if value}
    if usage:
        yield f"usage       {_facts(usage)}"
    if manifest.get("timings_s"):
        yield f"timings     {_facts(manifest['timings_s'])} (s)"
    for problem in manifest.get("problems", ()):
        yield f"problem     {problem}"
    if directory.video.is_file():
        yield f"video       {directory.video}"


def event_lines(event: Event) -> Iterator[str]:  # noqa: PLR0912  (one case an event)
    """Yield the lines of one event; most have one or none."""
    match event:
        case ev.PromptsRendered():
            yield from _block("task", event.user)
        case ev.TurnStarted():
            yield f"— turn {event.turn}"
        case ev.AssistantText():
            yield from _block("planner", event.text)
        case ev.AssistantThinking():
            yield from _block("thinks", event.text)
        case ev.ToolCalled():
            who = "user: " if event.origin == "user" else ""
            yield _cut(f"  → {who}{event.name}({_facts(event.arguments)})")
        case ev.ToolReturned():
            yield _cut(f"    {'✓' if event.ok else '✗'} {_facts(_result(event))}")
        case ev.UserMessage():
            yield from _block(event.origin, event.text)
        case ev.ServiceState(state="crashed" | "failed"):
            yield _cut(f"  service {event.service} {event.state}: {event.detail}")
        case ev.Recovered():
            yield f"  service {event.service} restarted, world as after step {event.step}"
        case ev.RunResumed():
            change = PlannerChange(planner=event.planner, options=event.options)
            yield _cut(f"— resumed after step {event.step}" + (f" with {change}" if change else ""))
        case ev.AttemptStarted():
            yield f"— attempt {event.attempt}"
        case ev.AttemptEnded():
            yield f"— {attempt_line(event)}"
            yield from _block("lesson", event.lesson)
        case ev.Notice(level="warning" | "error"):
            yield _cut(f"  {event.level}: {event.text}")
        case ev.StageChanged(status="failed"):
            yield _cut(f"  {event.stage} " + (f"failed: {event.detail}" if event.detail else "stopped"))
        case _:
            pass


def _result(event: ev.ToolReturned) -> dict[str, Any]:
    shown = {key: value for key, value in event.data.items() if key != "observation" and value != ""}
    return shown | ({"pictures": [image["path"] for image in event.images]} if event.images else {})


def _block(who: str, text: str) -> Iterator[str]:
    for number, line in enumerate(text.strip().splitlines()):
        yield f"  {who if number == 0 else '':<9} {line}"


def _facts(values: Any) -> str:
    if not isinstance(values, dict):
        return str(values)
    return ", ".join(f"{key}={_value(value)}" for key, value in values.items())


def _value(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    return str(value)


def _cut(line: str) -> str:
    return line if len(line) <= _WIDTH else line[: _WIDTH - 1] + "…"


def _when(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))
