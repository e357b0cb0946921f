"""What the browser shows of a session."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rpent.encodable import encodable
from rpent.plugins.named import load_named
from rpent.runs.files import plain

from rpent_dashboard.hosting.accepting import model_of
from rpent_dashboard.hosting.catalogue import dashboard_json
from rpent_dashboard.hosting.commands import TaskFields
from rpent_dashboard.hosting.forms import schema_of
from rpent_dashboard.hosting.record import UNDER_WAY
from rpent_dashboard.hosting.secrets import shown_values

if TYPE_CHECKING:
    from rpent.specs import RobotSpec

    from rpent_dashboard.hosting.catalogue import Catalogue
    from rpent_dashboard.hosting.performing import Performance
    from rpent_dashboard.hosting.record import Record, Task
    from rpent_dashboard.hosting.session import HostedSession

MAX_OVER = 100
"""How many of the tasks that are over the page gets."""


class State:
    """Describes an open session; what does not change is looked up once."""

    def __init__(self, session: HostedSession, catalogue: Catalogue) -> None:
        self._session = session
        base, registry = session.base, session.registry
        self.robot_spec: RobotSpec = registry.get("robots", base.robot)
        self.robot_model = load_named(self.robot_spec.config, f"robot `{base.robot}`")
        planner = registry.get("planners", base.planner)
        self.fields = TaskFields.of(self.robot_spec.dashboard, self.robot_model)
        self.robot_values = shown_values(base.robot_config, self.robot_model)
        """What holds where a task says nothing."""
        shown = shown_values(base.planner_config, load_named(planner.config, f"planner `{base.planner}`"))
        planners = catalogue.of_kind("planners")
        fixed = {
            "name": session.name,
            "robot": base.robot,
            "planner": base.planner,
            "planner_config": shown,
            "model": model_of(base.planner_config),
            "limits": asdict(base.limits),
            "dashboard": dashboard_json(self.robot_spec.dashboard, self.robot_model),
            "schema": schema_of(self.robot_model, fields=self.fields.positional, values=self.robot_values),
            "planners": planners,
        }
        self._fixed: dict[str, Any] = encodable(plain(fixed))
        self._uses_model = {found["name"]: found.get("uses_model", True) for found in planners}

    def to_json(self) -> dict[str, Any]:
        """Return the state as it is now."""
        session = self._session
        with session.locked:
            performance = session.performance
            return {
                **self._fixed,
                "open": not session.closing,
                "tasks": [task.to_json() for task in _shown(session.record)],
                "services": _services(session, performance),
                "problem": session.problem,
                "current": performance.task.id if performance else None,
                **self._steering(session, performance),
            }

    def _steering(self, session: HostedSession, performance: Performance | None) -> dict[str, Any]:
        if performance is None:
            activity = "closing" if session.closing else "none"
            return {
                "activity": activity,
                "holds": False,
                "can_call": False,
                "pending_messages": 0,
                "conversation": False,
            }
        steerer = performance.steerer
        return {
            "activity": steerer.activity,
            "holds": steerer.holds,
            "can_call": steerer.can_call,
            "pending_messages": steerer.pending,
            "conversation": self._uses_model.get(performance.task.planner, True) or steerer.can_call,
        }


def _shown(record: Record) -> list[Task]:
    """Return the tasks; of those that are over, the last ones."""
    over = [task.id for task in record.tasks.values() if task.status not in ("queued", *UNDER_WAY)]
    left_out = set(over[:-MAX_OVER])
    return [task for task in record.tasks.values() if task.id not in left_out]


def _services(session: HostedSession, performance: Performance | None) -> list[dict[str, Any]]:
    shared = {name: {**service, "shared": True} for name, service in session.record.services.items()}
    own = performance.services if performance is not None else {}
    rest = {name: {**service, "shared": False} for name, service in own.items() if name not in shared}
    return [*shared.values(), *rest.values()]
