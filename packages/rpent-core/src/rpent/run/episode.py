"""Stages 3 to 8 of a run. Whatever fails, the run directory is complete and nothing is left running."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rpent.cancel import NO_REASON
from rpent.encodable import encodable
from rpent.errors import RpentError, UsageError
from rpent.planners.driving import start_planner
from rpent.robot import Prompts, ToolContext
from rpent.run.actions import Actions
from rpent.run.closing import close_episode
from rpent.run.filming import Filming
from rpent.run.manifest import fresh_process, packages_of, policy_of
from rpent.run.memory import drafts_dir, open_memory
from rpent.run.perception import build_perceptor
from rpent.run.policy import VLA, check_served
from rpent.run.prompts import render
from rpent.run.recovery import ENV, Recovery
from rpent.run.services import service_requests
from rpent.run.tools import collect_tools
from rpent.run.views import Views
from rpent.runs import events as ev
from rpent.runs.outcome import Ending
from rpent.runs.processes import planner_changes
from rpent.services.supervisor import Supervisor
from rpent.session.attempts import Attempts
from rpent.session.limits import Budget
from rpent.session.scope import CallScope
from rpent.session.session import Session
from rpent.specs import RunStartedEvent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent.cancel import CancelToken
    from rpent.memory.view import MemoryView
    from rpent.run.resolve import Resolved
    from rpent.run.resume import ResumePoint
    from rpent.run.signals import Interrupts
    from rpent.run.steering import Steering
    from rpent.runs.outcome import Outcome
    from rpent.runs.recorder import Recorder
    from rpent.services.shared import SharedServices
    from rpent.tools.toolkit import Toolkit

PLANNER_GRACE_S = 30.0
"""How long a planner may take to return once its session is over."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Surroundings:
    """What an episode gets from whoever runs it."""

    interrupts: Interrupts
    cancel: CancelToken
    steering: Steering | None = None
    """A user who may edit the task and speak to the planner."""
    shared: SharedServices | None = None
    """Services that outlive the episode."""

    def interruption(self) -> Ending:
        """Return how a run ends that somebody stopped: a person at the keyboard, or who cancelled it and why."""
        said = self.cancel.cancelled and self.cancel.reason != NO_REASON
        return Ending(reason="interrupted", detail=self.cancel.reason if said else "Interrupted by the user.")


class Episode:
    """One run in its directory."""

    def __init__(
        self,
        resolved: Resolved,
        recorder: Recorder,
        manifest: dict[str, Any],
        surroundings: Surroundings,
        resume: ResumePoint | None = None,
    ) -> None:
        self.resolved = resolved
        self.recorder = recorder
        self.manifest = manifest
        self.resume = resume
        self.toolkit: Toolkit | None = None
        self.session: Session | None = None
        self.memory: MemoryView | None = None
        self.ending: Ending | None = None
        self.benchmark_success: bool | None = None
        self._surroundings = surroundings
        self.supervisor = Supervisor(
            run_dir=recorder.directory.path,
            logs_dir=recorder.directory.logs,
            on_event=self._service_event,
            shared=surroundings.shared,
        )
        self.scope = CallScope()
        self._prompts = Prompts(system="", user="")

    def run(self) -> Outcome:
        """Run the stages and close, whatever happens in them."""
        self.manifest["processes"].append(fresh_process(self.resolved))
        try:
            self._announce()
            self._stages()
        except KeyboardInterrupt:
            self.ending = self._surroundings.interruption()
        except RpentError as error:
            self.ending = Ending(reason="infrastructure", detail=error.message, hint=error.hint or "")
        except (Exception, SystemExit) as error:  # noqa: BLE001  (a bug still leaves a readable run)
            self.recorder.trouble("run", error)
            self.ending = Ending(
                reason="infrastructure",
                detail=f"{type(error).__name__}: {error}",
                hint="This is a bug; the traceback is in `logs/run.log`.",
            )
        self._surroundings.interrupts.raising = False
        outcome = close_episode(self)
        if self._surroundings.interrupts.pressed:
            self._surroundings.cancel.cancel("Interrupted by the user.")  # for what would come after this run
        return outcome

    def _stages(self) -> None:
        self.memory = open_memory(self)
        told = not self.resolved.setup.provisional
        if told:
            self._prepare_prompts()
        with self.stage("services"):
            self.supervisor.start(service_requests(self.resolved), check=self._check_cancelled)
            self._note_services()
            self._note_policy()
        self._tell_plugins()
        with self.stage("toolkit"):
            self.toolkit = self._build_toolkit()
            self._learn_the_task(self.toolkit)
        if not told:
            self._prepare_prompts()
        self._agree_on_the_task()
        with self.stage("session"):
            self._run_session(self.toolkit)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Record a stage's beginning, end and duration."""
        self._check_cancelled()
        started = time.monotonic()
        self.recorder.event(ev.StageChanged(stage=name, status="started"))
        try:
            yield
        except BaseException as error:
            detail = error.message if isinstance(error, RpentError) else str(error)
            elapsed = round(time.monotonic() - started, 3)
            self.recorder.event(
                ev.StageChanged(stage=name, status="failed", elapsed_s=elapsed, detail=detail)
            )
            raise
        else:
            elapsed = round(time.monotonic() - started, 3)
            self.recorder.event(ev.StageChanged(stage=name, status="done", elapsed_s=elapsed))
        finally:
            timings = self.manifest["timings_s"]
            timings[name] = round(timings.get(name, 0.0) + time.monotonic() - started, 3)

    def _announce(self) -> None:
        setup, names = self.resolved.setup, self.manifest
        self.recorder.directory.write_manifest(self.manifest)
        if self.resume is None:
            self.recorder.event(
                ev.RunStarted(
                    robot=names["robot"]["name"],
                    planner=names["planner"]["name"],
                    instruction=setup.instruction,
                    tag=setup.tag,
                    seed=setup.seed,
                )
            )

    def _build_toolkit(self) -> Toolkit:
        request = self.resolved.request
        self._context = ToolContext(
            setup=self.resolved.setup,
            channels=self.supervisor.channels,
            run_dir=self.recorder.directory.path,
            cancel=self.scope.token,
            progress=self.scope.progress,
            perceptor=build_perceptor(self.resolved, self.supervisor.channels),
            memory=self.memory,
            memory_drafts=drafts_dir(self),
            record_video=request.record_video or request.live,
        )
        toolkit = self.resolved.robot.toolkit(self._context)
        if self.resume is not None:
            self.resume.restore(toolkit, self.recorder, planner_changes(self.manifest)[-1])
        return toolkit

    def _learn_the_task(self, toolkit: Toolkit) -> None:
        """Take over what only the scene tells: the task in words, its details, and what the run is no evidence of."""
        self.manifest["task"] |= toolkit.details()
        self.manifest["caveats"] = list(
            dict.fromkeys([*self.manifest.get("caveats", ()), *toolkit.caveats()])
        )
        words = toolkit.instruction()
        if words is not None and words != self.resolved.setup.instruction:
            self.resolved = replace(self.resolved, setup=replace(self.resolved.setup, instruction=words))
            self.manifest["task"]["instruction"] = words
            if self.resume is None:
                self.recorder.event(ev.TaskStated(instruction=words))
        self.recorder.directory.write_manifest(self.manifest)

    def _prepare_prompts(self) -> None:
        with self.stage("prompts"):
            self._prompts = render(self.resolved)
            if self.resume is not None:
                self._prompts = self.resume.as_agreed(self._prompts)
            if self._surroundings.steering is not None:
                self._surroundings.steering.offer(self._prompts, resumed=self.resume is not None)

    def _agree_on_the_task(self) -> None:
        """Wait for the user's version of the task, where there is a user, and record what the planner is told."""
        steering = self._surroundings.steering
        if steering is not None:
            text = steering.first_message()
            self._check_cancelled()
            if text is None:
                raise KeyboardInterrupt
            self._prompts = replace(self._prompts, user=encodable(text))
        if self.resume is None:
            self.recorder.event(ev.PromptsRendered(system=self._prompts.system, user=self._prompts.user))

    def _run_session(self, toolkit: Toolkit) -> None:
        resume = self.resume
        limits = self.resolved.request.limits
        filming = self._attend()
        self.session = Session(
            task=self.resolved.setup,
            prompts=self._prompts,
            toolkit=toolkit,
            tools=collect_tools(self.resolved, toolkit, self._context, self.recorder),
            recorder=self.recorder,
            scope=self.scope,
            budget=resume.budget(limits) if resume else Budget(limits=limits),
            history=resume.transcript if resume else (),
            prior_calls=resume.calls if resume else 0,
            recover=Recovery(self.supervisor, toolkit, self.recorder, then=filming.start).recover,
            after_action=filming.fetch,
            during_action=filming.during_action,
            attempts=self._attempts(toolkit),
            memory=self.memory,
            interactive=self._surroundings.steering is not None,
        )
        self.session.open()
        if self._surroundings.steering is not None:
            self._surroundings.steering.attach(self.session)
        filming.start()  # after the first observation, which should not wait for it
        self._drive(self.session)

    def _attend(self) -> Filming:
        """Get what is recorded beside the toolkit's own captures, of which a part is only for spectators."""
        request, env = self.resolved.request, self.supervisor.channels.get(ENV)
        self.recorder.actions = Actions(env).fetch
        if request.live:
            self.recorder.views = Views(env, self.resolved.robot_spec.dashboard, self.recorder).take
        filmed = request.record_video or request.live
        return Filming(env if filmed else None, self.recorder, live=request.live)

    def _attempts(self, toolkit: Toolkit) -> Attempts | None:
        explore = self.resolved.request.explore
        if explore is None:
            return None
        if explore.attempts > 1 and not toolkit.resettable:
            raise UsageError(
                f"The robot `{self.resolved.robot_spec.name}` cannot be reset to the beginning of its episode.",
                hint="Explore with `--attempts 1`, or give its toolkit a `reset`.",
            )
        return Attempts(explore.attempts, self.resume.attempts if self.resume else ())

    def _drive(self, session: Session) -> None:
        """Run the planner on its own thread; watch for interrupts, the session's end and the planner's."""
        interrupts = self._surroundings.interrupts
        interrupts.raising = False
        thread = start_planner(self.resolved.planner, session, resume=self._resume_command())
        while thread.is_alive() and session.ended is None:
            thread.join(0.1)
            if interrupts.pressed or self._surroundings.cancel.cancelled:
                session.end(self._surroundings.interruption())
        deadline, presses = time.monotonic() + PLANNER_GRACE_S, interrupts.pressed
        insists = self._surroundings.cancel
        while thread.is_alive() and time.monotonic() < deadline and interrupts.pressed == presses:
            thread.join(0.1)
            if insists.insisted:
                break
        if thread.is_alive():
            self.recorder.notice("The planner did not return after its session had ended.", "warning")

    def _resume_command(self) -> str:
        """Return how this run is gone on with from the current folder; no absolute path gets into the record."""
        run = self.recorder.directory.path
        return f"rpent resume {run.relative_to(Path.cwd()) if run.is_relative_to(Path.cwd()) else run.name}"

    @property
    def asked_to_stop(self) -> bool:
        """Whether the user wants the run to end, even where it ended by itself just before."""
        return self._surroundings.interrupts.pressed > 0 or self._surroundings.cancel.cancelled

    @property
    def impatient(self) -> bool:
        """Whether the user pressed Ctrl-C again, or insists in another way."""
        return self._surroundings.interrupts.pressed > 1 or self._surroundings.cancel.insisted

    def _check_cancelled(self) -> None:
        if self._surroundings.cancel.cancelled:
            raise KeyboardInterrupt

    def _service_event(self, event: dict[str, Any]) -> None:
        values = {key: value for key, value in event.items() if key != "time"}
        self.recorder.event(ev.ServiceState(**values))
        entry = self.manifest["services"].setdefault(event["service"], {})
        entry |= {key: event[key] for key in ("endpoint", "python", "elapsed_s") if key in event}
        if event["state"] == "ready" and "detail" in event:
            entry["detail"] = event["detail"]

    def _tell_plugins(self) -> None:
        tell = getattr(self.resolved.registry, "lifecycle", None)
        if tell is not None:
            tell(
                "rpent_run_started",
                RunStartedEvent(
                    run_dir=str(self.recorder.directory.path),
                    robot=self.manifest["robot"]["name"],
                    planner=self.manifest["processes"][-1]["planner"]["name"],
                    task=self.resolved.setup.tag,
                ),
            )

    def _note_services(self) -> None:
        for name, channel in self.supervisor.channels.items():
            info, entry = channel.info, self.manifest["services"].setdefault(name, {})
            entry.update(
                name=info.name,
                version=info.version,
                owned=self.supervisor.owned(name),
                shared=self.supervisor.lent(name),
                info=dict(info.info),
            )
            if packages := packages_of(entry.get("python", sys.executable)):
                entry["packages"] = packages
        self.recorder.directory.write_manifest(self.manifest)

    def _note_policy(self) -> None:
        """Refuse a policy server for another robot; note what the right one serves."""
        channel = self.supervisor.channels.get(VLA)
        if channel is None:
            return
        served = check_served(self.resolved, channel, owned=self.supervisor.owned(VLA))
        if served is not None:
            self.manifest["policy"] = {**(policy_of(self.resolved) or {}), "served": served}
            self.recorder.directory.write_manifest(self.manifest)
