"""Every model gets the robot's tools in its list, and nothing that acts besides."""

from __future__ import annotations

import threading

import pytest
from rpent.testing import fake_session
from rpent.testing.models import Call, Reply
from rpent_planner_codex.binary import bundled_models, default_model, require_codex
from rpent_planner_codex.calls import CODEX_OWN
from rpent_planner_codex.catalog import NAMESPACE, named_tools, open_catalog

FINISH = Reply(calls=[Call("finish", {"status": "success", "summary": "Done."})])


@pytest.fixture(scope="module")
def models():
    return bundled_models(require_codex())


@pytest.mark.sdk
def test_the_bundled_catalogue_is_read(models):
    slugs = [model["slug"] for model in models]
    assert "gpt-5.5" in slugs
    assert default_model(require_codex()) in slugs
    hidden = [model for model in models if model.get("tool_mode") or model.get("supports_search_tool")]
    assert hidden, "this Codex hides no tools; the catalogue is not needed any more"


@pytest.mark.sdk
def test_the_open_catalogue_hides_nothing(models):
    opened = open_catalog(models)["models"]
    assert [model["slug"] for model in opened] == [model["slug"] for model in models]
    for model in opened:
        assert "tool_mode" not in model
        assert not model["supports_search_tool"]
        assert not model["use_responses_lite"]
        assert not model["experimental_supported_tools"]
        assert model["apply_patch_tool_type"] is None
        assert model["context_window"]


def test_a_catalogue_without_the_fields_stays_as_it_is():
    assert open_catalog([{"slug": "m", "x": 1}]) == {"models": [{"slug": "m", "x": 1}]}


@pytest.mark.sdk
@pytest.mark.parametrize(
    "model",
    [
        "gpt-6.1-sol",
        "gpt-6-astra",
        "gpt-6-luna",
        "gpt-5.6-sol",
        "gpt-5.6-terra",
        "gpt-5.5",
        "nobody-knows-it",
    ],
)
def test_tools_are_listed_for_real_names(model, serve, planner_for, tmp_path):
    server = serve([Reply(calls=[Call("look", {})]), FINISH], models=(model,))
    with fake_session(tmp_path / "run") as session:
        planner_for(server).run(session)
        names = {tool.name for tool in session.tools}
        assert session.ended.planner_status == "success"
        assert f"`{NAMESPACE}" not in server.last.text
        assert named_tools(session.tools) in server.last.system
        assert session.prompts.system in server.last.system
    request = server.requests[0]
    assert set(request.tools) - CODEX_OWN == names
    for tool in session.tools:
        assert request.tools[tool.name]["properties"].keys() == tool.schema["properties"].keys()
    kinds = {tool["type"] for tool in request.body["tools"]}
    assert kinds == {"function", "namespace"}
    assert server.problems == []


@pytest.mark.sdk
def test_a_call_that_was_not_announced_is_carried_out(serve, planner_for, tmp_path, monkeypatch):
    """In code mode Codex makes calls that are in no response: with a catalogue of its own, they still work."""
    monkeypatch.setattr("rpent_planner_codex.planner.open_catalog", lambda _: {})
    monkeypatch.setattr("rpent_planner_codex.tools.ANNOUNCED_S", 0.3)
    script = "const r = await tools.mcp__robot__look({}); for (const c of r.content) if (c.type==='text') text(c.text);"
    server = serve(
        lambda request: Reply(text="Done."),
        models=("gpt-6-luna",),
    )
    steps = iter([Reply(calls=[Call("exec", script, namespace="functions", custom=True)])])
    server.script._steps = lambda _request: next(steps, Reply(text="Done."))
    with fake_session(tmp_path / "run") as session:
        thread = threading.Thread(target=planner_for(server).run, args=(session,), daemon=True)
        thread.start()
        thread.join(30)
        assert not thread.is_alive()
        text = session.recorder.directory.events.read_text()
    assert '"name":"look"' in text.replace(" ", "")
