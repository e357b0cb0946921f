"""No key in a log."""

from rpent.errors import RpentError
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
