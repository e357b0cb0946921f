"""The fake robot as policies see it."""

from __future__ import annotations

from rpent.policies.embodiment import ActionField, ActionPart, CameraView, Embodiment, Layout, StatePart

_MOVE = ActionField(length=3, unit=0.02, summary="Displacement of the grasp point, world; 1 is 0.02 m.")
_GRIP = ActionField(length=1, summary="-1 opens, 1 closes, 0 holds.")

FAKE = Embodiment(
    robot="fake",
    cameras={"top": "The table from above; rows run towards -y."},
    camera_size=128,
    state={"eef_position": 3, "gripper_opening_m": 1},
    action={"eef_position_delta": _MOVE, "gripper": _GRIP},
    control_rate_hz=20.0,
    layouts=(
        Layout(
            name="front",
            summary="Checkpoints of the backend `fake`.",
            cameras={"front": CameraView(camera="top")},
            state={"pose": (StatePart(field="eef_position"),)},
            action=(
                ActionPart(field="eef_position_delta", source="move"),
                ActionPart(field="gripper", source="gripper"),
            ),
        ),
    ),
)
