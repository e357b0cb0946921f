"""Carrying out one tool call: checks, the handler, the capture after it, and what the planner is told."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rpent.errors import (
    CallTimeoutError,
    CancelledCallError,
    ConnectionLostError,
    RemoteError,
    RpentError,
    RunDirectoryError,
    ServiceError,
    ToolError,
)
from rpent.runs import events as ev
from rpent.runs.files import plain
from rpent.runs.outcome import Ending
from rpent.runs.pictures import encode_pictures
from rpent.session import attempts, finish
from rpent.session.bounded import bounded_json
from rpent.session.done import Call, Done, failed
from rpent.session.reply import ToolReply
from rpent.session.validation import checked_arguments, parse_arguments
from rpent.suggest import did_you_mean
from rpent.tools.result import ToolResult

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from rpent.runs.recorder import Recorder
    from rpent.session.rescue import Rescue
    from rpent.session.scope import CallScope
    from rpent.session.session import Session
    from rpent.session.worker import Job
    from rpent.tools.result import Image
    from rpent.tools.tool import Tool
    from rpent.tools.toolkit import Toolkit

LOST = (ServiceError, ConnectionLostError, CallTimeoutError)
"""Errors after which the service has to be restarted: it died, or it hangs."""
MAX_RECOVERIES = 3
"""How often in a session a service is brought back."""
PROGRESS_INTERVAL_S = 0.5


class CallRunner:
    """Runs the calls of a session, on the session's worker thread."""

    def __init__(
        self,
        *,
        session: Session,
        toolkit: Toolkit,
        recorder: Recorder,
        scope: CallScope,
        recover: Callable[[RpentError], Rescue] | None,
        after_action: Callable[[], None] | None,
        during_action: Callable[[], AbstractContextManager[None]] | None,
    ) -> None:
        self.current: Job[ToolReply] | None = None
        """The call under way."""
        self.observation: Mapping[str, Any] = {}
        """The state as last captured."""
        self._session = session
        self._attempts = session.attempts
        self._toolkit = toolkit
        self._recorder = recorder
        self._scope = scope
        self._recover = recover
        self._after_action = after_action or (lambda: None)
        self._during_action = during_action or nullcontext
        self._recoveries = 0
        self._last_progress = 0.0
        self._tools = {tool.name: tool for tool in session.tools}

    def observe(self) -> ToolReply:
        """Capture the world without a call: the opening step."""
        capture = self._toolkit.capture()
        steps = self._toolkit.env_steps()
        step = self._recorder.step(capture, env_steps=steps)
        self.observation = plain(capture.state)
        data = {"step": step.index, "observation": self.observation}
        self._recorder.event(
            ev.StepCaptured(
                step=step.index,
                env_steps=steps,
                state=self.observation,
                images=[picture.reference() for picture in step.pictures],
                views=[picture.reference() for picture in step.views],
                depth=step.depth,
            )
        )
        if self._attempts is not None:
            self._attempts.open(step.index, self._recorder)
        return ToolReply(ok=True, data=data, images=step.pictures, text=bounded_json(data))

    def env_steps(self) -> int:
        """Control steps so far, those of earlier attempts included, as last observed."""
        earlier = self._attempts.env_steps if self._attempts is not None else 0
        return earlier + self._toolkit.env_steps()

    def run(self, job: Job[ToolReply], call: Call) -> ToolReply:
        """Carry out a call."""
        session = self._session
        if session.ended is None and call.name != finish.NAME:
            ending = session.budget.exceeded(self.env_steps()) or session.budget.next_call()
            if ending is not None:
                session.end(ending)
        if session.ended is not None:
            return self.refusal(call.call_id, session.ended.detail or session.ended.reason)
        self.current = job
        try:
            return self._recorded(job, call)
        finally:
            self.current = None

    def refusal(self, call_id: str, detail: str) -> ToolReply:
        """Return the reply to a call after the session's end."""
        data = {"error": f"The session is over: {detail}"}
        text = bounded_json(data)
        return ToolReply(ok=False, data=data, text=text, executed=False, ended=True, call_id=call_id)

    def _recorded(self, job: Job[ToolReply], call: Call) -> ToolReply:
        name, call_id = call.name, call.call_id
        tool = self._tools.get(name)
        shown, mistake = _parsed(call.arguments)
        self._recorder.event(
            ev.ToolCalled(
                turn=self._session.budget.turns,
                call_id=call_id,
                name=name,
                arguments=plain(shown),
                readonly=tool.readonly if tool else True,
                origin=call.origin,
            )
        )
        started, filmed_s = time.monotonic(), self._recorder.filmed_s
        done = failed(mistake, executed=False) if mistake else self._checked(job, tool, call, shown)
        self._add_notices(done)
        reply = self._reply(done, call_id)
        self._recorder.event(
            ev.ToolReturned(
                call_id=call_id,
                name=name,
                ok=done.ok,
                data=plain(done.data),
                text=reply.text,
                images=[picture.reference() for picture in done.pictures],
                views=[picture.reference() for picture in done.views],
                depth=done.depth,
                step=done.step,
                env_steps=self._toolkit.env_steps(),
                elapsed_s=round(time.monotonic() - started, 3),
                cancelled=done.cancelled,
                executed=done.executed,
                recipe=tool is not None and tool.recipe and done.executed and not done.undone,
                origin=call.origin,
                video_s=_span(filmed_s, self._recorder.filmed_s),
            )
        )
        return self._after(reply)

    def _checked(self, job: Job[ToolReply], tool: Tool | None, call: Call, given: Any) -> Done:
        """Refuse what cannot be executed, else execute it."""
        name = call.name
        if tool is None:
            known = ", ".join(f"`{known}`" for known in self._tools)
            return failed(
                ToolError(
                    f"There is no tool `{name}`{did_you_mean(name, self._tools)}", hint=f"Tools: {known}."
                ),
                executed=False,
            )
        over = None if tool.readonly or name == attempts.NAME else self._episode_over()
        if over is not None:
            return failed(over, executed=False)
        if job.token.cancelled or (call.origin == "planner" and self._session.held):
            why = job.token.reason if job.token.cancelled else "The user interrupted."
            return failed(CancelledCallError(f"`{name}` was not executed: {why}"), executed=False)
        try:
            arguments = checked_arguments(tool, given)
        except ToolError as error:
            return failed(error, executed=False)
        return self._performed(job, tool, arguments, call.call_id)

    def _episode_over(self) -> ToolError | None:
        over = self._toolkit.episode_over()
        if not over:
            return None
        more = self._attempts is not None and self._attempts.left > 0
        accepted = f"Call `{attempts.NAME}` for another attempt, or `finish`" if more else "Call `finish`"
        return ToolError(over, hint=f"{accepted}; no further action is accepted.")

    def _performed(self, job: Job[ToolReply], tool: Tool, arguments: dict[str, Any], call_id: str) -> Done:
        before = self._toolkit.env_steps()
        self._scope.enter(job.token, lambda data: self._progress(call_id, data))
        try:
            with nullcontext() if tool.readonly else self._during_action():
                done = self._handled(tool, arguments, job)
            if not tool.readonly:
                self._after_action()
            moved = done.ok or self._toolkit.env_steps() != before
            if not tool.readonly and moved:
                self._capture(done, tool, arguments, call_id)
                if tool.name == attempts.NAME and self._attempts is not None and done.step is not None:
                    self._attempts.next(done.step, self._recorder)
            else:
                self._store_images(done, call_id)
            return done
        except LOST as error:
            done = self._recovered(error, tool, self._toolkit.env_steps() - before)
            if not (done.undone or tool.readonly) and self._toolkit.env_steps() != before:
                self._capture_again(done, tool, arguments, call_id)
            return done
        finally:
            self._scope.leave()

    def _handled(self, tool: Tool, arguments: dict[str, Any], job: Job[ToolReply]) -> Done:
        try:
            result: Any = tool.handler(**arguments)
        except (*LOST, RunDirectoryError):
            raise
        except CancelledCallError:
            return failed(
                CancelledCallError(f"`{tool.name}` was cancelled: {job.token.reason}"), cancelled=True
            )
        except RpentError as error:
            return failed(error)
        except Exception as error:  # noqa: BLE001  (a bug in a tool must not end the run)
            self._recorder.trouble(f"tool `{tool.name}`", error)
            message = f"`{tool.name}` has a bug ({type(error).__name__}); your arguments were accepted."
            return failed(ToolError(message, hint="Try another way; the details are in the run's log."))
        if isinstance(result, Mapping):
            result = ToolResult(data=result)
        if not isinstance(result, ToolResult):
            return failed(ToolError(f"`{tool.name}` has a bug: it returned no `ToolResult`."))
        # `finish` is over at once: who cancels its job is the planner, which leaves because of it.
        cancelled = job.token.cancelled and tool.name != finish.NAME
        return Done(ok=True, data=dict(result.data), images=result.images, cancelled=cancelled)

    def _capture(self, done: Done, tool: Tool, arguments: dict[str, Any], call_id: str) -> None:
        capture = self._toolkit.capture()
        shown = {image.name for image in capture.images}
        extra_images = [image for image in done.images if image.name not in shown]
        whole = capture if not extra_images else _with_images(capture, extra_images)
        step = self._recorder.step(
            whole, env_steps=self._toolkit.env_steps(), call_id=call_id, tool=tool.name, arguments=arguments
        )
        done.step, done.pictures, done.views, done.depth = step.index, step.pictures, step.views, step.depth
        self.observation = plain(capture.state)
        done.data = {**done.data, "step": done.step, "observation": self.observation}

    def _store_images(self, done: Done, call_id: str) -> None:
        if done.images:
            done.pictures = self._recorder.pictures(encode_pictures(done.images), call_id)

    def _capture_again(self, done: Done, tool: Tool, arguments: dict[str, Any], call_id: str) -> None:
        """Record where a call ended that lost a service on its way; the next call notices if another one is gone."""
        try:
            self._after_action()
            self._capture(done, tool, arguments, call_id)
        except (*LOST, RemoteError):
            self._recorder.notice(f"The state after `{tool.name}` could not be observed.", "warning")

    def _recovered(self, error: RpentError, tool: Tool, steps: int) -> Done:
        """Bring a dead service back, or end the session."""
        if self._session.ended is not None:
            return failed(error)
        if self._recover is None or self._recoveries >= MAX_RECOVERIES:
            self._give_up(error, error.message)
            return failed(error)
        try:
            rescue = self._recover(error)
        except RpentError as failure:
            self._give_up(failure, f"{error.message} {failure.message}")
            return failed(ToolError(f"{error.message} {failure.message}"))
        self._recoveries += rescue.restarted
        if self._attempts is not None:
            self._attempts.stay()
        advice = f"`{tool.name}` may have had an effect: look at the state before you act again."
        if rescue.undone:
            advice = f"`{tool.name}` had no effect; call it again."
        elif steps > 0:
            advice = f"`{tool.name}` had carried out {steps} control steps, which stay done: look before you go on."
        done = failed(ToolError(f"{rescue.message} {advice}"))
        done.undone = rescue.undone
        return done

    def _give_up(self, error: RpentError, detail: str) -> None:
        self._session.end(Ending(reason="infrastructure", detail=detail, hint=error.hint or ""))

    def _progress(self, call_id: str, data: Mapping[str, Any]) -> None:
        frame = data.get("frame")
        if frame is not None:
            self._recorder.frame(frame, float(data.get("frame_s", 0.0)))
        rest = {key: value for key, value in data.items() if key not in {"frame", "frame_s"}}
        now = time.monotonic()
        if rest and now - self._last_progress >= PROGRESS_INTERVAL_S:
            self._last_progress = now
            self._recorder.event(ev.ToolProgress(call_id=call_id, data=plain(rest)))

    def _add_notices(self, done: Done) -> None:
        notices = [text for text in (self._session.budget.warning(), self._toolkit.episode_over()) if text]
        if notices and self._session.ended is None:
            done.data = {**done.data, "notices": notices}

    def _reply(self, done: Done, call_id: str) -> ToolReply:
        return ToolReply(
            ok=done.ok,
            data=done.data,
            images=done.pictures,
            text=bounded_json(done.data),
            undone=done.undone,
            cancelled=done.cancelled,
            executed=done.executed,
            ended=self._session.ended is not None,
            call_id=call_id,
        )

    def _after(self, reply: ToolReply) -> ToolReply:
        """End the session when the call used up a budget."""
        session = self._session
        ending = session.budget.exceeded(self.env_steps())
        if ending is not None and session.ended is None:
            session.end(ending)
        if session.ended is None or reply.ended:
            return reply
        return replace(reply, ended=True)


def _span(begin_s: float | None, end_s: float | None) -> tuple[float, float] | None:
    """Return a part of the video; None where there is none."""
    return None if begin_s is None or end_s is None or end_s <= begin_s else (begin_s, end_s)


def _parsed(arguments: Any) -> tuple[Any, ToolError | None]:
    try:
        return parse_arguments(arguments), None
    except ToolError as error:
        # `repr` is safe for whatever a model sent: nested too deep, or not JSON at all.
        return repr(arguments)[:2000] if isinstance(arguments, str) else type(arguments).__name__, error


def _with_images(capture: Any, images: list[Image]) -> Any:
    return replace(capture, images=[*capture.images, *images])
