"""Plugins for one test, over those that are installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent.plugins import registry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpent.plugins.registry import Registry


class FakeRegistry:
    """Gives the specs of a test, and what is installed for every other name.

    Args:
        specs: Kind → name → spec: `{"robots": {"fake": SPEC}}`.
    """

    def __init__(
        self, specs: Mapping[str, Mapping[str, Any]] | None = None, *, installed: Registry | None = None
    ) -> None:
        self._specs = specs if specs is not None else fake_specs()
        self._installed = installed or registry.current()

    def get(self, kind: str, name: str) -> Any:
        """Return the spec."""
        own = self._specs.get(kind, {})
        return own[name] if name in own else self._installed.get(kind, name)

    def resolve(self, kind: str, name: str) -> Any:
        """Return where a spec comes from: a test's own comes from no distribution."""
        from rpent.run.resolve import Origin  # noqa: PLC0415

        own = name in self._specs.get(kind, {})
        return Origin(kind=kind, name=name) if own else self._installed.resolve(kind, name)

    def names(self, kind: str) -> list[str]:
        """Return the test's names and the installed ones."""
        return [*self._specs.get(kind, {}), *self._installed.names(kind)]


def fake_specs() -> dict[str, dict[str, Any]]:
    """Return the fake robot, the scripted planner, and two policies: one that works, one that fails as it is told."""
    from rpent.testing.fake_robot.policy import SPEC as cubes  # noqa: PLC0415, N811
    from rpent.testing.fake_robot.robot import SPEC as robot  # noqa: PLC0415, N811
    from rpent.testing.policies.fake import SPEC as fake  # noqa: PLC0415, N811
    from rpent.testing.scripted_planner import SPEC as planner  # noqa: PLC0415, N811

    return {
        "robots": {"fake": robot},
        "planners": {"scripted": planner},
        "policies": {"cubes": cubes, "fake": fake},
    }
