"""Do the torch builds of the managed environments fit this machine, and does torchvision load beside them?"""

from __future__ import annotations

import json
import subprocess
from functools import partial
from typing import TYPE_CHECKING, Any

from packaging.requirements import Requirement
from rpent.environments.catalog import declared_environments
from rpent.environments.pytorch import TorchBuild, build_in, has_gpu
from rpent.specs import CheckResult, DoctorCheck

if TYPE_CHECKING:
    from rpent.environments.catalog import DeclaredEnvironment

_TIMEOUT_S = 180.0
_PROBE = """
import json, sys
import torch
found = {"cuda": torch.cuda.is_available(), "vision": ""}
if "torchvision" in sys.argv[1:]:
    from rpent_torch import vision
    found["vision"] = vision.install()
print(json.dumps(found))
"""


def checks() -> list[DoctorCheck]:
    """Return one check for each managed environment with torch."""
    return [
        DoctorCheck(
            name=f"torch/{name}",
            summary=f"The torch of the environment `{name}` fits this machine.",
            run=partial(check_torch, declared),
        )
        for name, declared in declared_environments().items()
        if declared.spec.torch
    ]


def check_torch(declared: DeclaredEnvironment) -> CheckResult:
    """Compare the build with what was asked for and with the machine, and import it."""
    name, managed = declared.spec.name, declared.managed
    rebuild = f"rpent env sync --rebuild {name}"
    if not managed.exists():
        return CheckResult(status="skip", message=f"The environment `{name}` is not built.")
    build = build_in(managed.directory / "venv")
    wanted = Requirement(declared.spec.torch[0])
    if build is None or not wanted.specifier.contains(build.version, prereleases=True):
        return CheckResult(
            status="fail", message=f"It holds {build or 'no torch'} instead of `{wanted}`.", remedy=rebuild
        )
    try:
        found = _probe(declared)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        return CheckResult(
            status="fail", message=f"{build} cannot be imported: {_last(error)}", remedy=rebuild
        )
    return _judged(name, build, found)


def _judged(name: str, build: TorchBuild, found: dict[str, Any]) -> CheckResult:
    fitting = f"rpent env sync --torch-backend auto {name}"
    if has_gpu() and not build.accelerator:
        return CheckResult(
            status="warn", message=f"This machine has a GPU, and {build} cannot use it.", remedy=fitting
        )
    if has_gpu() and not found["cuda"]:
        return CheckResult(
            status="warn",
            message=f"This machine has a GPU, and {build} does not find it: its driver may be older than the build.",
            remedy=fitting,
        )
    notes = [str(build)]
    if build.accelerator and not has_gpu():
        notes.append("no GPU was found, so it computes on the CPU")
    if found["vision"]:
        repaired = " is of another build and is repaired while it runs"
        notes.append("torchvision" + (" loads" if found["vision"] == "native" else repaired))
    return CheckResult(status="ok", message="; ".join(notes) + ".")


def _probe(declared: DeclaredEnvironment) -> dict[str, Any]:
    interpreter = declared.managed.interpreter()
    names = [Requirement(text).name for text in declared.spec.torch]
    ended = subprocess.run(
        [interpreter.python, "-c", _PROBE, *names],
        env=interpreter.environ({"OMP_NUM_THREADS": "1"}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_TIMEOUT_S,
        check=True,
    )
    answer: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return answer


def _last(error: Exception) -> str:
    said = getattr(error, "stderr", None)
    return str(said).strip().splitlines()[-1] if said else str(error)
