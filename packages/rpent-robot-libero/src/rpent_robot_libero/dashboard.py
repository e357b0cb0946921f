"""What a dashboard shows of LIBERO, and what a person may do there."""

from __future__ import annotations

from rpent.specs import DashboardSpec, FrameChannel

MOTION = ("move_to", "move_pose", "rotate_wrist", "rotate_pitch", "set_gripper", "release")
CONTACT = ("grasp", "place", "pull", "push", "turn")
LOOK = ("segment", "view_env_state")
POLICY = ("vla_pick", "vla_do")

DASHBOARD = DashboardSpec(
    task_fields=("suite", "task", "seed"),
    choices="rpent_robot_libero.choices:choices",
    frames=(
        FrameChannel(camera="agentview", label="Front of the table"),
        FrameChannel(camera="wrist", label="Hand", role="wrist"),
    ),
    primitives=(*MOTION, *CONTACT, *LOOK, *POLICY),
    service_labels=(("env", "LIBERO simulator"), ("vla", "Policy server")),
)
