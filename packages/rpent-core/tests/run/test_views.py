"""Pictures of further cameras, for whoever watches."""

from __future__ import annotations

import numpy as np
import pytest
from rpent.rpc.facade import Facade, Method
from rpent.run.views import Views
from rpent.runs.directory import create
from rpent.runs.recorder import Recorder
from rpent.specs import DashboardSpec, FrameChannel
from rpent.testing import LocalChannel
from rpent.testing.fake_robot import server
from rpent.testing.fake_robot.config import FakeEnvConfig
from rpent.tools import Capture, Image

MAIN, WRIST, GHOST = (FrameChannel(camera=name) for name in ("top", "wrist", "ghost"))
SHOWN = Image(name="top", caption="", pixels=np.zeros((8, 8, 3), np.uint8))


class TwoCameras(server.FakeEnv):
    """The fake robot, which remembers what it was asked for."""

    asked: list[str] = []  # noqa: RUF012

    def observe(self, call, cameras=(), size=256, depth=False):
        self.asked += cameras
        return super().observe(call, cameras, size, depth)


def channel(env):
    methods = {"observe": Method(handler=env.observe)}
    return LocalChannel(Facade(name="fake/env", version="1", methods=methods))


@pytest.fixture
def env():
    made = TwoCameras(FakeEnvConfig())
    made.asked = []
    return made


@pytest.fixture
def recorder(tmp_path):
    made = Recorder(create(tmp_path, "tag", "planner"), record_video=False)
    yield made
    made.close()


def test_only_cameras_that_the_capture_does_not_show_are_asked(env, recorder):
    views = Views(channel(env), DashboardSpec(frames=(MAIN, WRIST)), recorder)
    [wrist] = views.take(Capture(state={}, images=[SHOWN]))
    assert (wrist.name, wrist.pixels.shape) == ("wrist", (256, 256, 3))
    assert env.asked == ["wrist"]


def test_a_camera_that_is_refused_is_asked_once_and_harms_no_other(env, recorder):
    views = Views(channel(env), DashboardSpec(frames=(GHOST, WRIST)), recorder)
    for _ in range(2):
        assert [image.name for image in views.take(Capture(state={}))] == ["wrist"]
    assert env.asked == ["ghost", "wrist", "wrist"]
    assert "ghost" in (recorder.directory.logs / "run.log").read_text()


def test_whatever_the_server_answers_the_run_goes_on(recorder):
    class Odd:
        def call(self, *_, **__):
            return {"nothing": "of use"}

    views = Views(Odd(), DashboardSpec(frames=(WRIST,)), recorder)
    assert views.take(Capture(state={})) == []
    assert Views(None, DashboardSpec(frames=(WRIST,)), recorder).take(Capture(state={})) == []


def test_views_are_stored_beside_the_step_and_not_shown_to_the_planner(env, recorder):
    recorder.views = Views(channel(env), DashboardSpec(frames=(MAIN, WRIST)), recorder).take
    step = recorder.step(Capture(state={}, images=[SHOWN], depth={"top": np.ones((8, 8), np.float32)}))
    assert [picture.name for picture in step.pictures] == ["top"]
    [view] = step.views
    assert (view.name, view.path) == ("wrist", "steps/0000/view_wrist.jpg")
    assert (recorder.directory.path / view.path).read_bytes() == view.data
    assert step.depth == ["top"]
