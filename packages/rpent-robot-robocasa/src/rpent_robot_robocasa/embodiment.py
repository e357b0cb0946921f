"""RoboCasa's mobile manipulator as policies see it, and how the checkpoints that were trained on it are laid out.

All of them have the numbers of the benchmark's own datasets: three upright pictures of 256 pixels, the base in the
world, the hand in the base's frame, and the simulator's action, of which gripper and control mode are -1 or 1.
"""

from __future__ import annotations

from rpent.policies.embodiment import ActionField, ActionPart, CameraView, Embodiment, Layout, StatePart

EXECUTE_STEPS = 8
"""Actions of a chunk that RLDX-1 and GR00T carry out on RoboCasa before they look again."""

_CAMERAS = {
    "robot0_agentview_left": "agentview_left",
    "robot0_agentview_right": "agentview_right",
    "robot0_eye_in_hand": "wrist",
}
"""The benchmark's names, and those of the env server."""

_STATE = {
    "base_position": "base_position",
    "base_rotation": "base_quaternion",
    "end_effector_position_relative": "base_to_eef_position",
    "end_effector_rotation_relative": "base_to_eef_quaternion",
    "gripper_qpos": "gripper_qpos",
}
"""The benchmark's vectors, in the order of its datasets, and the env server's fields."""

_ACTION = {
    "base_motion": "base_motion",
    "control_mode": "control_mode",
    "end_effector_position": "eef_position_delta",
    "end_effector_rotation": "eef_rotation_delta",
    "gripper_close": "gripper",
}
"""The benchmark's parts of an action, in the order of its datasets, and the env server's."""

_SIZE = 256


def _cameras(prefix: str) -> dict[str, CameraView]:
    return {
        f"{prefix}{name}": CameraView(camera=camera, height=_SIZE, width=_SIZE)
        for name, camera in _CAMERAS.items()
    }


def _state(prefix: str) -> dict[str, tuple[StatePart, ...]]:
    return {f"{prefix}{name}": (StatePart(field=field),) for name, field in _STATE.items()}


def _action(prefix: str | None) -> tuple[ActionPart, ...]:
    """Return the parts by name, or without a prefix one after the other.

    What is below 0.5 becomes -1, anything else 1, as in the benchmark's `unmap_action`.
    """
    parts = []
    for name, field in _ACTION.items():
        source = None if prefix is None else f"{prefix}{name}"
        if field in {"gripper", "control_mode"}:
            parts.append(ActionPart(field=field, source=source, scale=2.0, offset=-1.0, binary=True))
        else:
            parts.append(ActionPart(field=field, source=source))
    return tuple(parts)


RLDX = Layout(
    name="rldx",
    summary="RLDX-1's RoboCasa fine-tune, and GR00T-style servers of checkpoints for it.",
    source="PandaOmronKeyConverter of robocasa/wrappers/gym_wrapper.py in rpent-robocasa365 1.0.1",
    cameras=_cameras(""),
    state=_state(""),
    action=_action(""),
    control_rate_hz=20.0,
    execute_steps=EXECUTE_STEPS,
)

GYM = Layout(
    name="gr00t",
    summary="Checkpoints and servers with the flat keys of the benchmark's gymnasium wrapper.",
    source="PandaOmronKeyConverter of robocasa/wrappers/gym_wrapper.py in rpent-robocasa365 1.0.1",
    cameras=_cameras("video."),
    state=_state("state."),
    action=_action("action."),
    control_rate_hz=20.0,
    execute_steps=EXECUTE_STEPS,
)

LEROBOT = Layout(
    name="lerobot",
    summary="Checkpoints trained with LeRobot on the benchmark's datasets.",
    source="robocasa/scripts/dataset_scripts/convert_hdf5_lerobot.py and PandaOmron_modality.json of its assets",
    cameras=_cameras("observation.images."),
    state={"observation.state": tuple(StatePart(field=field) for field in _STATE.values())},
    action=_action(None),
    control_rate_hz=20.0,
)

ROBOCASA = Embodiment(
    robot="robocasa",
    cameras={
        "agentview_left": "beside the arm's base on the left, looking ahead at the work; rides along",
        "agentview_right": "the same on the right",
        "wrist": "on the hand, looking along the fingers",
    },
    camera_size=_SIZE,
    state={
        "base_position": 3,
        "base_quaternion": 4,
        "base_to_eef_position": 3,
        "base_to_eef_quaternion": 4,
        "gripper_qpos": 2,
        "eef_position": 3,
        "eef_quaternion": 4,
        "gripper_opening_m": 1,
        "joint_positions": 7,
    },
    action={
        "eef_position_delta": ActionField(
            length=3, unit=0.05, summary="displacement of the controller's goal, base frame; 1 is 0.05 m"
        ),
        "eef_rotation_delta": ActionField(
            length=3, unit=0.5, summary="axis-angle rotation of the goal, base frame; 1 is 0.5 rad"
        ),
        "gripper": ActionField(length=1, summary="-1 opens, 1 closes"),
        "base_motion": ActionField(
            length=4, summary="velocity of the base forward, left and turning left, and the torso upwards"
        ),
        "control_mode": ActionField(
            length=1, summary="1: the arm's goal rides with the base; -1: it starts from where the hand is"
        ),
    },
    control_rate_hz=20.0,
    layouts=(RLDX, GYM, LEROBOT),
)
"""State: `base_position` and `base_quaternion` (x y z w) of the mobile base in the world, `base_to_eef_position` and
`base_to_eef_quaternion` of the grasp point in its frame, all with the simulator's signs and in metres; `gripper_qpos`
the two finger joints, metres (0.04, -0.04 open); `joint_positions` radians.

It is the state at the end of a control step, as in the benchmark's datasets. After a `step` the benchmark's gymnasium
wrapper hands out what robosuite's sensors read once within that step, up to one control step earlier.
"""
