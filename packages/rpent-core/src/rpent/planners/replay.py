"""The built-in planner `replay`: it carries out a recorded recipe and says where the world differs."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003  (pydantic reads the annotations)
from typing import TYPE_CHECKING, Any, get_args

from pydantic import BaseModel, ConfigDict, Field, field_validator

from rpent.errors import RunDirectoryError, UsageError
from rpent.home import expanded
from rpent.runs.outcome import PlannerStatus
from rpent.runs.recipe import RecipeCall, read_recipe
from rpent.session.finish import NAME as FINISH

if TYPE_CHECKING:
    from rpent.session.reply import ToolReply
    from rpent.session.session import Session


class ReplayConfig(BaseModel):
    """Options of `--planner replay`."""

    model_config = ConfigDict(extra="forbid")

    recipe: Path = Field(description="Run directory or recipe file to carry out.")
    to_step: int | None = Field(default=None, ge=0, description="Stop after this step of the recorded run.")

    @field_validator("recipe")
    @classmethod
    def _absolute(cls, value: Path) -> Path:
        """A resumed run may be started from another folder."""
        return expanded(value)


class ReplayPlanner:
    """Replays a recipe through the session, under the same rules as any planner."""

    def __init__(self, config: ReplayConfig) -> None:
        self.config = config
        if not config.recipe.exists():
            raise UsageError(
                f"There is no recipe `{config.recipe}`.", hint="Give a run directory or a `recipe.jsonl`."
            )
        try:
            self._calls = read_recipe(config.recipe)
        except RunDirectoryError as error:
            raise UsageError(error.message, hint=error.hint) from error
        self._ids: dict[str, str] = {}
        """Recorded id of a found thing → its id in this run: a resume or a crash starts their numbers anew."""

    def run(self, session: Session) -> None:
        """Carry out the calls; a resumed session goes on behind those that it has already done."""
        differences: list[str] = []
        for call in self._calls[session.prior_calls :]:
            if call.name == FINISH:
                break
            if self.config.to_step is not None and call.step is not None and call.step > self.config.to_step:
                break
            if call.cancelled:
                # Where it stopped is not known in steps; what followed started from there and corrects itself.
                session.notice(
                    f"Call {call.n} (`{call.name}`) was cancelled in the recording; it is left out."
                )
                continue
            session.begin_turn()
            reply = self._repeat(call, session)
            self._note_ids(call, reply)
            if reply.ended:
                return
            different = _difference(call, reply)
            if different:
                differences.append(different)
                session.notice(different, level="warning")
        session.begin_turn()
        while not session.call(FINISH, self._verdict(differences)).ended:
            _listen(session)  # the user interrupted just before, and has let it go on

    def _repeat(self, call: RecipeCall, session: Session) -> ToolReply:
        """Make a call; again when a service died under it (the session bears that a few times) or the user stopped it.

        A user who is there has spoken before the reply to a stopped call comes.
        """
        while True:
            interrupts = session.interrupts
            reply = session.call(call.name, self._translated(call.arguments))
            _listen(session)
            stopped = session.interrupts != interrupts and (reply.cancelled or not reply.executed)
            if reply.ended or not (reply.undone or (stopped and session.interactive)):
                return reply

    def _translated(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return {
            name: self._ids.get(value, value) if name == "id" or name.endswith("_id") else value
            for name, value in arguments.items()
        }

    def _note_ids(self, call: RecipeCall, reply: ToolReply) -> None:
        recorded, live = call.result.get("candidates"), reply.data.get("candidates")
        if not isinstance(recorded, list) or not isinstance(live, list):
            return
        for then, now in zip(recorded, live, strict=False):
            if isinstance(then, dict) and isinstance(now, dict) and "id" in then and "id" in now:
                self._ids[str(then["id"])] = str(now["id"])

    def _verdict(self, differences: list[str]) -> dict[str, Any]:
        recorded = next((call for call in self._calls if call.name == FINISH), None)
        if self.config.to_step is not None:
            return {"status": "stuck", "summary": f"Replayed up to step {self.config.to_step}, as asked."}
        if recorded is None:
            return {"status": "stuck", "summary": "Replayed the whole recipe; it has no `finish`."}
        claimed = recorded.arguments.get("status")
        status = claimed if claimed in get_args(PlannerStatus) else "stuck"  # a recipe may be written by hand
        changed = f"{len(differences)} call{'s' if len(differences) > 1 else ''}"
        note = f" {changed} ended differently." if differences else ""
        return {"status": status, "summary": f"Replayed {len(self._calls) - 1} calls.{note}"}


def _listen(session: Session) -> None:
    if session.user_messages():
        session.notice("A replay cannot read messages; it goes on with the recipe.")


def _difference(call: RecipeCall, reply: ToolReply) -> str:
    if call.ok != reply.ok:
        outcome = "succeeded" if reply.ok else f"failed ({reply.data.get('error')})"
        return f"Call {call.n} (`{call.name}`) {outcome}; in the recipe it did not."
    for key in ("ok", "status", "held", "released"):
        if key in call.result and call.result[key] != reply.data.get(key):
            return (
                f"Call {call.n} (`{call.name}`) ended with `{key}` {reply.data.get(key)!r}; "
                f"the recording has {call.result[key]!r}."
            )
    return ""
