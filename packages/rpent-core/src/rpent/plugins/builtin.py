"""What core itself offers, through the hooks that every plugin uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.hookspecs import hookimpl
from rpent.specs import PlannerSpec, ToolSpec, TransportSpec

if TYPE_CHECKING:
    from collections.abc import Iterator

PLUGIN_API = 1


@hookimpl
def rpent_planners() -> Iterator[PlannerSpec]:
    """Offer the planner that carries out a recipe again."""
    yield PlannerSpec(
        name="replay",
        summary="Carries out the tool calls of a recorded recipe.",
        planner="rpent.planners.replay:ReplayPlanner",
        config="rpent.planners.replay:ReplayConfig",
        uses_model=False,
    )


@hookimpl
def rpent_transports() -> Iterator[TransportSpec]:
    """Offer the transport that stays in the process, for tests."""
    yield TransportSpec(
        scheme="inproc",
        summary="RPC inside one process, through the same codec.",
        transport="rpent.rpc.inprocess:InProcessTransport",
        local_priority=-1,
    )


@hookimpl
def rpent_tools() -> Iterator[ToolSpec]:
    """Offer the tools that every robot has."""
    yield ToolSpec(
        name="files",
        summary="Read and write text files in the run directory.",
        tools="rpent.tools.files:FileTools",
    )
    yield ToolSpec(
        name="memory",
        summary="Read what earlier runs learned, in runs with memory; write drafts when exploring.",
        tools="rpent.memory.tools:MemoryTools",
    )
