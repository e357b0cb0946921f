from rpent.testing.policies.contract import PolicyContract
from rpent_policy_rldx.plugin import rpent_policies
from rpent_policy_rldx.testing import LocalRldxServer, make_checkpoint, make_python
from rpent_policy_rldx.testing.model import Checkpoint


class TestRunningServer(PolicyContract):
    """Two frames of video, so that an episode's history matters."""

    (spec,) = rpent_policies()

    @classmethod
    def values(cls, folder):
        checkpoint = Checkpoint(
            video=("front_view", "left_wrist_view"),
            state={"eef_pos_absolute": 3, "eef_rot_absolute": 3, "gripper_close": 2},
            action={"eef_pos_delta": 3, "eef_rot_delta": 3, "gripper_close": 1},
            video_deltas=(-4, 0),
        )
        cls.server = LocalRldxServer(checkpoint)
        cls.server.__enter__()
        return {"checkpoint": cls.server.uri, "execute_steps": 4}

    @classmethod
    def teardown_class(cls):
        super().teardown_class()
        cls.server.__exit__()


class TestLaunchedServer(PolicyContract):
    (spec,) = rpent_policies()

    @classmethod
    def values(cls, folder):
        return {
            "checkpoint": str(make_checkpoint(folder / "checkpoint")),
            "rldx_python": str(make_python(folder / "environment")),
        }
