"""What a run is asked to do: all that the command line, the dashboard or a sweep decides before."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rpent.errors import UsageError
from rpent.session.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Explore", "Limits", "ProgressStyle", "RunRequest"]

ProgressStyle = Literal["auto", "live", "plain", "json", "quiet"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Explore:
    """How a run explores: what it learns is merged into the memory."""

    attempts: int = 3
    """Attempts of a session at most, each from a reset."""
    sessions: int = 1
    """Sessions, one after the other, each a run of its own with a fresh conversation."""

    def __post_init__(self) -> None:
        for name in ("attempts", "sessions"):
            value = getattr(self, name)
            if not (isinstance(value, int) and value > 0):
                raise UsageError(f"`{name}` is {value}; it must be a whole number above 0.")


@dataclass(frozen=True, kw_only=True, slots=True)
class RunRequest:
    """One episode to run: robot, planner, their configurations, limits, and where the services are."""

    robot: str
    planner: str
    robot_config: Mapping[str, Any] = field(default_factory=dict)
    """Values of the robot's config model; absent fields take their defaults."""
    planner_config: Mapping[str, Any] = field(default_factory=dict)
    perceptor: str | None = None
    """None takes the robot's own choice; `none` switches perception off."""
    perceptor_config: Mapping[str, Any] = field(default_factory=dict)
    perceptor_service_config: Mapping[str, Any] = field(default_factory=dict)
    """Values of the config model of the perceptor's own service, where it has one."""
    policy: str | None = None
    """The backend of a policy server that the run starts as its service `vla`; None starts none."""
    policy_config: Mapping[str, Any] = field(default_factory=dict)
    policy_layout: str | None = None
    """The robot's layout that the checkpoint is for; None takes the one that fits."""
    output_dir: Path = Path("runs")
    """The run directory is made inside it."""
    limits: Limits = field(default_factory=Limits)
    transport: str | None = None
    """Scheme for the services that the run starts itself; None takes the best installed."""
    endpoints: Mapping[str, str] = field(default_factory=dict)
    """Service name → endpoint of a server that already runs."""
    env_python: str | None = None
    """Interpreter for those of the robot's services that the run starts itself."""
    pythons: Mapping[str, str] = field(default_factory=dict)
    """Service name (`vla`, `perception`) → interpreter, for services of a policy or perceptor."""
    token: str | None = None
    """Token of the attached servers; owned services get one of their own."""
    memory: bool = False
    """Whether the planner may read what earlier runs of the robot learned."""
    memory_dir: Path | None = None
    """Where the memory is; None takes `RPENT_MEMORY_DIR`, or the user's own."""
    explore: Explore | None = None
    """Several attempts instead of one, which teach the memory; None leaves the memory as it is."""
    progress: ProgressStyle = "auto"
    record_video: bool = True
    live: bool = False
    """Somebody watches: further cameras are captured after each step, and motions are shown while they go on."""
    verbose: bool = False

    def __post_init__(self) -> None:
        if self.explore is not None and not self.memory:
            object.__setattr__(self, "memory", True)  # who teaches the memory also reads it
