"""The fake robot's tasks, and what a dashboard offers for choosing one. Light: it is asked while somebody types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent.specs import Choice, DashboardSpec, FrameChannel

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

COLORS = {"red": (200, 40, 40), "green": (40, 160, 60), "blue": (50, 80, 200)}

DASHBOARD = DashboardSpec(
    task_fields=("task", "seed"),
    choices="rpent.testing.fake_robot.tasks:choices",
    frames=(
        FrameChannel(camera="top", label="From above"),
        FrameChannel(camera="wrist", label="From the hand", role="wrist"),
    ),
    primitives=("move_to", "set_gripper", "look", "vla_pick", "vla_do"),
    service_labels=(("env", "Table"), ("vla", "Policy server")),
)


def instruction(task: int) -> str:
    """Return what is to be done."""
    return f"put the {list(COLORS)[task]} cube on the pad"


def choices(field: str, values: Mapping[str, Any]) -> Iterable[Choice]:  # noqa: ARG001
    """Return the tasks; any seed will do."""
    if field == "task":
        return [Choice(value=task, label=instruction(task)) for task in range(len(COLORS))]
    return ()
