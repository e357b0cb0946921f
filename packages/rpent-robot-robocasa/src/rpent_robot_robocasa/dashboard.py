"""What a dashboard shows of RoboCasa, and what a person may do there."""

from __future__ import annotations

from rpent.specs import DashboardSpec, FrameChannel

DRIVING = ("navigate_to", "turn_base", "move_base")
MOTION = ("move_to", "move_pose", "rotate_wrist", "set_gripper", "release", "retract")
CONTACT = ("grasp", "place", "press", "turn_knob", "pull", "push")
FRONTS = ("open_door", "close_door", "open_drawer", "close_drawer")
LOOK = ("segment", "view_env_state", "check_grasp")
POLICY = ("rldx_skill", "vla_pick", "vla_do")

DASHBOARD = DashboardSpec(
    task_fields=("task_name", "split", "seed", "layout", "style"),
    choices="rpent_robot_robocasa.choices:choices",
    frames=(
        FrameChannel(camera="agentview_left", label="From the left shoulder"),
        FrameChannel(camera="agentview_right", label="From the right shoulder"),
        FrameChannel(camera="wrist", label="Hand", role="wrist"),
        FrameChannel(camera="navview", label="Where it drives", role="navigation"),
    ),
    primitives=(*DRIVING, *MOTION, *CONTACT, *FRONTS, *LOOK, *POLICY),
    service_labels=(("env", "RoboCasa simulator"), ("vla", "Policy server")),
)
