"""A resumed run: the model reads what was recorded, and where the world stands."""

from __future__ import annotations

import pytest
from rpent.run.resume import ResumePoint
from rpent.session.limits import Limits
from rpent.testing.models import Call, Reply

from .stage import FINISH, LOOK, Stage, config

pytestmark = pytest.mark.sdk


def test_the_conversation_goes_on(stage: Stage) -> None:
    script = [
        Reply(text="I look first.", calls=[LOOK]),
        Reply(calls=[Call("move_to", {"xyz": [0.1, 0.1, 0.2]})]),
    ]
    first = stage.play(script, limits=Limits(max_turns=2))
    history = ResumePoint(step=1, events=tuple(first.events)).transcript
    server = stage.serve([Reply(calls=[LOOK]), FINISH])
    again = stage.start(server, stage.session(history=history), config(server)).join()
    assert again.errors == []
    opening = again.server.requests[0]
    assert len(opening.turns) == 1
    for words in ("I look first.", "You called `move_to`", "Result of `look`", again.session.prompts.user):
        assert words in opening.text
    assert opening.pictures == [picture.data for picture in again.session.opening.images]
    calls = [event.call_id for event in [*first.returned, *again.returned]]
    assert len(set(calls)) == len(calls)
