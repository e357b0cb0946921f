"""What plugin authors import. Each name is loaded on first use, so that a light `plugin.py` stays light.

`from rpent.api import RobotSpec, hookimpl` brings in pluggy and `rpent.specs` only; `Toolkit` or `EnvClient`
bring in what they need. Everything here follows semantic versioning; other modules of `rpent` may change
between minor versions.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rpent.cancel import CancelToken
    from rpent.env.client import EnvClient
    from rpent.env.types import CameraMeta, ChunkObserve, Observation, ServoResult, Until, Waypoint
    from rpent.errors import PolicyError, RpentError, ToolError, UsageError
    from rpent.hookspecs import hookimpl, hookspec
    from rpent.perception import Perceptor, PerceptorContext, Segment
    from rpent.planners.config import ModelConfig
    from rpent.planners.faults import Fault, ModelError, fault_of, model_error, plain_detail
    from rpent.planners.launcher import write_launcher
    from rpent.planners.parts import Part, history_lines, history_parts, opening_parts, reply_parts
    from rpent.planners.planner import Planner
    from rpent.planners.prices import cost_usd, price_known, priced, require_price
    from rpent.planners.private import private_folder
    from rpent.planners.probe import probe_model
    from rpent.planners.retries import pause_s, say_retry
    from rpent.planners.sdk import importing_sdk, require_sdk
    from rpent.policies.api import (
        CameraInput,
        PastFrame,
        Policy,
        PolicyConfig,
        PolicyRequest,
        Report,
        Signature,
    )
    from rpent.policies.embodiment import ActionField, ActionPart, CameraView, Embodiment, Layout, StatePart
    from rpent.policies.loop import PolicyLoop
    from rpent.policies.tools import VlaTools
    from rpent.robot import Prompts, PromptSection, Robot, TaskSetup, ToolContext
    from rpent.rpc.facade import CallContext, Facade, Method
    from rpent.runs.pictures import Picture
    from rpent.session.limits import Limits
    from rpent.session.reply import ToolReply
    from rpent.session.session import Session, SessionEndedError
    from rpent.session.usage import Usage
    from rpent.specs import (
        CheckResult,
        Choice,
        CommandSpec,
        DashboardSpec,
        DoctorCheck,
        EnvironmentSpec,
        ExecutorSpec,
        FrameChannel,
        FrontendSpec,
        HookspecSet,
        KindSpec,
        PerceptorSpec,
        PlannerSpec,
        PolicySpec,
        RobotSpec,
        RunFinishedEvent,
        RunStartedEvent,
        ServiceSpec,
        ToolSpec,
        TransportSpec,
    )
    from rpent.tools.result import Capture, Image, ToolResult
    from rpent.tools.tool import tool
    from rpent.tools.toolkit import Toolkit

_HOMES = {
    "rpent.cancel": ("CancelToken",),
    "rpent.env.client": ("EnvClient",),
    "rpent.env.types": ("CameraMeta", "ChunkObserve", "Observation", "ServoResult", "Until", "Waypoint"),
    "rpent.errors": ("PolicyError", "RpentError", "ToolError", "UsageError"),
    "rpent.hookspecs": ("hookimpl", "hookspec"),
    "rpent.perception": ("Perceptor", "PerceptorContext", "Segment"),
    "rpent.planners.config": ("ModelConfig",),
    "rpent.planners.faults": ("Fault", "ModelError", "fault_of", "model_error", "plain_detail"),
    "rpent.planners.launcher": ("write_launcher",),
    "rpent.planners.parts": ("Part", "history_lines", "history_parts", "opening_parts", "reply_parts"),
    "rpent.planners.planner": ("Planner",),
    "rpent.planners.prices": ("cost_usd", "price_known", "priced", "require_price"),
    "rpent.planners.private": ("private_folder",),
    "rpent.planners.probe": ("probe_model",),
    "rpent.planners.retries": ("pause_s", "say_retry"),
    "rpent.planners.sdk": ("importing_sdk", "require_sdk"),
    "rpent.policies.api": (
        "CameraInput",
        "PastFrame",
        "Policy",
        "PolicyConfig",
        "PolicyRequest",
        "Report",
        "Signature",
    ),
    "rpent.policies.embodiment": (
        "ActionField",
        "ActionPart",
        "CameraView",
        "Embodiment",
        "Layout",
        "StatePart",
    ),
    "rpent.policies.loop": ("PolicyLoop",),
    "rpent.policies.tools": ("VlaTools",),
    "rpent.robot": ("Prompts", "PromptSection", "Robot", "TaskSetup", "ToolContext"),
    "rpent.rpc.facade": ("CallContext", "Facade", "Method"),
    "rpent.runs.pictures": ("Picture",),
    "rpent.session.limits": ("Limits",),
    "rpent.session.reply": ("ToolReply",),
    "rpent.session.session": ("Session", "SessionEndedError"),
    "rpent.session.usage": ("Usage",),
    "rpent.specs": (
        "CheckResult",
        "Choice",
        "CommandSpec",
        "DashboardSpec",
        "DoctorCheck",
        "EnvironmentSpec",
        "ExecutorSpec",
        "FrameChannel",
        "FrontendSpec",
        "HookspecSet",
        "KindSpec",
        "PerceptorSpec",
        "PlannerSpec",
        "PolicySpec",
        "RobotSpec",
        "RunFinishedEvent",
        "RunStartedEvent",
        "ServiceSpec",
        "ToolSpec",
        "TransportSpec",
    ),
    "rpent.tools.result": ("Capture", "Image", "ToolResult"),
    "rpent.tools.tool": ("tool",),
    "rpent.tools.toolkit": ("Toolkit",),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "ActionField",
    "ActionPart",
    "CallContext",
    "CameraInput",
    "CameraMeta",
    "CameraView",
    "CancelToken",
    "Capture",
    "CheckResult",
    "Choice",
    "ChunkObserve",
    "CommandSpec",
    "DashboardSpec",
    "DoctorCheck",
    "Embodiment",
    "EnvClient",
    "EnvironmentSpec",
    "ExecutorSpec",
    "Facade",
    "Fault",
    "FrameChannel",
    "FrontendSpec",
    "HookspecSet",
    "Image",
    "KindSpec",
    "Layout",
    "Limits",
    "Method",
    "ModelConfig",
    "ModelError",
    "Observation",
    "Part",
    "PastFrame",
    "Perceptor",
    "PerceptorContext",
    "PerceptorSpec",
    "Picture",
    "Planner",
    "PlannerSpec",
    "Policy",
    "PolicyConfig",
    "PolicyError",
    "PolicyLoop",
    "PolicyRequest",
    "PolicySpec",
    "PromptSection",
    "Prompts",
    "Report",
    "Robot",
    "RobotSpec",
    "RpentError",
    "RunFinishedEvent",
    "RunStartedEvent",
    "Segment",
    "ServiceSpec",
    "ServoResult",
    "Session",
    "SessionEndedError",
    "Signature",
    "StatePart",
    "TaskSetup",
    "ToolContext",
    "ToolError",
    "ToolReply",
    "ToolResult",
    "ToolSpec",
    "Toolkit",
    "TransportSpec",
    "Until",
    "Usage",
    "UsageError",
    "VlaTools",
    "Waypoint",
    "cost_usd",
    "fault_of",
    "history_lines",
    "history_parts",
    "hookimpl",
    "hookspec",
    "importing_sdk",
    "model_error",
    "opening_parts",
    "pause_s",
    "plain_detail",
    "price_known",
    "priced",
    "private_folder",
    "probe_model",
    "reply_parts",
    "require_price",
    "require_sdk",
    "say_retry",
    "tool",
    "write_launcher",
]


def __getattr__(name: str) -> object:
    """Load a name from its home (PEP 562)."""
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted(_HOME_OF)
