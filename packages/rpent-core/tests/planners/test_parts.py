"""What a model is shown: texts and pictures in order."""

from rpent.planners.parts import LEFT_OUT, history_lines, history_parts, opening_parts, reply_parts
from rpent.runs.pictures import Picture
from rpent.testing import fake_session


def texts(parts):
    return [part if isinstance(part, str) else "PICTURE" for part in parts]


def test_the_opening(tmp_path):
    with fake_session(tmp_path) as session:
        parts = opening_parts(session)
        captions = [picture.caption for picture in session.opening.images]
        assert texts(parts)[:2] == [session.prompts.user, f"Opening observation: {session.opening.text}"]
        assert captions
        assert texts(parts)[2:] == [entry for caption in captions for entry in (f"{caption}:", "PICTURE")]
        assert parts[3] is session.opening.images[0]


def test_without_pictures_the_captions_stay(tmp_path):
    with fake_session(tmp_path) as session:
        reply = session.call("look", {})
        assert reply.images
        parts = reply_parts(reply, images=False)
        assert parts[0] == reply.text
        assert parts[1:] == [f"{picture.caption}: {LEFT_OUT}" for picture in reply.images]
        assert not any(isinstance(part, Picture) for part in parts)


HISTORY = [
    {"role": "system", "text": "system", "user": "user"},
    {"role": "observation", "step": 0, "state": {"x": 1}, "images": []},
    {"role": "assistant", "turn": 1, "thinking": "hm"},
    {"role": "assistant", "turn": 1, "text": "First I look."},
    {"role": "assistant", "turn": 1, "call_id": "a", "tool": "look", "arguments": {"n": 1}},
    {"role": "tool", "call_id": "a", "tool": "look", "ok": True, "text": "O" * 2000, "images": []},
    {"role": "user", "origin": "user", "text": "Faster."},
    {"role": "user", "origin": "nudge", "text": "Go on."},
    {"role": "session", "reason": "time_limit", "status": None, "text": "over"},
]


def test_the_history_reads_as_a_conversation():
    assert history_lines(HISTORY) == [
        'Observation (step 0): {"x":1}',
        "You said: First I look.",
        'You called `look` with {"n":1}',
        f"Result of `look`: {'O' * 2000}",
        "The user said: Faster.",
        "The system said: Go on.",
    ]


def test_a_resumed_run_says_where_the_world_stands(tmp_path):
    with fake_session(tmp_path, history=HISTORY) as session:
        parts = texts(history_parts(session))
        assert parts[0] == session.prompts.user
        assert "You said: First I look." in parts[2]
        assert "as it was after the last recorded step" in parts[3]
        assert session.opening.text in parts[3]
        assert "PICTURE" in parts[4:]


def test_the_oldest_is_shortened_first(tmp_path):
    entries = [
        {"role": "tool", "tool": f"t{index}", "text": str(index) * 1000, "ok": True} for index in range(10)
    ]
    with fake_session(tmp_path, history=entries) as session:
        text = history_parts(session, max_chars=6000)[2]
        assert len(text) <= 6100
        assert "9" * 1000 in text
        assert "0" * 1000 not in text
        assert "Result of `t0`" in text
        short = history_parts(session, max_chars=500)[2]
        assert "earlier entries left out" in short
        assert "Result of `t9`" in short
