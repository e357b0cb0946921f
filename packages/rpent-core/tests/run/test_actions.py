from __future__ import annotations

import numpy as np
import pytest
from rpent.env.client import EnvClient
from rpent.errors import ServiceError
from rpent.run.actions import Actions
from rpent.testing import LocalChannel
from rpent.testing.fake_robot.config import FakeEnvConfig
from rpent.testing.fake_robot.server import create


@pytest.fixture
def channel():
    return LocalChannel(create(FakeEnvConfig()))


def move(env, steps):
    env.chunk_step(np.full((steps, 4), 0.1))


def test_each_step_gets_what_led_to_it(channel):
    env, actions = EnvClient(channel), Actions(channel)
    move(env, 2)
    assert actions.fetch() is None  # nothing was captured before
    move(env, 3)
    assert actions.fetch().shape == (3, 4)
    assert actions.fetch().shape == (0, 4)


def test_what_was_undone_is_left_out(channel):
    env, actions = EnvClient(channel), Actions(channel)
    actions.fetch()
    saved = env.snapshot()
    move(env, 3)
    env.restore(saved)
    move(env, 2)
    assert actions.fetch().shape == (2, 4)


def test_a_reset_is_no_way_from_the_step_before(channel):
    env, actions = EnvClient(channel), Actions(channel)
    actions.fetch()
    move(env, 3)
    actions.fetch()
    env.reset()
    move(env, 2)
    assert actions.fetch() is None
    move(env, 1)
    assert actions.fetch().shape == (1, 4)


def test_a_server_that_fails_costs_one_step_its_actions(channel, monkeypatch):
    env, actions = EnvClient(channel), Actions(channel)
    actions.fetch()

    def fails(*_args, **_params):
        raise ServiceError("gone")

    with monkeypatch.context() as patched:
        patched.setattr(channel, "call", fails)
        assert actions.fetch() is None
    move(env, 1)
    assert actions.fetch() is None
    move(env, 1)
    assert actions.fetch().shape == (1, 4)


def test_a_server_without_them_is_not_asked(channel):
    del channel.facade.methods["actions"]
    assert Actions(channel).fetch() is None
    assert Actions(None).fetch() is None
