"""A recorded run's env server, started again, with the robot's own way to come back to a snapshot."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rpent.cancel import CancelToken
from rpent.env.client import EnvClient
from rpent.errors import UsageError
from rpent.policies import chosen
from rpent.robot import ToolContext
from rpent.run.manifest import request_from_json
from rpent.run.request import Limits
from rpent.run.resolve import resolve
from rpent.run.services import service_requests
from rpent.services.supervisor import Supervisor

if TYPE_CHECKING:
    from pathlib import Path

    from rpent.env.types import Observation
    from rpent.policies.embodiment import Embodiment
    from rpent.run.resolve import Registry, Resolved
    from rpent.services.request import ServiceRequest

    from rpent_policy_bc.demonstrations import Recording


class Simulation:
    """An env server that can be put where a run was. It serves all runs with the same configuration but task and seed.

    Raises:
        ServiceError: The env server cannot be started.
        PluginError: The robot is not installed.
    """

    def __init__(
        self,
        recording: Recording,
        *,
        logs: Path,
        env_python: str | None = None,
        registry: Registry | None = None,
    ) -> None:
        resolved = _resolved(recording, registry)
        self._registry = registry
        request = _env_request(resolved, env_python)
        self._serves = _configuration(request)
        self._supervisor = Supervisor(logs_dir=logs, on_event=lambda _: None)
        self._supervisor.start([request])
        context = ToolContext(
            setup=resolved.setup,
            channels=self._supervisor.channels,
            run_dir=logs,
            cancel=CancelToken,
            progress=lambda _: None,
        )
        try:
            self._toolkit = resolved.robot.toolkit(context)
        except BaseException:
            self._supervisor.stop()
            raise
        self.env = EnvClient(self._supervisor.channels["env"])

    def serves(self, recording: Recording) -> bool:
        """Whether it can be put where this run was."""
        return self._serves == _configuration(_env_request(_resolved(recording, self._registry), None))

    def restore(self, snapshot: bytes) -> Observation:
        """Come back to a step's snapshot."""
        self._toolkit.restore(snapshot)
        return self.env.observe()

    def close(self) -> None:
        """Stop the env server."""
        self._supervisor.stop()


def embodiment_of(recording: Recording, registry: Registry | None = None) -> Embodiment:
    """Return what the run's robot offers policies.

    Raises:
        UsageError: It offers nothing.
        PluginError: The robot is not installed.
    """
    return chosen.embodiment_of(_resolved(recording, registry).robot_spec)


def _resolved(recording: Recording, registry: Registry | None) -> Resolved:
    """Resolve the run's robot and task; whatever planned the run need not be installed."""
    changes: dict[str, Any] = {
        "planner": "replay",
        "planner_config": {"recipe": str(recording.run)},
        "perceptor": "none",
        "perceptor_config": {},
        "endpoints": {},
        "policy": None,
        "explore": None,
        "memory": False,
        "limits": Limits(),
    }
    known = {key: value for key, value in changes.items() if key in recording.manifest["request"]}
    return resolve(request_from_json(recording.manifest["request"], **known), registry)


def _env_request(resolved: Resolved, env_python: str | None) -> ServiceRequest:
    for request in service_requests(resolved):
        if request.spec.name == "env":
            return replace(request, python=env_python)
    raise UsageError(f"The robot `{resolved.robot_spec.name}` has no env server.")


def _configuration(request: ServiceRequest) -> dict[str, Any]:
    return {name: value for name, value in request.config.items() if name not in {"task", "seed"}}
