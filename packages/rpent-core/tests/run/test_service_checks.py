"""A robot's service says before anything starts that what its configuration names is not there."""

import sys
from dataclasses import replace

import pytest
from rpent.errors import UsageError
from rpent.run.request import RunRequest
from rpent.run.resolve import resolve
from rpent.testing.fake_robot.robot import ENV, SPEC
from rpent.testing.registry import FakeRegistry, fake_specs


def look(config):
    if config.seed == 7:
        raise UsageError("There are no cubes.", hint="Cut some.")


@pytest.fixture
def resolved(monkeypatch):
    monkeypatch.setitem(sys.modules, "cubes_for_test", sys.modules[__name__])
    robot = replace(SPEC, services=(replace(ENV, check="cubes_for_test:look"),))
    registry = FakeRegistry({**fake_specs(), "robots": {"fake": robot}})

    def make(seed, **values):
        request = RunRequest(
            robot="fake",
            robot_config={"seed": seed},
            planner="scripted",
            planner_config={"calls": []},
            **values,
        )
        return resolve(request, registry)

    return make


def test_what_is_missing_is_a_usage_error(resolved):
    with pytest.raises(UsageError, match="no cubes"):
        resolved(7)


def test_what_is_there_passes(resolved):
    assert resolved(0).setup.seed == 0


def test_a_server_that_runs_already_has_looked_itself(resolved):
    assert resolved(7, endpoints={"env": "inproc://there"}, token="t").setup.seed == 7
