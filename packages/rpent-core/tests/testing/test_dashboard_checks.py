"""The contracts notice a `DashboardSpec` that names what is not there, or offers what is not accepted."""

from dataclasses import replace

import pytest
from rpent.cancel import CancelToken
from rpent.robot import ToolContext
from rpent.specs import Choice, DashboardSpec, FrameChannel
from rpent.testing import LocalChannel
from rpent.testing.dashboard_checks import (
    check_choices,
    check_frames,
    check_primitives,
    check_task_fields,
)
from rpent.testing.fake_robot.config import FakeConfig, FakeEnvConfig
from rpent.testing.fake_robot.robot import SPEC, FakeRobot
from rpent.testing.fake_robot.server import create

HERE = "test_dashboard_checks_choices"
"""A module that the test writes: what it offers is asked for in another process too."""


@pytest.fixture
def spec():
    return lambda **changes: replace(SPEC, dashboard=replace(SPEC.dashboard, **changes))


@pytest.fixture
def offers(plugin_site, spec):
    """The spec with a function `choices` of this body."""

    def make(body, head=""):
        source = f"{head}\nfrom rpent.specs import Choice\ndef choices(field, values):\n    {body}\n"
        (plugin_site.path / f"{HERE}.py").write_text(source)
        return spec(choices=f"{HERE}:choices")

    return make


@pytest.fixture
def toolkit(tmp_path):
    robot = FakeRobot(FakeConfig())
    return robot.toolkit(
        ToolContext(
            setup=robot.setup(),
            channels={"env": LocalChannel(create(FakeEnvConfig()))},
            run_dir=tmp_path,
            cancel=CancelToken,
            progress=lambda data: None,
        )
    )


def test_the_fake_robots_own_is_in_order(toolkit):
    check_task_fields(SPEC)
    check_choices(SPEC, {})
    check_primitives(SPEC, toolkit)
    check_frames(SPEC, ["top", "wrist"])


def test_a_robot_without_one_is_in_order(toolkit):
    plain = replace(SPEC, dashboard=DashboardSpec())
    check_task_fields(plain)
    check_choices(plain, {})
    check_primitives(plain, toolkit)
    check_frames(plain, [])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"task_fields": ("task", "suit")}, r"names \['suit'\], which `FakeConfig` does not have"),
        ({"task_fields": ("task", "task")}, "names a field twice"),
        ({"service_labels": (("evn", "Table"),)}, r"names \['evn'\], which are no services"),
    ],
)
def test_names_that_lead_nowhere(spec, changes, said):
    with pytest.raises(AssertionError, match=said):
        check_task_fields(spec(**changes))


def test_a_primitive_that_is_no_tool(spec, toolkit):
    with pytest.raises(AssertionError, match=r"names \['jump', 'capture'\]"):
        check_primitives(spec(primitives=("move_to", "jump", "vla_pick", "capture")), toolkit)


def test_a_camera_that_is_not_there(spec):
    with pytest.raises(AssertionError, match=r"names the cameras \['side'\]; the env server has \['top'\]"):
        check_frames(spec(frames=(FrameChannel(camera="top"), FrameChannel(camera="side"))), ["top"])


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return [Choice(value=7)]", "offers `7` for `task`"),
        ("return [1, 2]", "yields a `int` for `task`"),
        ("return [Choice(value=v) for v in (0, -1)] if field == 'seed' else ()", "offers `-1` for `seed`"),
        ("raise KeyError(field)", "cannot be asked: .*KeyError"),
        ("return [Choice(value=values['seed'])]", "cannot be asked: .*KeyError"),
    ],
    ids=["out-of-range", "no-choice", "second-field", "raises", "needs-another-field"],
)
def test_choices_that_are_not_accepted(offers, body, said):
    with pytest.raises(AssertionError, match=said):
        check_choices(offers(body), {})


def test_choices_that_are_heavy(offers):
    with pytest.raises(AssertionError, match=r"brings in \['numpy'\]"):
        check_choices(offers("return ()", head="import numpy"), {})


def test_choices_that_lead_to_no_task(offers, spec, monkeypatch):
    from rpent.errors import UsageError
    from rpent.testing.fake_robot.robot import FakeRobot

    def setup(self):
        if self.config.task == 2:
            raise UsageError("There is no such cube.")

    monkeypatch.setattr(FakeRobot, "setup", setup)
    with pytest.raises(AssertionError, match=r"leads to the task \{'task': 2\}: There is no such cube"):
        check_choices(SPEC, {})


def test_choices_that_are_missing(spec):
    with pytest.raises(AssertionError, match=r"cannot be asked: .*No module named 'no_such_module'"):
        check_choices(spec(choices="no_such_module:choices"), {})


def test_a_choice_is_what_the_form_shows():
    assert Choice(value=3).label == ""
