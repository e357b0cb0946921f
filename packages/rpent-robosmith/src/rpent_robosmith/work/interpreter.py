"""Which interpreter a job runs in, and what is missing where none will do."""

from __future__ import annotations

import importlib.util
import sys
from typing import TYPE_CHECKING

from rpent.environments.interpreter import (
    Interpreter,
    check_python,
    linked_interpreter,
    missing_modules,
)
from rpent.environments.managed import ManagedEnvironment
from rpent.errors import EnvironmentSetupError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpent.specs import EnvironmentSpec

    from rpent_robosmith.work.api import Job

_WORKER_MODULES = ("msgpack", "numpy", "pydantic")
"""What a worker imports before the job."""


def interpreter_for(job: Job, *, python: str | None = None) -> Interpreter:
    """Return where a job runs: the chosen interpreter, else its managed environment, else the current interpreter.

    Raises:
        UsageError: The chosen interpreter does not exist, is no Python, or is too old.
        EnvironmentSetupError: It lacks something, or no environment is built and the current one lacks it.
    """
    needs = job.needs or tuple(spec.probe for spec in job.environments if spec.probe)[:1]
    if python is not None:
        return _chosen(job, python, needs)
    for spec in job.environments:
        built = ManagedEnvironment(spec, distribution=job.distribution, sharing=job.sharing)
        if built.is_current() and not missing_modules(str(built.python), needs):
            return built.interpreter()
    lacking = [name for name in needs if importlib.util.find_spec(name) is None]
    if lacking:
        raise _setup_error(job, lacking)
    return Interpreter(sys.executable)


def missing(
    needs: Sequence[str], environments: Sequence[EnvironmentSpec] = (), *, python: str | None = None
) -> list[str]:
    """Return which top-level modules a job that needs them would lack; nothing where it can run.

    Looks where `interpreter_for` would: the chosen interpreter, else the managed environments that are built, else the
    current interpreter. Nothing is imported.
    """
    names = tuple(needs)
    if python is not None:
        return missing_modules(check_python(python, option="--python"), names)
    for spec in environments:
        managed = ManagedEnvironment(spec, distribution="rpent-robosmith")
        if managed.is_current() and not missing_modules(str(managed.python), names):
            return []
    return [name for name in names if importlib.util.find_spec(name) is None]


def _chosen(job: Job, python: str, needs: Sequence[str]) -> Interpreter:
    path = check_python(python, option="--python")
    own = path == sys.executable
    if lacking := missing_modules(path, (*_WORKER_MODULES, *needs)):
        raise EnvironmentSetupError(
            f"The interpreter `{python}` lacks {_names(lacking)}.",
            hint="Install what is missing there, or leave `--python` out.",
        )
    return Interpreter(path) if own else linked_interpreter(path, job.distribution, *job.sharing)


def _setup_error(job: Job, lacking: Sequence[str]) -> EnvironmentSetupError:
    what = f"This interpreter has no {_names(lacking)}"
    if not job.environments:
        return EnvironmentSetupError(f"{what}.", hint=f"pip install {' '.join(lacking)}")
    spec = job.environments[0]
    managed = ManagedEnvironment(spec, distribution=job.distribution)
    state = "is out of date" if managed.exists() and not managed.is_current() else "is not set up"
    if managed.is_current():
        state = "lacks it too"
    by_pip = f' or pip install "{job.distribution}[{spec.extra}]"' if spec.extra else ""
    return EnvironmentSetupError(
        f"{what}, and the environment `{spec.name}` {state}.", hint=f"rpent env sync {spec.name}{by_pip}"
    )


def _names(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
