"""`rpent check planner`, as a user types it, with the real clients: a model that sees, and everything that is wrong."""

from __future__ import annotations

import io
import json
from contextlib import contextmanager

import numpy as np
import pytest
from PIL import Image
from rpent.planners.trial_toolkit import COLOURS
from rpent.testing.models import ALWAYS, Call, Fault, ModelServer, Reply

from .cases import KEY, PARAMS


def sees(request):
    """A model that looks once, and names the colour in the middle of what it is shown."""
    if not request.results:
        return Reply(calls=[Call("look")])
    said = "No picture reached me."
    if request.pictures:
        pixels = np.asarray(Image.open(io.BytesIO(request.pictures[-1])).convert("RGB"), np.int64)
        middle = pixels[len(pixels) // 2, len(pixels) // 2]
        said = min(COLOURS, key=lambda name: int(np.abs(middle - np.array(COLOURS[name])).sum()))
    return Reply(calls=[Call("finish", {"status": "success", "summary": said})])


@contextmanager
def asked(case, run_cli, script=sees, **changes):
    """Run the command against a server; yields the exit code, the report and what was printed."""
    with ModelServer(script, key=KEY) as server:
        options = {**case.options(server), **changes}
        options = {name: value(server) if callable(value) else value for name, value in options.items()}
        words = [
            f"--{name.replace('_', '-')}={value}" for name, value in options.items() if value is not True
        ]
        words += [f"--{name.replace('_', '-')}" for name, value in options.items() if value is True]
        result = run_cli("check", "planner", case.planner, *words, "--json")
        assert server.problems == []
        assert KEY not in result.stdout + result.stderr
        yield result.exit_code, json.loads(result.stdout), server


@pytest.mark.parametrize("case", PARAMS)
def test_a_model_that_sees(case, run_cli):
    with asked(case, run_cli) as (code, report, server):
        assert (code, report["error"]) == (0, "")
        assert report["understood"] is True
        assert report["turns"] == len(server.requests) == 2
        assert report["input_tokens"] == 200
        assert any(name.startswith("rpent-planner-") for name in report["software"])


@pytest.mark.parametrize("case", PARAMS)
def test_without_pictures(case, run_cli):
    with asked(case, run_cli, **{"no_images": True}) as (code, report, server):
        assert code == 0
        assert report["understood"] is False
        assert report["warning"].startswith("Pictures are off")
        assert server.pictures_seen == []


@pytest.mark.parametrize("case", PARAMS)
def test_a_model_that_calls_nothing(case, run_cli):
    with asked(case, run_cli, [Reply(text="It is red.")] * 5) as (code, report, _):
        assert code == 3
        assert report["error"].startswith("The planner came to no `finish`")


@pytest.mark.parametrize("case", PARAMS)
def test_a_wrong_model(case, run_cli):
    right = {"model": lambda server: case.options(server)["model"].replace("test-model", "test-modle")}
    with asked(case, run_cli, **right) as (code, report, server):
        assert code == 3
        assert "did you mean `test-model`?" in report["error"]
        assert server.requests == []


@pytest.mark.parametrize("case", PARAMS)
def test_nobody_at_the_address(case, run_cli):
    with asked(case, run_cli, base_url="http://127.0.0.1:9/v1") as (code, report, _):
        assert code == 3
        assert "`http://127.0.0.1:9/v1` cannot be reached" in report["error"]
        assert report["hint"]


@pytest.mark.parametrize("case", PARAMS)
def test_a_wrong_key(case, run_cli, monkeypatch):
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "CODEX_API_KEY"):
        monkeypatch.setenv(name, "not-the-key")
    with asked(case, run_cli) as (code, report, _):
        assert code == 3
        assert "is refused by the server" in report["error"]
        assert "not-the-key" not in json.dumps(report)


@pytest.mark.parametrize("case", PARAMS)
def test_a_server_that_keeps_failing_is_asked_twice(case, run_cli):
    with asked(case, run_cli, [Reply(fault=Fault(status=500, times=ALWAYS))]) as (code, report, server):
        assert code == 3
        assert "is overloaded or failing" in report["error"]
        assert len(report["notices"]) == 1
        assert "(1 of 1)" in report["notices"][0]
        assert len(server.requests) == 2


@pytest.mark.parametrize("case", PARAMS)
def test_an_account_without_credit(case, run_cli):
    script = [Reply(fault=Fault(kind="credit", times=100))]
    with asked(case, run_cli, script) as (code, report, _):
        assert code == 3
        assert "has no credit left" in report["error"]
        assert "rpent resume" not in report["hint"]
