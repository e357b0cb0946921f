"""Is compiled bytecode there? Without it every start is several times slower."""

from __future__ import annotations

import compileall
import importlib.util
import os
from pathlib import Path

from rpent.specs import CheckResult, DoctorCheck

PACKAGES = ("click", "pydantic", "rpent")


def uncompiled() -> list[str]:
    """Return the packages of ours whose `__init__` has no compiled file for this interpreter."""
    missing = []
    for name in PACKAGES:
        spec = importlib.util.find_spec(name)
        if spec and spec.origin and not Path(importlib.util.cache_from_source(spec.origin)).exists():
            missing.append(name)
    return missing


def check_bytecode() -> CheckResult:
    """Look for the environment variable and for the compiled files."""
    if os.environ.get("PYTHONDONTWRITEBYTECODE"):
        return CheckResult(
            status="warn",
            message="`PYTHONDONTWRITEBYTECODE` is set: nothing is compiled ahead, so that starts are slower.",
            remedy="unset PYTHONDONTWRITEBYTECODE",
        )
    if missing := uncompiled():
        return CheckResult(
            status="warn",
            message=f"No compiled bytecode for {', '.join(missing)}: starts are slower.",
            remedy="rpent doctor bytecode --fix",
        )
    return CheckResult(status="ok", message="Bytecode is compiled.")


def compile_packages() -> None:
    """Compile the packages that have no bytecode."""
    for name in uncompiled():
        spec = importlib.util.find_spec(name)
        if spec and spec.origin:
            compileall.compile_dir(Path(spec.origin).parent, quiet=1, workers=1)


CHECK = DoctorCheck(name="bytecode", summary="Starts are fast.", run=check_bytecode, fix=compile_packages)
