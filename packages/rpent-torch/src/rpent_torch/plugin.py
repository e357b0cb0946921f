"""What this distribution offers: checks for `rpent doctor`; nothing heavy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.hookspecs import hookimpl

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rpent.specs import DoctorCheck

PLUGIN_API = 1


@hookimpl
def rpent_doctor_checks() -> Iterable[DoctorCheck]:
    """Offer the checks of torch builds."""
    from rpent_torch.doctor import checks  # noqa: PLC0415  (only `rpent doctor` needs them)

    return checks()
