"""Carries out goals: looks, acts, looks whether it came out, and tries otherwise when it did not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.suggest import sentence

from rpent_planner_flash import plan
from rpent_planner_flash.chosen import Chosen
from rpent_planner_flash.goals import Goal, Navigate, Pick, Place, Push, Relation
from rpent_planner_flash.ground import Grounder
from rpent_planner_flash.navigating import navigate
from rpent_planner_flash.operating import Operating, leaves
from rpent_planner_flash.parts import is_control, whole
from rpent_planner_flash.placing import Placing
from rpent_planner_flash.relations import View
from rpent_planner_flash.results import Result, unseen
from rpent_planner_flash.scene import Scene, prompts
from rpent_planner_flash.seeking import Seeking
from rpent_planner_flash.standing import Standing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rpent.session.session import Session
    from rpent.tools.tool import Tool

    from rpent_planner_flash.config import FlashConfig
    from rpent_planner_flash.goals import Operation, Reference
    from rpent_planner_flash.plan import ToolCall
    from rpent_planner_flash.scene import Candidate


LOOKS = ("segment", "view_camera_meta")
"""Calls that change nothing."""


class Over(Exception):  # noqa: N818  (not an error: the session or a budget ended)
    """No further call is accepted."""


class Executor:
    """Reaches goals one after the other through tool calls alone.

    Args:
        session: Where tools are called.
        config: Flash's options.
        resumed: Things may be done already, or held; what is seen decides.
        holding: What the hand holds at the start, as the observation calls it; later observations say it anew.
    """

    def __init__(
        self, session: Session, config: FlashConfig, *, resumed: bool = False, holding: str | None = None
    ) -> None:
        self.session = session
        self.config = config
        self.resumed = resumed
        self.holding = holding
        self.accomplished = False
        """The last observation said that the episode has ended as it should; the world stands still in mid-motion."""
        self.episode_over = False
        """It said that no further action is accepted."""
        self.tools: dict[str, Tool] = {tool.name: tool for tool in session.tools}
        self.mobile = "navigate_to" in self.tools
        """The robot drives about; what is asked for may be anywhere in the room."""
        self.scene = Scene(self, camera=config.camera, others=self._other_cameras())
        self.grounder = Grounder(self.scene, self._view, self.standing)
        self.seeking = Seeking(self)

    def survey(self, goals: Sequence[Goal]) -> None:
        """Look at everything that several goals are about while nothing hides it."""
        for goal in goals if len(goals) > 1 else ():
            self.grounder.resolve(goal.item)
            if isinstance(goal, Place | Push):
                self.grounder.resolve(goal.target)

    def reach(self, goal: Goal, *, last: bool = False) -> Result:
        """Carry out one goal.

        Args:
            goal: The goal.
            last: No other follows: the episode is expected to end with it.

        Raises:
            Over: The session accepts no further call.
        """
        self.session.begin_turn()
        self.session.say(f"Goal: {goal}")
        result = self._reach(goal, last=last)
        return Result(True, f"The episode ended with `{goal}`.") if self.accomplished else result

    def _reach(self, goal: Goal, *, last: bool) -> Result:
        if isinstance(goal, Place):
            return self._place(goal)
        if isinstance(goal, Pick):
            return self._pick(goal)
        if isinstance(goal, Push):
            return self._push(goal)
        if isinstance(goal, Navigate):
            return navigate(self, goal)
        return self._operate(goal, last=last) if self.mobile else self._operate_here(goal)

    def standing(self) -> Standing | None:
        """Return where the robot stands; None of one that stays where it is."""
        return Standing.of(self.session.observation) if self.mobile else None

    def parameters(self, tool: str) -> Mapping[str, Any]:
        """Return what a tool takes: names → JSON schemas."""
        found: Mapping[str, Any] = self.tools[tool].schema.get("properties", {})
        return found

    def _other_cameras(self) -> list[str]:
        """Return the cameras of `segment` beside the one that it looks through by itself first; none at a table."""
        if not self.mobile or self.config.camera is not None or "segment" not in self.tools:
            return []
        schema = self.parameters("segment").get("camera", {})
        options = schema.get("enum") or [
            name for option in schema.get("anyOf", ()) for name in option.get("enum", ())
        ]
        return [name for name in options if name not in (None, *options[:1])]

    def attempts(self) -> Iterator[int]:
        """Count the attempts at a goal until they are used up or the episode is over; an interrupted one is free."""
        attempt = 0
        while attempt < self.config.max_attempts:
            interrupts = self.session.interrupts
            yield attempt
            if self.episode_over:
                return
            attempt += self.session.interrupts == interrupts

    def call(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """Call a tool through the session; a look that a crash or the user cut short is made again: it saw nothing.

        Raises:
            Over: The session ended.
        """
        while True:
            interrupts = self.session.interrupts
            reply = self.session.call(name, arguments)
            if reply.ended:
                raise Over
            if self.session.user_messages():
                self._look_anew()
            cut_short = not reply.ok and (reply.undone or self.session.interrupts != interrupts)
            if not (cut_short and name in LOOKS):
                return reply

    def act(self, call: ToolCall, *, again: bool = False) -> tuple[bool, str]:
        """Make a call that changes the world, and forget what was seen before.

        Args:
            call: What to call.
            again: Make the same call again when a crash has undone it or the user interrupted it, without a new look.

        Returns:
            Whether the tool did what it was asked, and why not.
        """
        while True:
            interrupts = self.session.interrupts
            reply = self.call(call.name, call.arguments)
            self._notice_state()
            done = bool(reply.ok and reply.data.get("held", reply.data.get("ok", True)))
            interrupted = self.session.interrupts != interrupts and not (done or self.episode_over)
            if not (again and (reply.undone or interrupted)):
                return done, str(reply.data.get("reason") or reply.data.get("error") or "done")

    def _notice_state(self) -> None:
        """Forget what was seen, and take over what the last observation says, whoever acted before it."""
        self.scene.changed()
        seen = self.session.observation
        self.holding = seen.get("holding", self.holding)
        self.accomplished = bool(seen.get("terminated"))
        self.episode_over = self.accomplished or bool(seen.get("truncated"))

    def _look_anew(self) -> None:
        """Go on from what is seen: messages cannot be read, but their writer may have moved things."""
        self.session.notice("Flash cannot read messages; it looks again and goes on with its plan.")
        self._notice_state()
        self.resumed = True

    def holds(self, reference: Reference) -> bool:
        """Whether the hand holds such a thing: since before a resume, or because putting it down failed."""
        return self.holding is not None and any(self.holding.endswith(name) for name in prompts(reference))

    def _place(self, goal: Place) -> Result:
        result = Result(True, "")
        for _ in range(goal.item.count):
            result = Placing(self, goal).run()
            if not result.ok:
                break
        return result

    def best(self, reference: Reference, *, seek: bool = True) -> Candidate | None:
        """Return the candidate that fits a reference best, or None when nothing of its name is found.

        Args:
            reference: What is looked for.
            seek: Turn and drive to find it, where the robot can.
        """
        matches = self.grounder.resolve(reference, recall=True)
        if not matches and self.mobile and is_control(reference):
            return self.best(whole(reference), seek=seek)  # a rack in the dark of its oven
        if not matches and seek:
            matches = self.seeking.find(reference)
        return matches[0].candidate if matches else None

    def _pick(self, goal: Pick) -> Result:
        chosen, detail = Chosen(), f"`{goal.item}` is nowhere to be seen."
        for attempt in self.attempts():
            if self.holds(goal.item):
                return Result(True, f"`{goal.item}` is held.")
            things = chosen.among(self.grounder.resolve(goal.item, recall=attempt == 0))
            if not things:
                break
            thing = chosen.take(things, attempt)
            done, reason = self.act(plan.grasp(goal.item, thing, chosen.tries))
            if done:
                return Result(True, f"`{goal.item}` is held.")
            detail = sentence(f"Could not grasp `{goal.item}`: {reason}")
        return Result(False, detail)

    def _push(self, goal: Push) -> Result:
        detail, relation = "", Relation(goal.relation)
        for _ in self.attempts():
            target, thing = self.best(goal.target), self.best(goal.item)
            if target is None or thing is None:
                return unseen(goal.target if target is None else goal.item)
            if detail and self.grounder.holds(relation, thing, target):
                return Result(True, f"`{goal.item}` is {goal.relation} `{goal.target}`.")
            _, reason = self.act(plan.push(goal, thing, target, self.grounder.view))
            detail = sentence(f"`{goal.item}` did not come to be {goal.relation} `{goal.target}`: {reason}")
        return Result(False, detail)

    def _operate(self, goal: Operation, *, last: bool) -> Result:
        """Operate a thing in a room; double doors leaf by leaf."""
        goals = leaves(self, goal)
        result = Result(True, "")
        for number, leaf in enumerate(goals):
            result = Operating(self, leaf, last=last and number == len(goals) - 1).run()
            if not result.ok or self.accomplished:
                break
        return result

    def _operate_here(self, goal: Operation) -> Result:
        """Operate a thing on a table."""
        detail = ""
        for _ in self.attempts():
            thing = self.best(goal.item)
            if thing is None:
                return unseen(goal.item)
            done, reason = self.act(plan.operate(goal, thing, lambda: self.grounder.view))
            detail = sentence(f"{goal}: {reason}")
            if done:
                return Result(True, detail)
        return Result(False, detail)

    def _view(self) -> View:
        arguments = {"camera": self.config.camera} if self.config.camera else {}
        reply = self.call("view_camera_meta", arguments)
        pose = reply.data.get("world_from_camera") if reply.ok else None
        return View() if pose is None else View.of_camera(np.asarray(pose, dtype=np.float64))
