"""The contract of a planner that drives a language model: the same behaviour behind every SDK and every provider."""

from __future__ import annotations

import re
import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from rpent.planners.driving import check_planner
from rpent.planners.faults import ModelError
from rpent.runs.events import (
    AssistantText,
    Notice,
    ToolCalled,
    ToolReturned,
    TurnStarted,
    UsageReported,
    UserMessage,
)
from rpent.session.limits import Limits
from rpent.testing.models import Call, Fault, ModelServer, Reply
from rpent.testing.planner_contract import PlannerContract, events_of, far_apart

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from rpent.planners.planner import Planner
    from rpent.session.session import Session

LOOK = Call("look", {})
DONE = Reply(calls=[Call("finish", {"status": "failure", "summary": "Enough."})])
MESSAGE = "Use the left arm, please."


class ModelPlannerContract(PlannerContract):
    """The tests of a planner of a language model. Subclass it, and connect the planner to a local model server.

    Example::

        class TestMyPlanner(ModelPlannerContract):
            def planner_over(self, server, tmp_path):
                return MyPlanner(MyConfig(base_url=f"{server.url}/v1", model="test-model"))

    The key that the server wants is `server.key`; a fixture of the subclass puts it where the planner looks.
    """

    refuses = True
    """Whether the provider has refusals of its own; False skips their test."""

    def planner_over(self, server: ModelServer, tmp_path: Path) -> Planner:
        """Return a planner whose client talks to the server, which serves `test-model`."""
        raise NotImplementedError

    def planner(self, calls: Sequence[tuple[str, Any]], tmp_path: Path) -> Planner:
        """Return a planner whose model makes these calls, one a reply."""
        server = self.serve([Reply(calls=[Call(name, arguments)]) for name, arguments in calls])
        return self.planner_over(server, tmp_path)

    @pytest.fixture(autouse=True)
    def _model_servers(self) -> Iterator[None]:
        with ExitStack() as self._stack:
            yield

    def serve(self, script: Sequence[Reply]) -> ModelServer:
        """Start a model server that plays a script, for the length of the test."""
        return self._stack.enter_context(ModelServer(script))

    def play(self, script: Sequence[Reply], session: Session, tmp_path: Path) -> ModelServer:
        """Run a planner to its end over a script."""
        server = self.serve(script)
        self.run(self.planner_over(server, tmp_path), session)
        assert server.problems == [], "a provider would have refused a request"
        return server

    def test_the_check_accepts_a_server_that_is_right(self, tmp_path: Path) -> None:
        """`check`, where there is one, finds nothing wrong."""
        check_planner(self.planner_over(self.serve([DONE]), tmp_path), Limits())

    def test_a_turn_is_recorded_in_order(self, tmp_path: Path, open_session: Callable[..., Session]) -> None:
        """First the turn, then what the model says, then its calls and their results; usage once a response."""
        session = open_session()
        self.play([Reply(text="First I look.", calls=[LOOK]), DONE], session, tmp_path)
        kinds = (TurnStarted, AssistantText, ToolCalled, ToolReturned)
        seen = [event.type for event in events_of(session) if isinstance(event, kinds)]
        assert seen == [
            "turn",
            "text",
            "tool_called",
            "tool_returned",
            "turn",
            "tool_called",
            "tool_returned",
        ]
        texts = [event.text for event in events_of(session) if isinstance(event, AssistantText)]
        assert texts == ["First I look."]
        assert session.budget.usage.input_tokens >= 100
        assert any(isinstance(event, UsageReported) for event in events_of(session))

    def test_several_calls_of_one_reply(self, tmp_path: Path, open_session: Callable[..., Session]) -> None:
        """They are carried out one after the other, in the order given, within one turn."""
        session = open_session()
        motions = [Call("move_to", {"xyz": [0.1, 0.0, height]}) for height in (0.25, 0.2)]
        server = self.play([Reply(calls=[motions[0], LOOK, motions[1]]), DONE], session, tmp_path)
        seen = [e for e in events_of(session) if isinstance(e, (ToolCalled, ToolReturned))]
        names = [(event.type, event.name) for event in seen]
        expected = [
            (kind, name)
            for name in ("move_to", "look", "move_to", "finish")
            for kind in ("tool_called", "tool_returned")
        ]
        assert names == expected
        called = [event for event in seen if isinstance(event, ToolCalled)]
        assert [event.turn for event in called] == [1, 1, 1, 2]
        assert [event.arguments["xyz"][2] for event in called if event.name == "move_to"] == [0.25, 0.2]
        assert len(server.last.results) == 3

    def test_pictures_reach_the_model(self, tmp_path: Path, open_session: Callable[..., Session]) -> None:
        """Those of the opening observation with the first request, those of a tool with the next one."""
        session = open_session()
        server = self.play([Reply(calls=[LOOK]), DONE], session, tmp_path)
        assert server.requests[0].pictures
        assert len(server.last.pictures) > len(server.requests[0].pictures)
        assert session.opening.images[0].caption in server.requests[0].text

    def test_arguments_that_are_no_json(self, tmp_path: Path, open_session: Callable[..., Session]) -> None:
        """The model reads what is wrong, nothing is executed, and the run goes on."""
        session = open_session()
        server = self.play([Reply(calls=[Call("move_to", '{"xyz": [0.1,')]), DONE], session, tmp_path)
        assert session.ended is not None
        assert session.ended.planner_status == "failure"
        returned = [event for event in events_of(session) if isinstance(event, ToolReturned)]
        assert (returned[0].name, returned[0].ok, returned[0].executed) == ("move_to", False, False)
        # In the words of the session, or of an SDK that parses arguments itself.
        assert re.search("JSON|pars", server.last.results[-1].text)

    def test_a_reply_without_a_call(self, tmp_path: Path, open_session: Callable[..., Session]) -> None:
        """The model is reminded twice; then the session ends without a claim."""
        session = open_session()
        server = self.play([Reply(text="Done.")] * 6, session, tmp_path)
        assert session.ended is not None
        assert (session.ended.reason, session.ended.planner_status) == ("finished", None)
        nudges = [
            event
            for event in events_of(session)
            if isinstance(event, UserMessage) and event.origin == "nudge"
        ]
        assert len(nudges) == 2
        assert session.budget.turns == len(server.requests) == 3
        assert nudges[-1].text in server.last.text

    def test_nothing_is_asked_after_finish(
        self, tmp_path: Path, open_session: Callable[..., Session]
    ) -> None:
        """The planner returns at once."""
        session = open_session()
        server = self.play([DONE, Reply(calls=[LOOK]), Reply(calls=[LOOK])], session, tmp_path)
        assert len(server.requests) == 1
        assert session.ended is not None
        assert session.ended.detail == "Enough."

    def test_a_users_message_reaches_the_model(
        self, tmp_path: Path, open_session: Callable[..., Session]
    ) -> None:
        """It comes with the next request, and the run goes on."""
        session = open_session()
        once(session, "look", lambda: session.send(MESSAGE))
        server = self.play([Reply(calls=[LOOK]), Reply(calls=[LOOK]), DONE], session, tmp_path)
        assert MESSAGE not in server.requests[0].text
        assert MESSAGE in server.requests[1].text
        assert session.ended is not None
        assert session.ended.planner_status == "failure"

    def test_a_message_while_the_model_speaks(
        self, tmp_path: Path, open_session: Callable[..., Session]
    ) -> None:
        """It is not lost: the next request has it."""
        session = open_session()
        speaking = Reply(text="I look.", calls=[LOOK], during=lambda _: session.send(MESSAGE), slow_s=0.05)
        server = self.play([speaking, DONE, DONE], session, tmp_path)
        assert MESSAGE in server.last.text

    def test_an_interrupt_during_a_motion(self, tmp_path: Path, open_session: Callable[..., Session]) -> None:
        """The motion is cancelled; the model reads that, and what the user says; the run goes on."""
        session = open_session(step_time_s=0.1)
        once(session, "move_to", lambda: session.send(MESSAGE, interrupt=True), after_s=0.4)
        name, arguments = far_apart()[0]
        server = self.play([Reply(calls=[Call(name, arguments)]), DONE], session, tmp_path)
        returned = [event for event in events_of(session) if isinstance(event, ToolReturned)]
        assert returned[0].cancelled
        assert MESSAGE in server.requests[1].text
        assert returned[0].text[:40] in server.requests[1].text
        assert session.ended is not None
        assert session.ended.planner_status == "failure"

    def test_an_interrupt_while_the_model_speaks(
        self, tmp_path: Path, open_session: Callable[..., Session]
    ) -> None:
        """The reply is broken off, none of its calls is carried out, and the model is asked anew."""
        session = open_session()
        speaking = Reply(
            text="word " * 200,
            calls=[LOOK],
            during=lambda _: threading.Timer(0.3, session.send, (MESSAGE,), {"interrupt": True}).start(),
            slow_s=0.2,
        )
        server = self.play([speaking, DONE], session, tmp_path)
        called = [event.name for event in events_of(session) if isinstance(event, ToolCalled)]
        assert called == ["finish"]
        assert MESSAGE in server.last.text

    def test_the_end_breaks_off_a_reply(self, tmp_path: Path, open_session: Callable[..., Session]) -> None:
        """A time limit while the model speaks: the planner returns without waiting for the rest."""
        session = open_session(limits=Limits(time_limit_s=1.5))
        self.play([Reply(text="word " * 2000, calls=[LOOK], slow_s=0.5)], session, tmp_path)
        assert session.ended is not None
        assert session.ended.reason == "time_limit"

    def test_a_turn_limit_asks_no_further(self, tmp_path: Path, open_session: Callable[..., Session]) -> None:
        """N turns are N replies, whose calls are carried out."""
        session = open_session(limits=Limits(max_turns=2))
        server = self.play([Reply(calls=[LOOK])] * 6, session, tmp_path)
        assert session.ended is not None
        assert session.ended.reason == "turn_limit"
        called = [event.turn for event in events_of(session) if isinstance(event, ToolCalled)]
        assert called == [1, 2]
        assert len(server.requests) <= 3

    def test_a_budget_that_a_reply_uses_up(
        self, tmp_path: Path, open_session: Callable[..., Session]
    ) -> None:
        """Its `finish` counts; another call ends the session, and the model is not asked again."""
        session = open_session(limits=Limits(token_limit=50))
        self.play([DONE], session, tmp_path)
        assert session.ended is not None
        assert (session.ended.reason, session.ended.planner_status) == ("finished", "failure")
        session = open_session(limits=Limits(token_limit=50))
        server = self.play([Reply(calls=[LOOK])] * 3, session, tmp_path)
        assert session.ended is not None
        assert session.ended.reason == "cost_limit"
        assert not any(isinstance(event, ToolCalled) for event in events_of(session))
        assert len(server.requests) == 1

    def test_a_refusal(self, tmp_path: Path, open_session: Callable[..., Session]) -> None:
        """It ends the session without a claim, with what the model said."""
        if not self.refuses:
            pytest.skip("the provider has no refusals")
        session = open_session()
        self.play([Reply(text="I cannot do this.", stop="refusal")] * 3, session, tmp_path)
        assert session.ended is not None
        assert (session.ended.reason, session.ended.planner_status) == ("finished", None)
        assert session.ended.detail.startswith("The model refused")

    def test_a_passing_fault_is_tried_again(
        self, tmp_path: Path, open_session: Callable[..., Session]
    ) -> None:
        """The retry is noted, and nothing is carried out twice."""
        session = open_session()
        busy = Reply(calls=[LOOK], fault=Fault(status=429, retry_after=0.1, times=1))
        self.play([busy, DONE], session, tmp_path)
        assert session.ended is not None
        assert session.ended.planner_status == "failure"
        called = [event.name for event in events_of(session) if isinstance(event, ToolCalled)]
        assert called == ["look", "finish"]
        assert any(isinstance(event, Notice) for event in events_of(session))

    def test_a_fault_that_stays(self, tmp_path: Path, open_session: Callable[..., Session]) -> None:
        """It is raised as a `ModelError` that says what to do."""
        session, raised = open_session(), []
        server = self.serve([Reply(fault=Fault(kind="credit", times=100))])
        planner = self.planner_over(server, tmp_path)

        class Caught:
            def run(self, session: Session) -> None:
                try:
                    planner.run(session)
                except ModelError as error:
                    raised.append(error)

        self.run(Caught(), session)
        assert [error.fault for error in raised] == ["credit"]
        assert raised[0].hint


def once(session: Session, tool: str, action: Callable[[], None], *, after_s: float = 0.0) -> None:
    """Do something when a tool is called for the first time: at once, or a little later from another thread."""
    pending = [action]

    def listen(event: object) -> None:
        if not (isinstance(event, ToolCalled) and event.name == tool and pending):
            return
        if after_s == 0.0:
            pending.pop()()
        else:
            timer = threading.Timer(after_s, pending.pop())
            timer.daemon = True
            timer.start()

    session.recorder.listen(listen)
