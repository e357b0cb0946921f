"""What a dashboard shows of RoboCasa, and what a person may do there."""

from __future__ import annotations

from rpent.specs import DashboardSpec, FrameChannel

MOTION = ("move_to", "move_pose", "rotate_wrist", "set_gripper", "release", "retract")
CONTACT = ("grasp", "place", "pull", "push")
LOOK = ("segment", "view_env_state", "check_grasp")

DASHBOARD = DashboardSpec(
    task_fields=("task_name", "split", "seed", "layout", "style"),
    choices="rpent_robot_robocasa.choices:choices",
    frames=(
        FrameChannel(camera="agentview_left", label="From the left shoulder"),
        FrameChannel(camera="agentview_right", label="From the right shoulder"),
        FrameChannel(camera="wrist", label="Hand", role="wrist"),
        FrameChannel(camera="navview", label="Where it drives", role="navigation"),
    ),
    primitives=(*MOTION, *CONTACT, *LOOK),
    service_labels=(("env", "RoboCasa simulator"), ("vla", "Policy server")),
)
