"""RoboCasa's agent side passes the contracts of robots and toolkits, over a kinematic stand-in for its env server."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from rpent.plugins import registry
from rpent.testing import FakeRegistry, RobotContract, ToolkitContract
from rpent.testing.registry import fake_specs

EPISODE = {"task_name": "StartCoffeeMachine", "seed": 3, "assets": "placeholder"}
ACTION = ("move_to", {"xyz": [0.4, 0.1, 1.2]})


class FakeKitchens(FakeRegistry):
    """What is installed, with the stand-in for the simulator."""

    def __init__(self) -> None:
        spec = registry.current().get("robots", "robocasa")
        env, *others = spec.services
        factory = "rpent_robot_robocasa.testing.fake_kitchen:create"
        fake = replace(env, factory=factory, environment=None, check="")
        robot = replace(spec, services=(fake, *others))
        super().__init__({**fake_specs(), "robots": {"robocasa": robot}})


class _OnFakeKitchens:
    robot = "robocasa"
    config: ClassVar = EPISODE
    action = ACTION

    @classmethod
    def registry(cls) -> Any:
        return FakeKitchens()


class TestRobot(_OnFakeKitchens, RobotContract):
    pass


class TestToolkit(_OnFakeKitchens, ToolkitContract):
    long_action = ("move_to", {"xyz": [0.6, -0.5, 0.7]})
