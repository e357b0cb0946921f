"""Env servers of installed robots for workers: started here, reached from there.

A worker's interpreter has neither the robot's simulator nor its plugin. So the robot's env server is started on this
side, as for a run, in the interpreter that has its simulator; the worker gets its address, and what the robot's
embodiment says of its state and action.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rpent.errors import UsageError

from rpent_robosmith.catalog.entry import SERVED, EnvEntry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from rpent.policies.embodiment import Embodiment
    from rpent.run.resolve import Registry
    from rpent.services.request import ServiceRequest
    from rpent.services.supervisor import Supervisor
    from rpent.specs import RobotSpec

    from rpent_robosmith.work.api import Bench, Job

VARIABLE = "RPENT_SMITH_SERVED"
"""Environment variable of a worker that says where the env server of its environment is."""
OWN_KWARGS = frozenset({"state", "goal_m"})
"""What an entry's `kwargs` hold for the adapter; the rest are the robot's options."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Served:
    supervisor: Supervisor
    address: str
    """JSON for the worker."""


class ServingBench:
    """Runs jobs on another bench; where a job's entry is a robot's, an env server of its own is there first.

    Jobs at the same time get a server each. A server stays for later jobs with the same robot and options, until
    `close`.

    Args:
        bench: Runs the jobs.
        logs: Folder for the env servers' logs.
        env_python: Interpreter for the env servers; None takes the robot's own environment.
        registry: Where robots come from; the installed plugins when None.
    """

    def __init__(
        self, bench: Bench, *, logs: Path, env_python: str | None = None, registry: Registry | None = None
    ) -> None:
        self._bench, self._logs, self._env_python = bench, logs, env_python
        self._registry = registry
        self._lock = threading.Lock()
        self._free: defaultdict[str, list[_Served]] = defaultdict(list)
        self._started = 0

    def run(self, job: Job, heard: Callable[[str, Mapping[str, Any]], None] | None = None) -> dict[str, Any]:
        """Run a job, see `rpent_robosmith.work.api.Bench.run`.

        Raises:
            PluginError: The entry's robot is not installed.
            ServiceError: Its env server cannot be started.
            UsageError: The entry names an option that the robot does not have.
        """
        entry = _entry_of(job.params)
        if entry is None or entry.get("adapter") != SERVED:
            return self._bench.run(job, heard)
        with self._serving(EnvEntry.model_validate(dict(entry))) as address:
            return self._bench.run(replace(job, variables={**job.variables, VARIABLE: address}), heard)

    def close(self) -> None:
        """Stop the env servers that no job uses."""
        with self._lock:
            free = [served for several in self._free.values() for served in several]
            self._free.clear()
        for served in free:
            served.supervisor.stop()

    def __enter__(self) -> ServingBench:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _serving(self, entry: EnvEntry) -> Iterator[str]:
        """Have an env server for one job; yields its address."""
        options = {name: value for name, value in entry.kwargs.items() if name not in OWN_KWARGS}
        key = json.dumps([entry.env_id, options], sort_keys=True)
        with self._lock:
            served = self._free[key].pop() if self._free[key] else None
        if served is None:
            served = self._start(entry, options)
        try:
            yield served.address
        except BaseException:
            served.supervisor.stop()  # a job that failed may have left it anywhere
            raise
        with self._lock:
            self._free[key].append(served)

    def _start(self, entry: EnvEntry, options: Mapping[str, Any]) -> _Served:
        from rpent.plugins import registry  # noqa: PLC0415  (for entries of robots only)
        from rpent.policies.chosen import embodiment_of  # noqa: PLC0415
        from rpent.run.resolve import origin_of  # noqa: PLC0415
        from rpent.services.supervisor import Supervisor  # noqa: PLC0415

        known = self._registry or registry.current()
        robot: RobotSpec = known.get("robots", entry.env_id)
        address = _described(embodiment_of(robot))
        origin = origin_of(known, "robots", entry.env_id)
        request = replace(_request(robot, options), python=self._env_python, distribution=origin.distribution)
        with self._lock:
            self._started += 1
            logs = self._logs / f"server-{self._started}"
        logs.mkdir(parents=True, exist_ok=True)
        endpoints: list[str] = []
        supervisor = Supervisor(
            logs_dir=logs, on_event=lambda event: endpoints.append(event.get("endpoint", ""))
        )
        supervisor.start([request])
        endpoint = next(found for found in reversed(endpoints) if found)
        address |= {"endpoint": endpoint, "token": request.token}
        return _Served(supervisor=supervisor, address=json.dumps(address))


def _entry_of(params: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the entry that a job is about: its own, or that of its order."""
    found: Mapping[str, Any] | None = params.get("entry") or dict(params.get("order") or {}).get("entry")
    return found


def _request(robot: RobotSpec, options: Mapping[str, Any]) -> ServiceRequest:
    from rpent.services.request import ServiceRequest  # noqa: PLC0415

    spec = next((service for service in robot.services if service.name == "env"), None)
    if spec is None:
        raise UsageError(f"The robot `{robot.name}` has no env server, so nothing can be trained there.")
    return ServiceRequest(
        spec=spec,
        config=_service_config(robot, options),
        token=secrets.token_hex(16),
        identity=f"{robot.name}/env",
        schema=spec.schema,
    )


def _service_config(robot: RobotSpec, options: Mapping[str, Any]) -> dict[str, Any]:
    from rpent.config import build_config  # noqa: PLC0415
    from rpent.plugins.named import load_named  # noqa: PLC0415

    model = load_named(robot.config, f"robot `{robot.name}`")
    config = build_config(model, options, what=f"robot `{robot.name}`")
    setup = load_named(robot.robot, f"robot `{robot.name}`")(config).setup()
    return dict(setup.service_configs.get("env", {}))


def _described(embodiment: Embodiment) -> dict[str, Any]:
    """Return what the worker must know of the robot, as plain data."""
    return {
        "state": dict(embodiment.state),
        "action": {name: [part.length, part.low, part.high] for name, part in embodiment.action.items()},
        "camera": next(iter(embodiment.cameras), None),
        "control_rate_hz": embodiment.control_rate_hz,
    }
