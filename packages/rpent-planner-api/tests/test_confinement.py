"""Nothing is imported before it is needed, and nothing goes anywhere but to the model server."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from rpent.session.limits import Limits
from rpent.testing.models import ALWAYS, Call, Fault, GuardProxy, Reply
from rpent_planner_api.planner import ApiPlanner

from .stage import FINISH, Stage, config


def test_only_the_model_server_is_spoken_to(
    stage: Stage, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with GuardProxy() as guard:
        for name, value in guard.environment.items():
            monkeypatch.setenv(name, value)
        script = [Reply(text="Hi", calls=[Call("look", {})], fault=Fault(status=500)), FINISH]
        server = stage.serve(script)
        ApiPlanner(config(server, provider)).check(Limits())
        played = stage.start(server, stage.session(), config(server, provider)).join()
    assert played.errors == []
    assert guard.log == []


def test_the_key_is_in_no_record(stage: Stage, provider: str) -> None:
    message = "Incorrect API key provided: test-key."
    played = stage.play([Reply(fault=Fault(status=401, message=message, times=ALWAYS))], provider)
    folder = played.session.recorder.directory.path
    texts = [file.read_text() for file in folder.rglob("*") if file.suffix in {".json", ".jsonl", ".log"}]
    assert texts
    assert all("test-key" not in text for text in texts)


def test_the_sdk_is_imported_when_it_is_needed() -> None:
    code = (
        "import sys, rpent_planner_api.plugin, rpent_planner_api.config, rpent_planner_api.planner as planner;"
        "planner.ApiPlanner(rpent_planner_api.config.ApiConfig(model='anthropic:x'));"
        "print([name for name in ('pydantic_ai', 'anthropic', 'openai', 'httpx', 'asyncio') if name in sys.modules])"
    )
    found = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ},
        timeout=60,
    )
    assert found.stdout.strip() == "[]"
