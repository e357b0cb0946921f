"""A robot's tools over its connected services, and what the session needs to know about the world."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from rpent.tools.tool import build_tool, marker_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rpent.robot import ToolContext
    from rpent.tools.result import Capture, ToolResult
    from rpent.tools.tool import Tool


class Toolkit(ABC):
    """Base class of a robot's tools. Methods with `@tool` are offered to the planner.

    The session calls everything here from one thread, one call at a time.
    """

    def __init__(self, context: ToolContext) -> None:
        self.context = context

    def tools(self) -> list[Tool]:
        """Return the available tools, in the order of their definition."""
        return [tool for tool in bound_tools(self, self.context) if self.available(tool.name)]

    def available(self, name: str) -> bool:  # noqa: ARG002
        """Whether the tool is offered; `@tool(needs=...)` is looked at before."""
        return True

    @abstractmethod
    def capture(self) -> Capture:
        """Observe the world afresh: called at the start and after each action tool."""

    def details(self) -> Mapping[str, Any]:
        """Plain data about the scene for run.json, asked once the services are ready."""
        return {}

    def instruction(self) -> str | None:
        """The benchmark's own words for the task, where only the scene tells them (`TaskSetup.provisional`)."""
        return None

    def caveats(self) -> Sequence[str]:
        """Why results of this run are not the benchmark's, a sentence each, asked once the services are ready.

        They are recorded in run.json, shown with the run, and keep it out of what is published.
        """
        return ()

    def benchmark_success(self) -> bool | None:
        """What the benchmark says of the task; None where there is no benchmark."""
        return None

    def env_steps(self) -> int:
        """Control steps since the episode began, as last observed (no call to the service)."""
        return 0

    def episode_over(self) -> str | None:
        """One sentence when no further action is accepted, else None (no call to the service)."""
        return None

    def snapshot(self) -> bytes | None:
        """Return the exact state of the world, or None where that does not exist."""
        return None

    def restore(self, snapshot: bytes) -> None:
        """Come back to a snapshot. Called after a service restart, and by resume."""
        raise NotImplementedError(f"`{type(self).__name__}` cannot restore a snapshot.")

    def reset(self) -> None:
        """Begin the same episode anew: same task, same seed, nothing held, `env_steps` at 0. For exploration."""
        raise NotImplementedError(f"`{type(self).__name__}` cannot begin its episode anew.")

    @property
    def resettable(self) -> bool:
        """Whether `reset` exists: what exploration with several attempts needs."""
        return type(self).reset is not Toolkit.reset

    def close(self) -> None:  # noqa: B027
        """Release what the toolkit holds; the services are stopped by the run."""


def bound_tools(owner: object, context: ToolContext) -> list[Tool]:
    """Return the `@tool` methods of an object whose services exist, base classes first."""
    methods: dict[str, Callable[..., ToolResult]] = {}
    for kind in reversed(type(owner).__mro__):
        for name, member in vars(kind).items():
            if marker_of(member) is not None:
                methods[name] = getattr(owner, name)
            elif name in methods:
                del methods[name]
    return [build_tool(method) for method in methods.values() if _served(method, context)]


def _served(method: Callable[..., ToolResult], context: ToolContext) -> bool:
    marker = marker_of(method)
    assert marker is not None
    extras = ("perceptor", "memory", "memory_drafts")
    present = {*context.channels, *(name for name in extras if getattr(context, name) is not None)}
    return present.issuperset(marker.needs)
