"""The loop of a policy, over the fake robot's env server."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
from rpent.cancel import CancelToken
from rpent.env.client import EnvClient
from rpent.errors import PolicyError, ToolError
from rpent.policies.loop import PolicyLoop
from rpent.robot import TaskSetup, ToolContext
from rpent.testing import LocalChannel
from rpent.testing.fake_robot import camera as camera_views
from rpent.testing.fake_robot.config import FakeEnvConfig
from rpent.testing.fake_robot.server import create
from rpent.testing.policies.scripted import ScriptedPolicyServer

UP, DOWN, STAY = (np.tile([0, 0, z, 0], (8, 1)) for z in (0.1, -0.1, 0))


class Stage:
    """A loop over a policy, with what it told and noted."""

    def __init__(self, chunk, *, env=None, **described) -> None:
        wants = {"cameras": {"top": [32, 32]}, "state": {"eef_position": 3, "gripper_opening_m": 1}}
        gives = {"action_dim": 4, "execute_steps": 4}
        answer = chunk if callable(chunk) else lambda _: chunk
        self.policy = ScriptedPolicyServer(answer, **{**wants, **gives, **described})
        self.env = EnvClient(LocalChannel(create(FakeEnvConfig(**(env or {})))))
        self.progress, self.noted, self.token = [], [], CancelToken()
        context = ToolContext(
            setup=TaskSetup(instruction="", tag="test", seed=7),
            channels={"env": self.env.channel, "vla": LocalChannel(self.policy.facade())},
            run_dir=Path("some-run"),
            cancel=lambda: self.token,
            progress=self.progress.append,
        )
        self.loop = PolicyLoop(context, self.env, note=self.noted.append)


def test_it_shows_what_is_wanted_and_carries_out_what_is_meant():
    stage = Stage(DOWN)
    result = stage.loop.run("go down", 3)
    assert (result.stopped, result.chunks, result.steps) == ("chunks", 3, 12)
    asked = stage.policy.asked[0]
    assert asked["images"] == {"top": (32, 32, 3)}
    assert asked["state"] == {"eef_position": 3, "gripper_opening_m": 1}
    assert asked["instruction"] == "go down"
    assert stage.noted[-1].step == 12
    assert [told["chunk"] for told in stage.progress] == [1, 2, 3]


def test_all_of_a_chunk_is_carried_out_where_nobody_says_otherwise():
    assert Stage(DOWN, execute_steps=None).loop.run("go", 2).steps == 16


def test_each_run_is_an_episode_of_the_policys_memory():
    stage = Stage(DOWN)
    stage.loop.run("go", 1)
    stage.loop.run("go", 1)
    episodes, seeds = zip(*stage.policy.resets, strict=True)
    assert len(set(episodes)) == 1
    assert episodes[0].startswith("some-run-")
    assert len(set(seeds)) == 2, "another try is another sample"
    other = Stage(DOWN)
    other.loop.run("go", 1)
    assert other.policy.resets[0][0] != episodes[0], "episodes of two runs never mix"
    assert other.policy.resets[0][1] == seeds[0], "a replay samples the same"


def test_it_stops_when_it_is_done():
    result = Stage(DOWN).loop.run("go", 20, lambda seen: seen.eef_position[2] < 0.28)
    assert result.stopped == "done"
    assert result.chunks == 3


def test_it_stops_at_the_end_of_the_episode():
    result = Stage(DOWN, env={"max_episode_steps": 10}).loop.run("go", 20)
    assert (result.stopped, result.steps) == ("episode_over", 10)


def test_it_stops_when_nothing_moves():
    result = Stage(STAY).loop.run("go", 100)
    assert result.stopped == "stalled"
    assert result.chunks < 20


def test_it_stops_outside_of_the_workspace(monkeypatch):
    stage = Stage(np.tile([1.0, 0, 0, 0], (8, 1)))
    narrow = stage.env.describe() | {"workspace": {"low": [-0.1] * 3, "high": [0.1, 0.1, 0.5]}}
    monkeypatch.setattr(EnvClient, "describe", lambda _: narrow)
    loop = PolicyLoop(stage.loop._context, stage.env, note=stage.noted.append)
    result = loop.run("go", 100)
    assert result.stopped == "workspace"
    assert result.chunks == 2


def test_it_is_cancelled_between_chunks():
    stage = Stage(DOWN)
    stage.policy.chunk = lambda _: stage.token.cancel("enough") or DOWN
    result = stage.loop.run("go", 20)
    assert result.stopped == "cancelled"
    assert len(stage.policy.asked) == 1


def test_it_is_cancelled_within_a_chunk():
    stage = Stage(DOWN, env={"step_time_s": 0.05}, execute_steps=None)
    threading.Timer(0.12, stage.token.cancel).start()
    result = stage.loop.run("go", 20)
    assert (result.stopped, result.chunks) == ("cancelled", 1)
    assert 0 < result.steps < 8


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (np.full((8, 4), np.nan), "NaN"),
        (np.zeros((8, 5)), r"shape \(8, 5\), not \(T, 4\)"),
        (np.zeros(4), "shape"),
        (np.zeros((0, 4)), "shape"),
        ("left", "not a chunk of actions"),
    ],
)
def test_an_answer_that_no_robot_can_be_given_is_refused(answer, message):
    stage = Stage(answer)
    with pytest.raises(ToolError, match=message):
        stage.loop.run("go", 3)
    assert stage.env.observe().step == 0


def test_a_policy_that_fails_later_leaves_what_it_did():
    def chunk(_):
        if len(stage.policy.asked) > 2:
            raise PolicyError("The policy `x` failed: out of memory.", hint="A smaller batch.")
        return DOWN

    stage = Stage(chunk)
    with pytest.raises(ToolError, match="The 8 control steps before that stay done") as caught:
        stage.loop.run("go", 5)
    assert caught.value.hint == "A smaller batch."
    assert stage.noted[-1].step == 8


def test_a_state_field_that_the_robot_has_not_is_named():
    with pytest.raises(PolicyError, match="`wheels`"):
        Stage(DOWN, state={"wheels": 4}).loop.run("go", 1)


VIDEO = {"history": [-6, -4, -2], "execute_steps": 8}


def heights(question):
    """Return the height of the hand at each step that a question shows, by how many steps ago."""
    return {step: round(float(state["eef_position"][2]), 3) for step, state in question["history"]}


def test_a_video_is_of_just_the_steps_that_the_policy_wants():
    stage = Stage(DOWN, **VIDEO)
    result = stage.loop.run("go", 3)
    assert (result.steps, result.history) == (24, "exact")
    first, second, third = stage.policy.asked
    assert first["history"] == []
    step_m = 0.1 * 0.02
    for number, question in ((1, second), (2, third)):
        now = 0.3 - 8 * number * step_m
        assert heights(question) == {ago: round(now - ago * step_m, 3) for ago in (-6, -4, -2)}
    again = EnvClient(LocalChannel(create(FakeEnvConfig())))
    for step, action in enumerate(np.tile(DOWN[:1], (6, 1)), 1):
        again.step(action)
        if step in {2, 4, 6}:
            picture = again.observe(["top"], size=32).images["top"]
            shown = dict(second["pictures"])[step - 8]["top"]
            np.testing.assert_array_equal(shown, picture)


def test_no_more_is_rendered_than_a_question_wants(monkeypatch):
    stage, rendered = Stage(DOWN, **VIDEO), []
    monkeypatch.setattr(
        camera_views,
        "render",
        lambda world, *args, real=camera_views.render: (
            rendered.append(world.step_count) or real(world, *args)
        ),
    )
    stage.loop.run("go", 2)
    assert rendered == [0, 2, 4, 6, 8], "the last chunk is followed by no question"


def test_an_env_server_that_cannot_look_on_the_way_gives_the_nearest_frames(monkeypatch):
    stage = Stage(DOWN, **VIDEO)
    old = {key: value for key, value in stage.env.describe().items() if key != "chunk_observe"}
    monkeypatch.setattr(EnvClient, "describe", lambda _: old)
    result = PolicyLoop(stage.loop._context, stage.env, note=stage.noted.append).run("go", 3)
    assert (result.stopped, result.history) == ("chunks", "nearest")
    assert [list(heights(question)) for question in stage.policy.asked] == [[], [-8], [-8]]


def test_a_policy_of_another_make_is_told_nothing_of_before():
    stage = Stage(DOWN)
    assert stage.loop.run("go", 2).history == "none"
    assert [question["history"] for question in stage.policy.asked] == [None, None]


def test_a_run_goes_on_with_what_the_policy_remembers():
    stage = Stage(DOWN, **VIDEO)
    first = stage.loop.run("go", 2, resumable=True)
    second = stage.loop.run("go", 1, memory=first.memory, resumable=True)
    assert len(stage.policy.resets) == 1
    assert list(heights(stage.policy.asked[-1])) == [-6, -4, -2]
    assert second.history == "exact"
    assert len({question["episode"] for question in stage.policy.asked}) == 1


@pytest.mark.parametrize("change", ["moved", "other words", "reset"])
def test_a_run_begins_anew_where_something_has_changed(change):
    stage = Stage(DOWN, **VIDEO)
    first = stage.loop.run("go", 1, resumable=True)
    if change == "moved":
        stage.env.step(UP[0])
    elif change == "reset":
        stage.env.reset()
    stage.loop.run("go on" if change == "other words" else "go", 1, memory=first.memory)
    assert len(stage.policy.resets) == 2
    assert stage.policy.asked[-1]["history"] == []
