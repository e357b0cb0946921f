"""The cameras that a planner is told of, and the one that the simulator has not: the view for navigation."""

from __future__ import annotations

from typing import Any

import numpy as np

NAVIGATION_VIEW = "navview"

CAMERA_NAMES = {
    "agentview_left": "robot0_agentview_left",
    "agentview_right": "robot0_agentview_right",
    "wrist": "robot0_eye_in_hand",
    NAVIGATION_VIEW: NAVIGATION_VIEW,
}
"""By the names that a planner uses; the first one is the main camera. Every other camera answers to its own name."""

MAIN_CAMERA = "agentview_left"

_BEHIND_M, _UP_M, _TILT_RAD, _FOVY_DEG = 1.0, 1.25, np.deg2rad(38.0), 75.0
"""Behind and above the arm's base, tilted down from the horizontal: the floor from before the wheels, and the
furniture ahead and to both sides."""


def add_navigation_view(env: Any) -> None:
    """Let the scene that `env` builds next have a camera that rides above and behind the base and looks ahead.

    The simulator adds the cameras of its own table to the scene's XML; this one stands beside them.
    """
    inherited = env.edit_model_xml

    def edit_model_xml(xml: str) -> str:
        env._cam_configs = {**env._cam_configs, NAVIGATION_VIEW: _config()}
        return str(inherited(xml))

    env._xml_processors = [edit_model_xml if item == inherited else item for item in env._xml_processors]


def _config() -> dict[str, Any]:
    return {
        "pos": [-_BEHIND_M, 0.0, _UP_M],
        "quat": _looking_ahead(_TILT_RAD),
        "camera_attribs": {"fovy": str(_FOVY_DEG)},
        "parent_body": "mobilebase0_support",
    }


def _looking_ahead(tilt_rad: float) -> list[float]:
    """Return w x y z of a camera that looks along its body's x axis, tilted down.

    MuJoCo's camera looks along its -z with y up: right is the body's -y, back and up follow from the tilt.
    """
    cos, sin = np.cos(tilt_rad), np.sin(tilt_rad)
    right, up, back = np.array([0.0, -1, 0]), np.array([sin, 0, cos]), np.array([-cos, 0, sin])
    m = np.column_stack([right, up, back])
    w = 0.5 * np.sqrt(1 + np.trace(m))
    x, y, z = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
    return [float(w), *(float(value / (4 * w)) for value in (x, y, z))]
