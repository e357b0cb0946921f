"""Core's checks, in the order in which they are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.doctor import (
    bytecode,
    checkpoints,
    environments,
    interpreter,
    keys,
    modules,
    network,
    plugins,
    rendering,
)

if TYPE_CHECKING:
    from rpent.specs import DoctorCheck


def core_checks() -> list[DoctorCheck]:
    """Return every check that core brings."""
    return [
        interpreter.CHECK,
        bytecode.CHECK,
        *plugins.checks(),
        modules.CHECK,
        rendering.CHECK,
        *environments.checks(),
        *checkpoints.checks(),
        network.CHECK,
        keys.CHECK,
    ]
