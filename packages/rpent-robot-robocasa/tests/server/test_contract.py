"""The env server contract on the real simulator, served as a run has it served."""

from __future__ import annotations

import numpy as np
import pytest
from rpent.cancel import CancelToken
from rpent.env.client import EnvClient
from rpent.testing import EnvContract

pytestmark = pytest.mark.sim


class TestRobocasaEnv(EnvContract):
    """All of it, against the env in its own environment."""

    @classmethod
    def setup_class(cls) -> None:
        """The env is the session's."""

    @classmethod
    def teardown_class(cls) -> None:
        """It goes with the session."""

    @pytest.fixture(autouse=True)
    def env(self, make_env) -> EnvClient:
        """Each kitchen has the hand elsewhere: near it is a place to reach."""
        env = make_env(seed=0)
        type(self).reachable = (env.observe().eef_position + np.array([0.06, -0.05, 0.04])).tolist()
        return env

    def test_a_servo_can_be_cancelled(self, env: EnvClient) -> None:
        """While it moves; the first report of where it is comes after 20 control steps."""
        token = CancelToken()
        far = env.observe().eef_position - [0.0, 0.0, 0.5]
        result = env.servo(
            [{"position": far.tolist(), "max_step_m": 0.002}],
            {"max_steps": 400, "stall_steps": 400},
            cancel=token,
            on_progress=lambda _: token.cancel(),
        )
        assert result.status == "cancelled"
        assert 20 <= result.steps < 400
        assert env.observe().step == result.steps
