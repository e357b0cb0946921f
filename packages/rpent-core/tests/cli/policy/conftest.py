"""A robot that says what it offers a policy, and a backend whose checkpoints are a file."""

import pytest
from rpent.testing.policies.fake import make_checkpoint

ROBOT = """
    from rpent.api import RobotSpec, ServiceSpec, hookimpl

    PLUGIN_API = 1

    @hookimpl
    def rpent_robots():
        yield RobotSpec(
            name="arm", summary="An arm.", robot="arm_embodiment:nothing", config="arm_embodiment:nothing",
            embodiment="arm_embodiment:ARM", services=(ServiceSpec(name="vla", optional=True),),
        )
    """
EMBODIMENT = """
    from rpent.policies.embodiment import ActionField, ActionPart, CameraView, Embodiment, Layout, StatePart

    ARM = Embodiment(
        robot="arm",
        cameras={"front": "the table", "wrist": "the fingers"},
        state={"pose": 3, "turn": 4},
        action={
            "move": ActionField(length=3, summary="metres a second"),
            "gripper": ActionField(length=1, summary="closes above 0"),
        },
        control_rate_hz=10.0,
        layouts=(
            Layout(
                name="mirrored",
                summary="Pictures as in the mirror.",
                cameras={"image": CameraView(camera="front", flip="horizontal", height=32, width=48, resize="pad")},
                state={
                    "vector": (
                        StatePart(field="pose", scale=2.0), StatePart(field="turn", convert="axis_angle", length=2)
                    )
                },
                action=(
                    ActionPart(field="gripper", source="grip", scale=-2.0, offset=1.0, binary=True),
                    ActionPart(field="move", source="velocity"),
                ),
            ),
        ),
    )
    """


@pytest.fixture
def arm(plugin_site):
    plugin_site.add(
        "rpent-robot-arm",
        entry_points={"rpent.robots": {"arm": "rpent_robot_arm"}},
        modules={"rpent_robot_arm.py": ROBOT, "arm_embodiment.py": EMBODIMENT},
    )
    plugin_site.add_fake_policy()


@pytest.fixture
def checkpoint(tmp_path):
    return make_checkpoint(tmp_path / "checkpoint")
