"""Is this a Python that RPent runs on, with the versions that its distributions ask for?"""

from __future__ import annotations

import platform
import sys

from rpent._version import __version__
from rpent.specs import CheckResult, DoctorCheck

MINIMUM = (3, 11)


def check_python() -> CheckResult:
    """Compare the interpreter with the oldest that is supported."""
    machine = f"{platform.system()} {platform.machine()}"
    found = f"Python {platform.python_version()} on {machine}, rpent-core {__version__}."
    if sys.version_info[:2] >= MINIMUM:
        return CheckResult(status="ok", message=found)
    wanted = ".".join(map(str, MINIMUM))
    return CheckResult(
        status="fail",
        message=f"{found} Python {wanted} or newer is needed.",
        remedy=f"uv venv --python {wanted}",
    )


CHECK = DoctorCheck(name="python", summary="Python is recent enough.", run=check_python)
