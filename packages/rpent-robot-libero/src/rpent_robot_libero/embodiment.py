"""LIBERO as policies see it, and how the checkpoints that were trained on it are laid out.

Their pictures come from robosuite with the rows bottom-up, and were turned by 180 degrees before training: against the
upright picture of the env server that is a mirror image.
"""

from __future__ import annotations

from rpent.policies.embodiment import ActionField, ActionPart, CameraView, Embodiment, Layout, StatePart

_POSITION = StatePart(field="eef_position")
_AXIS_ANGLE = StatePart(field="eef_quaternion", convert="axis_angle")
_FINGERS = StatePart(field="gripper_qpos")
_STATE = (_POSITION, _AXIS_ANGLE, _FINGERS)
_ACTION = (
    ActionPart(field="eef_position_delta"),
    ActionPart(field="eef_rotation_delta"),
    ActionPart(field="gripper"),
)


def _view(camera: str, *, size: int | None = None, pad: bool = False) -> CameraView:
    return CameraView(
        camera=camera, flip="horizontal", height=size, width=size, resize="pad" if pad else "stretch"
    )


LEROBOT = Layout(
    name="lerobot",
    summary="Checkpoints trained with LeRobot on its LIBERO datasets.",
    source="lerobot/envs/libero.py and lerobot/processor/env_processor.py of lerobot 0.4.4",
    cameras={
        "observation.images.image": _view("agentview"),
        "observation.images.image2": _view("wrist"),
        "observation.images.wrist_image": _view("wrist"),
    },
    state={"observation.state": _STATE},
    action=_ACTION,
    control_rate_hz=20.0,
    openpi={
        "observation/image": "observation.images.image",
        "observation/wrist_image": "observation.images.image2",
        "observation/state": "observation.state",
    },
)

OPENPI = Layout(
    name="openpi",
    summary="Servers of openpi's LIBERO checkpoints: pi0, pi0-FAST and pi0.5.",
    source="examples/libero/main.py of openpi",
    cameras={
        "observation/image": _view("agentview", size=224, pad=True),
        "observation/wrist_image": _view("wrist", size=224, pad=True),
    },
    state={"observation/state": _STATE},
    action=_ACTION,
    control_rate_hz=20.0,
)

RLDX = Layout(
    name="rldx",
    summary="RLDX-1's LIBERO fine-tune.",
    source="the modality configuration in rlinf-rldx 1.0.1 (read, not run)",
    cameras={"front_view": _view("agentview"), "left_wrist_view": _view("wrist")},
    state={
        "eef_pos_absolute": (_POSITION,),
        "eef_rot_absolute": (_AXIS_ANGLE,),
        "gripper_close": (_FINGERS,),
    },
    action=(
        ActionPart(field="eef_position_delta", source="eef_pos_delta"),
        ActionPart(field="eef_rotation_delta", source="eef_rot_delta"),
        # 0 open to 1 closed.
        ActionPart(field="gripper", source="gripper_close", scale=2.0, offset=-1.0, binary=True),
    ),
    control_rate_hz=20.0,
)

GR00T = Layout(
    name="gr00t",
    summary="GR00T-style checkpoints with the tag `libero_panda`.",
    source="the modality configuration in rlinf-rldx 1.0.1 (read, not run)",
    cameras={"image": _view("agentview"), "wrist_image": _view("wrist")},
    state={
        **{
            name: (_POSITION.model_copy(update={"start": axis, "length": 1}),)
            for axis, name in enumerate(("x", "y", "z"))
        },
        **{
            name: (_AXIS_ANGLE.model_copy(update={"start": axis, "length": 1}),)
            for axis, name in enumerate(("roll", "pitch", "yaw"))
        },
        "gripper": (_FINGERS,),
    },
    action=(
        ActionPart(field="eef_position_delta"),
        ActionPart(field="eef_rotation_delta"),
        # 0 closed to 1 open.
        ActionPart(field="gripper", scale=-2.0, offset=1.0, binary=True),
    ),
    control_rate_hz=20.0,
)

LIBERO = Embodiment(
    robot="libero",
    cameras={
        "agentview": "fixed, looking at the table and at the robot",
        "wrist": "on the hand, looking along the fingers",
    },
    camera_size=256,
    state={
        "eef_position": 3,
        "eef_quaternion": 4,
        "gripper_qpos": 2,
        "gripper_opening_m": 1,
        "joint_positions": 7,
    },
    action={
        "eef_position_delta": ActionField(
            length=3, unit=0.05, summary="displacement of the controller's goal, world frame; 1 is 0.05 m"
        ),
        "eef_rotation_delta": ActionField(
            length=3, unit=0.5, summary="axis-angle rotation of the goal, world frame; 1 is 0.5 rad"
        ),
        "gripper": ActionField(length=1, summary="negative opens, positive closes"),
    },
    control_rate_hz=20.0,
    layouts=(LEROBOT, OPENPI, RLDX, GR00T),
)
"""State: `eef_position` is the grasp point in the world, metres; `eef_quaternion` x y z w of the hand in the world,
with the simulator's sign; `gripper_qpos` the two finger joints, metres (0.04, -0.04 open); `joint_positions` radians.
"""
