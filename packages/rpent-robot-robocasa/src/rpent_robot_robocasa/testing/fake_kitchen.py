"""A kinematic stand-in for the kitchen's env server, so that the agent's side is tested without the simulator.

The hand and the base go where they are told; nothing is in their way.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.env.types import CHUNK_OBSERVE, ENV_METHODS
from rpent.rpc.facade import CallContext, Facade, Method

from rpent_robot_robocasa import __version__
from rpent_robot_robocasa.catalog import find_task

if TYPE_CHECKING:
    from rpent_robot_robocasa.config import EnvServerConfig

CAMERAS = ("agentview_left", "agentview_right", "wrist", "navview")
JOINTS = np.array([0.0, -1.02, 0.0, -2.25, 0.0, 1.55, 0.69])
LOW, HIGH = np.array([-3.0, -3.0, 0.0]), np.array([3.0, 3.0, 2.3])
ARM_Z = 0.70
STEP_M = 0.02
"""What an action moves the base by."""
SERVO_M, SERVO_S = 0.005, 0.005
"""What a motion moves hand or base by in a control step, and how long that takes."""


class FakeKitchen:
    """The handlers of the env server contract."""

    def __init__(self, config: EnvServerConfig) -> None:
        self.config = config
        self.placeholder = config.assets != "real"
        self.episode: dict[str, Any] = {
            key: getattr(config, key) for key in ("task_name", "split", "seed", "layout", "style")
        }
        self.resets = 0
        self.state: dict[str, Any] = {}
        self._begin()

    def _begin(self) -> None:
        self.state = {
            "step": 0,
            "base": [0.0, 0.0],
            "yaw": 0.0,
            "hand": [0.25, 0.0, ARM_Z + 0.6],
            "closed": False,
            "solved": False,
        }

    def describe(self, call: CallContext) -> dict[str, Any]:
        """Return what the env is."""
        del call
        task = find_task(self.episode["task_name"])
        return {
            "robot": "robocasa",
            **self.episode,
            "asked": {key: self.episode[key] for key in ("layout", "style")},
            "layout": self.episode["layout"] or 1 + self.episode["seed"] % 10,
            "style": self.episode["style"] or 1 + self.episode["seed"] % 10,
            "kind": task.kind,
            "assets": "placeholder" if self.placeholder else "real",
            "instruction": f"Do {task.name} at number {self.episode['seed']}.",
            "action_dim": 12,
            "action_low": np.full(12, -1.0),
            "action_high": np.full(12, 1.0),
            "cameras": list(CAMERAS),
            "control_freq": 20,
            "max_episode_steps": self.config.max_episode_steps or task.horizon,
            "workspace": {"low": LOW, "high": HIGH},
            "reach_m": 1.0,
            "mobile": True,
            "joint_names": [],
            CHUNK_OBSERVE: True,
        }

    def reset(self, call: CallContext, **episode: Any) -> dict[str, Any]:
        """Begin an episode."""
        del call
        self.episode |= episode
        self.resets += 1
        self._begin()
        return self._observation()

    def step(self, call: CallContext, action: Any) -> dict[str, Any]:
        """Pass one control step: hand and base go straight along the world's axes, whatever the base's yaw."""
        del call
        numbers, state = np.asarray(action, np.float64), self.state
        state["hand"] = (np.asarray(state["hand"]) + STEP_M * numbers[:3]).tolist()
        state["base"] = (np.asarray(state["base"]) + STEP_M * numbers[7:9]).tolist()
        state["yaw"] += 0.1 * float(numbers[9])
        if numbers[6]:
            state["closed"] = bool(numbers[6] > 0)
        state["step"] += 1
        return self._observation()

    def chunk_step(self, call: CallContext, actions: Any, observe: Any = None) -> dict[str, Any]:
        """Pass some control steps, and look on the way."""
        observed = []
        for done, action in enumerate(actions, 1):
            self.step(call, action)
            if observe is not None and done in observe["at"]:
                observed.append(self.observe(call, observe["cameras"], observe["size"]))
        told = {"executed": len(actions), "rewards": [0.0] * len(actions)}
        return {**self._observation(), **told, "observed": observed}

    def servo(self, call: CallContext, targets: Any, until: Any = None) -> dict[str, Any]:
        """Go where the targets are."""
        del until
        status, reached = "reached", 0
        for target in targets:
            self._grip(target.get("gripper", "hold"))
            key, goal = ("hand", target.get("position", self.state["hand"]))
            if "base_position" in target or "base_yaw" in target:
                key, goal = "base", target.get("base_position", self.state["base"])
                self.state["yaw"] = float(target.get("base_yaw", self.state["yaw"]))
            if not self._go(call, key, np.asarray(goal, np.float64)):
                status = "cancelled"
                break
            reached += 1
        return {
            "status": status,
            "waypoints_reached": reached,
            "steps": self.state["step"],
            "position_error_m": 0.0,
            "rotation_error_rad": 0.0,
            "observation": self._observation(),
            "detail": "",
        }

    def _grip(self, gripper: Any) -> None:
        if gripper != "hold":
            self.state["closed"] = gripper == "close" or (not isinstance(gripper, str) and gripper > 0)

    def _go(self, call: CallContext, key: str, goal: Any) -> bool:
        start = np.asarray(self.state[key])
        steps = max(1, int(np.ceil(np.linalg.norm(goal - start) / SERVO_M)))
        for number in range(1, steps + 1):
            if call.cancel.cancelled:
                return False
            time.sleep(SERVO_S)
            self.state[key] = (start + (goal - start) * number / steps).tolist()
            self.state["step"] += 1
        return True

    def observe(
        self, call: CallContext, cameras: Any = (), size: Any = 256, depth: bool = False
    ) -> dict[str, Any]:
        """Return the state, and pictures that change with it."""
        observation = self._observation()
        for name in cameras:
            side = int(size[name] if hasattr(size, "keys") else size)
            ramp = np.arange(side * side * 3, dtype=np.float64).reshape(side, side, 3)
            shade = 40.0 * CAMERAS.index(name) + 10.0 * float(np.sum(self.state["hand"]))
            observation["images"][name] = ((ramp / ramp.max() * 100) + shade).astype(np.uint8)
            observation["cameras"][name] = self.camera_meta(call, name, side)
            if depth:
                observation["depth"][name] = np.full((side, side), 1.0, np.float32)
        return observation

    def camera_meta(self, call: CallContext, camera: str, size: Any = 256) -> dict[str, Any]:
        """Return a calibration."""
        del call
        matrix = np.array([[size, 0, size / 2], [0, size, size / 2], [0, 0, 1.0]])
        return {
            "name": camera,
            "width": size,
            "height": size,
            "intrinsics": matrix,
            "world_from_camera": np.eye(4),
        }

    def instances(self, call: CallContext, camera: str, size: Any = 256) -> dict[str, Any]:
        """Return masks: there is only the counter."""
        del call, camera
        return {"labels": ["counter_1"], "index": np.zeros((int(size), int(size)), np.uint16)}

    def floor_plan(self, call: CallContext) -> dict[str, Any]:
        """Return an empty room."""
        del call
        return {"origin": LOW[:2], "cell_m": 0.1, "occupied": np.zeros((60, 60), bool)}

    def snapshot(self, call: CallContext) -> bytes:
        """Return the exact state."""
        del call
        return json.dumps(self.state).encode()

    def restore(self, call: CallContext, data: bytes) -> dict[str, Any]:
        """Come back to a state."""
        del call
        self.state = json.loads(data)
        return self._observation()

    def _observation(self) -> dict[str, Any]:
        state, yaw = self.state, self.state["yaw"]
        turned = np.array([0.0, 0.0, np.sin(yaw / 2), np.cos(yaw / 2)])
        hand = np.array([np.cos(yaw / 2), np.sin(yaw / 2), 0.0, 0.0])
        base = np.array([*state["base"], 0.0])
        return {
            "step": state["step"],
            "eef_position": np.array(state["hand"]),
            "eef_quaternion": hand,
            "gripper_opening_m": 0.0 if state["closed"] else 0.08,
            "joint_positions": JOINTS.copy(),
            "success": state["solved"],
            "terminated": state["solved"],
            "truncated": False,
            "images": {},
            "depth": {},
            "cameras": {},
            "extra": {
                "gripper_command": 1.0 if state["closed"] else -1.0,
                "base_position": base,
                "base_quaternion": turned,
                "base_yaw_rad": yaw,
                "yaw_rad": yaw,
                "pitch_rad": 0.0,
                "arm_base_position": base + np.array([0.0, 0.0, ARM_Z]),
                "torso_m": 0.2,
                "gripper_qpos": np.array([0.0, 0.0] if state["closed"] else [0.04, -0.04]),
                "base_to_eef_position": np.array(state["hand"]) - base,
                "base_to_eef_quaternion": np.array([1.0, 0.0, 0.0, 0.0]),
                "finger_contacts": {"left": False, "right": False},
            },
        }


def facade(kitchen: FakeKitchen) -> Facade:
    """Serve a kitchen."""
    names = (*ENV_METHODS, "instances", "floor_plan")
    methods = {name: Method(handler=getattr(kitchen, name)) for name in names}
    return Facade(name="robocasa/env", version=__version__, methods=methods, info={})


def create(config: EnvServerConfig) -> Facade:
    """Make the facade that the supervisor runs."""
    return facade(FakeKitchen(config))
