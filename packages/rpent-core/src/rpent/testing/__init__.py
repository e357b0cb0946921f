"""What plugin authors test with: a contract class a kind of plugin, and fakes of the real protocols.

pytest is needed for the contract classes only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rpent.testing.env_contract import EnvContract, LocalChannel
    from rpent.testing.fake_robot.robot import FakeRobot
    from rpent.testing.model_planner_contract import ModelPlannerContract
    from rpent.testing.models import GuardProxy, ModelServer
    from rpent.testing.perceptor_contract import PerceptorContract
    from rpent.testing.planner_contract import PlannerContract
    from rpent.testing.plugin_contract import PluginContract
    from rpent.testing.policies.contract import PolicyContract
    from rpent.testing.policies.fake import FakePolicy
    from rpent.testing.registry import FakeRegistry
    from rpent.testing.robot_contract import RobotContract
    from rpent.testing.scripted_planner import ScriptedPlanner
    from rpent.testing.sessions import fake_session
    from rpent.testing.toolkit_contract import ToolkitContract
    from rpent.testing.transport import TransportContract

_HOMES = {
    "EnvContract": "env_contract",
    "LocalChannel": "env_contract",
    "FakePolicy": "policies.fake",
    "FakeRegistry": "registry",
    "FakeRobot": "fake_robot.robot",
    "GuardProxy": "models",
    "ModelServer": "models",
    "ModelPlannerContract": "model_planner_contract",
    "PerceptorContract": "perceptor_contract",
    "PlannerContract": "planner_contract",
    "PluginContract": "plugin_contract",
    "PolicyContract": "policies.contract",
    "RobotContract": "robot_contract",
    "ScriptedPlanner": "scripted_planner",
    "ToolkitContract": "toolkit_contract",
    "TransportContract": "transport",
    "fake_session": "sessions",
}

__all__ = [
    "EnvContract",
    "FakePolicy",
    "FakeRegistry",
    "FakeRobot",
    "GuardProxy",
    "LocalChannel",
    "ModelPlannerContract",
    "ModelServer",
    "PerceptorContract",
    "PlannerContract",
    "PluginContract",
    "PolicyContract",
    "RobotContract",
    "ScriptedPlanner",
    "ToolkitContract",
    "TransportContract",
    "fake_session",
]


def __getattr__(name: str) -> object:
    """Load a name on first use."""
    from importlib import import_module  # noqa: PLC0415

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
