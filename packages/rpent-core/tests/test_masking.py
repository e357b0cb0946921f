"""No key in a log."""

from rpent.errors import RpentError
from rpent.masking import quoted
from rpent.runs.directory import create
from rpent.runs.recorder import Recorder


def test_a_key_in_a_traceback_is_masked(tmp_path, monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "sk-0123456789")
    monkeypatch.setenv("MAX_TOKENS", "8192")
    recorder = Recorder(create(tmp_path, "fake", "api"), record_video=False)
    recorder.trouble("planner", RpentError("refused: sk-0123456789, 8192 tokens, \ud83d"))
    recorder.close()
    log = (recorder.directory.logs / "run.log").read_text()
    assert "refused: $SOME_API_KEY, 8192 tokens, \ufffd" in log


def test_what_others_say_is_one_plain_line(monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "a-key-of-the-user")
    said = "boom\x1b[31m a-key-of-the-user\n\n  sent-by-us  " + "x" * 500
    assert quoted(said, secret="sent-by-us", limit=40) == "boom [31m $SOME_API_KEY [key] " + "x" * 10 + " …"
