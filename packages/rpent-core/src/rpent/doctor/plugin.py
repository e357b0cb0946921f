"""Core's checks, offered through the hook that every plugin uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.hookspecs import hookimpl

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rpent.specs import DoctorCheck

PLUGIN_API = 1


@hookimpl
def rpent_doctor_checks() -> Iterable[DoctorCheck]:
    """Offer core's checks."""
    from rpent.doctor.checks import core_checks  # noqa: PLC0415  (only `rpent doctor` needs them)

    return core_checks()
