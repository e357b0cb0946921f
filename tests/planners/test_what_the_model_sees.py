"""What goes over the wire, for each planner: the robot's tools and nothing else, every picture behind its caption."""

from __future__ import annotations

import os
from typing import Any

import psutil
import pytest
from rpent.testing.models import GuardProxy, Picture, Reply, Request, Turn

from .cases import PARAMS, Case
from .scenario import FINISH, LOOK, MOVE

EPISODE = [Reply(text="I look.", calls=[LOOK]), Reply(calls=[MOVE]), Reply(calls=[FINISH])]
SECRETS = {
    "AWS_SECRET_ACCESS_KEY": "aws-secret",
    "GITHUB_TOKEN": "github-secret",
    "MY_OWN_SECRET": "own-secret",
}


@pytest.mark.parametrize("case", PARAMS)
def test_tools_and_prompts(case: Case, drive_run: Any) -> None:
    ran = drive_run(case, EPISODE)
    tools = {tool.name: tool.schema for tool in ran.drive.session.tools}
    assert len(ran.server.requests) == 3
    for request in ran.server.requests:
        assert set(request.tools) == set(tools) | case.own_tools
        for name, own in tools.items():
            sent = request.tools[name]
            assert set(sent.get("properties", {})) == set(own.get("properties", {})), name
            assert sorted(sent.get("required", [])) == sorted(own.get("required", [])), name
        assert "You move cubes with tools; positions are metres." in request.system
        assert request.turns[0].role == "user"
        assert "Task: put the red cube on the pad." in request.turns[0].text
        assert "test-key" not in str(request.body)


@pytest.mark.parametrize("case", PARAMS)
def test_pictures_come_in_order_each_behind_its_caption(case: Case, drive_run: Any) -> None:
    ran = drive_run(case, EPISODE)
    last: Request = ran.server.last
    captions = ["top, 256x256, now", "top, 64x64", "top, 256x256, now"]
    assert [caption_of(turn, picture) for turn in last.turns for picture in pictures(turn)] == captions
    assert len(ran.server.pictures_seen) == 3
    stored = {path.read_bytes() for path in ran.outcome.run_dir.glob("steps/*/*.jpg")}
    assert set(ran.server.pictures_seen) <= stored, "the model sees what the record keeps"


@pytest.mark.parametrize("case", PARAMS)
def test_without_pictures_the_captions_stay(case: Case, drive_run: Any) -> None:
    ran = drive_run(case, EPISODE, planner_config={"images": False})
    assert ran.outcome.reason == "finished"
    assert ran.server.pictures_seen == []
    assert ran.server.last.text.count("picture left out") == 3
    assert "top, 64x64" in ran.server.last.text


@pytest.mark.parametrize("case", PARAMS)
def test_nothing_but_the_model_server_is_reached_and_no_secret_is_passed_on(
    case: Case, drive_run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    seen: list[str] = []

    def look_at_children(drive: Any, event: Any) -> None:
        if event.type == "tool_called":
            for child in psutil.Process().children(recursive=True):
                seen.append(" ".join([child.name(), *child.cmdline(), *child.environ().values()]))

    with GuardProxy() as guard:
        for name, value in guard.environment.items():
            monkeypatch.setenv(name, value)
        ran = drive_run(case, EPISODE, look_at_children)
        assert guard.log == []
    assert ran.server.problems == []
    assert ran.outcome.reason == "finished", ran.outcome.detail
    assert bool(seen) == case.vendor
    for text in seen:
        assert not [secret for secret in SECRETS.values() if secret in text], text
    assert os.environ["MY_OWN_SECRET"] == "own-secret"


def pictures(turn: Turn) -> list[int]:
    """Return where a turn's pictures are among its parts."""
    return [index for index, part in enumerate(turn.parts) if isinstance(part, Picture)]


def caption_of(turn: Turn, index: int) -> str:
    """Return the last line of the text before a picture, without brackets and colon."""
    before = turn.parts[index - 1]
    assert isinstance(before, str), "no caption before a picture"
    return before.strip().splitlines()[-1].strip("[]: ")
