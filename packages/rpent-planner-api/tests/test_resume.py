"""A resumed run: the model gets back what was said, called, returned and seen."""

from __future__ import annotations

import pytest
from rpent.run.resume import ResumePoint
from rpent.runs.events import TurnStarted, UserMessage
from rpent.session.limits import Limits
from rpent.testing.models import Call, Reply
from rpent.testing.models.request import Picture

from .stage import FINISH, Played, Stage, config

FIRST = [
    Reply(
        thinking="Hm.", text="I look twice.", calls=[Call("look", {"size": 64}), Call("look", {"size": 96})]
    ),
    Reply(text="Hello?"),
    Reply(calls=[Call("move_to", '{"xyz": [0.1')]),
    Reply(calls=[Call("move_to", {"xyz": [0.1, 0.1, 0.2]})]),
]


def resumed(stage: Stage, provider: str, first: Played, **options: object) -> Played:
    """Go on with a run in a session that knows its transcript, and whose pictures are in its own directory."""
    source = first.session.recorder.directory.path
    history = ResumePoint(step=1, events=tuple(first.events)).transcript
    history.insert(
        0, {"role": "system", "text": first.session.prompts.system, "user": first.session.prompts.user}
    )
    server = stage.serve([FINISH])
    session = stage.session(history=history)
    for file in source.rglob("*.jpg"):
        target = session.recorder.directory.path / file.relative_to(source)
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.read_bytes())
    return stage.start(server, session, config(server, provider, **options)).join()


def test_the_conversation_goes_on(stage: Stage, provider: str) -> None:
    first = stage.play(FIRST, provider, limits=Limits(max_turns=len(FIRST)))
    again = resumed(stage, provider, first)
    before, after = first.server.last, again.server.last
    assert again.errors == []
    assert after.turns[0].texts[0] == first.session.prompts.user
    spoken = [
        turn.text.replace("<think>\nHm.\n</think>\n", "") for turn in after.turns if turn.role == "assistant"
    ]
    assert spoken == ["I look twice.", "Hello?", "", ""]
    assert [call.name for turn in after.turns for call in turn.calls] == [
        "look",
        "look",
        "move_to",
        "move_to",
    ]
    assert [result.text for result in after.results][:3] == [result.text for result in before.results]
    assert "without calling `finish`" in after.text


def test_the_pictures_come_back_in_order(stage: Stage, provider: str) -> None:
    first = stage.play(FIRST, provider, limits=Limits(max_turns=len(FIRST)))
    after = resumed(stage, provider, first).server.last
    assert after.pictures[: len(first.server.pictures_seen)] == first.server.pictures_seen
    captions = [
        part.rstrip(":")
        for turn in after.turns
        for part, following in zip(turn.parts, turn.parts[1:], strict=False)
        if isinstance(part, str) and isinstance(following, Picture)
    ]
    assert captions[:3] == ["top, 256x256, now", "top, 64x64", "top, 96x96"]


def test_the_model_is_told_where_the_world_stands(stage: Stage, provider: str) -> None:
    first = stage.play(FIRST, provider, limits=Limits(max_turns=len(FIRST)))
    again = resumed(stage, provider, first)
    last = again.server.last.last
    assert "The run was interrupted and goes on here" in last.text
    assert again.session.opening.text in last.text
    assert last.pictures[-1] == again.session.opening.images[0].data


def test_what_the_user_said_while_a_tool_ran(stage: Stage, provider: str) -> None:
    first = stage.play(FIRST[:1], provider, limits=Limits(max_turns=1))
    events = first.events
    at = next(index for index, event in enumerate(events) if event.type == "tool_returned")
    events.insert(at, UserMessage(text="Mind the cup."))
    history = ResumePoint(step=0, events=tuple(events)).transcript
    server = stage.serve([FINISH])
    again = stage.start(server, stage.session(history=history), config(server, provider)).join()
    spoken = next(turn for turn in again.server.last.turns if turn.role == "assistant")
    after = again.server.last.turns[again.server.last.turns.index(spoken) + 1]
    assert [len(turn.calls) for turn in again.server.last.turns if turn.role == "assistant"] == [2]
    assert all('"camera"' in result.text for result in after.results)
    assert "Mind the cup." in after.texts


def test_without_pictures_none_are_loaded(stage: Stage) -> None:
    first = stage.play(FIRST, limits=Limits(max_turns=len(FIRST)))
    again = resumed(stage, "anthropic", first, images=False)
    assert again.server.pictures_seen == []
    assert "top, 64x64: [picture left out]" in again.server.last.text


def test_another_wire_can_go_on(stage: Stage) -> None:
    first = stage.play(FIRST, "anthropic", limits=Limits(max_turns=len(FIRST)))
    again = resumed(stage, "openai-chat", first)
    assert again.errors == []
    assert len(again.of(TurnStarted)) == 1


@pytest.mark.parametrize("path", ["../../secret.jpg", "link.jpg", "linked/secret.jpg"])
def test_a_picture_outside_the_run_directory_is_not_read(stage: Stage, path: str) -> None:
    observation = {
        "role": "observation",
        "step": 0,
        "state": {},
        "images": [{"name": "x", "caption": "x", "media_type": "image/jpeg", "path": path}],
    }
    server = stage.serve([FINISH])
    session = stage.session(history=[observation])
    run_dir = session.recorder.directory.path
    outside = run_dir.parent.parent
    (outside / "secret.jpg").write_bytes(b"\xff\xd8\xffsecret")
    (run_dir / "link.jpg").symlink_to(outside / "secret.jpg")
    (run_dir / "linked").symlink_to(outside)
    again = stage.start(server, session, config(server)).join()
    assert b"\xff\xd8\xffsecret" not in again.server.pictures_seen
    assert "x: [picture left out]" in again.server.last.text
