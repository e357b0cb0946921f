"""Which interpreter a service runs in, and the environment variables that it gets."""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from rpent.errors import EnvironmentSetupError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from rpent.specs import EnvironmentSpec

MINIMUM = (3, 11)

_CORE_MODULES = ("importlib_metadata", "msgpack", "numpy", "pluggy", "pydantic")
"""What a service imports of core's requirements, before its own."""

_PROBE = """
import sys, json
from importlib.util import find_spec
names = json.loads(sys.argv[1])
print(json.dumps([list(sys.version_info[:2]), [n for n in names if find_spec(n) is None]]))
"""
_PROBE_TIMEOUT_S = 60.0
_SECRET_ENDINGS = ("_API_KEY", "_TOKEN_SECRET", "_ACCESS_KEY")


@dataclass(frozen=True, slots=True)
class Interpreter:
    """An interpreter for a service. `overlay` is None for the agent's own, which needs no links."""

    python: str
    overlay: Path | None = None
    variables: Mapping[str, str] = field(default_factory=dict)

    def with_variable(self, name: str, value: str) -> Interpreter:
        """Return a copy that sets one more environment variable."""
        return replace(self, variables={**self.variables, name: value})

    def environ(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the whole environment for a process: no keys and tokens of the agent, the overlay first."""
        environ = {name: value for name, value in os.environ.items() if not _is_secret(name)}
        environ["PYTHONUNBUFFERED"] = "1"
        environ["PYTHONSAFEPATH"] = (
            "1"  # a folder named like a module in the user's directory must not shadow it
        )
        if self.overlay is not None:
            # The agent's own additions to the path are for the agent's Python version.
            for name in ("PYTHONHOME", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__"):
                environ.pop(name, None)
            environ["PYTHONPATH"] = str(self.overlay)
            environ["PYTHONNOUSERSITE"] = "1"
        return {**environ, **self.variables, **(extra or {})}


def choose(
    environment: EnvironmentSpec | None,
    *,
    python: str | None,
    distribution: str,
    alternatives: Sequence[EnvironmentSpec] = (),
) -> Interpreter:
    """Return a service's interpreter: `--env-python`, else its managed environment, else the current one.

    Args:
        environment: What the service says that it needs; None means the current interpreter.
        python: What the user chose.
        distribution: The distribution that provides the service.
        alternatives: Other environments that can run it; the first that is built is taken, `environment` before them.

    Raises:
        UsageError: The chosen interpreter does not exist, is no Python, or is too old.
        EnvironmentSetupError: It lacks something, or no environment has been set up.
    """
    from rpent.environments.managed import ManagedEnvironment  # noqa: PLC0415 (it needs this module)

    if python is not None:
        return _chosen(python, environment, distribution)
    if environment is None:
        return Interpreter(sys.executable)
    for candidate in (environment, *alternatives):
        built = ManagedEnvironment(candidate, distribution=distribution)
        if built.is_current():
            return built.interpreter()
    managed = ManagedEnvironment(environment, distribution=distribution)
    if not environment.probe or importlib.util.find_spec(environment.probe) is not None:
        return Interpreter(sys.executable)
    by_pip = f" or pip install '{distribution}[{environment.extra}]'" if environment.extra else ""
    state = "is out of date" if managed.exists() else "is not set up"
    raise EnvironmentSetupError(
        f"The environment `{environment.name}` {state}, and this interpreter has no `{environment.probe}`.",
        hint=f"rpent env sync {environment.name}{by_pip}",
    )


def linked_interpreter(python: str, *distributions: str) -> Interpreter:
    """Return another interpreter with the agent's rpent distributions linked into it."""
    from rpent.environments.distributions import linked_distributions  # noqa: PLC0415 (metadata is read)
    from rpent.environments.overlay import overlay  # noqa: PLC0415

    return Interpreter(python, overlay=overlay(linked_distributions(*distributions)))


def missing_modules(python: str, names: Sequence[str]) -> list[str]:
    """Return which top-level modules an interpreter lacks.

    Raises:
        EnvironmentSetupError: It cannot be run, is no Python, or is older than 3.11.
    """
    version, missing = _probe(python, tuple(names))
    if version < MINIMUM:
        raise EnvironmentSetupError(
            f"`{python}` is Python {'.'.join(map(str, version))}; services need 3.11 or newer.",
            hint="Choose a newer interpreter with `--env-python`.",
        )
    return missing


def check_python(python: str, *, option: str = "--env-python") -> str:
    """Return the path of the interpreter that the user chose with an option.

    Raises:
        UsageError: It does not exist, is no Python, or is older than 3.11.
    """
    path = shutil.which(os.path.expanduser(python))  # noqa: PTH111 (a bare name must stay one)
    if path is None:
        raise UsageError(
            f"`{option} {python}` is not an executable file.",
            hint="Give the path of a Python 3.11+ interpreter, such as `/opt/libero/bin/python`.",
        )
    try:
        missing_modules(path, ())
    except EnvironmentSetupError as error:
        raise UsageError(error.message, hint=error.hint) from error
    return path


def _chosen(python: str, environment: EnvironmentSpec | None, distribution: str) -> Interpreter:
    path = check_python(python)
    needed = [*_CORE_MODULES, *([environment.probe] if environment and environment.probe else [])]
    if missing := missing_modules(path, needed):
        raise EnvironmentSetupError(
            f"The interpreter `{python}` lacks {', '.join(f'`{name}`' for name in missing)}.",
            hint=f"Install what `{distribution or 'rpent-core'}` needs there, or leave `--env-python` out.",
        )
    return linked_interpreter(path, distribution)


@functools.cache
def _probe(python: str, names: tuple[str, ...]) -> tuple[tuple[int, int], list[str]]:
    try:
        answer = subprocess.run(
            [python, "-I", "-c", _PROBE, json.dumps(names)],
            capture_output=True,
            timeout=_PROBE_TIMEOUT_S,
            check=True,
        ).stdout
        version, missing = _parse(answer)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise EnvironmentSetupError(
            f"`{python}` does not work as a Python interpreter.",
            hint="Give the path of a Python 3.11+ interpreter with `--env-python`.",
        ) from error
    return version, missing


def _parse(answer: bytes) -> tuple[tuple[int, int], list[str]]:
    loaded: Any = json.loads(answer)
    version, missing = loaded
    return (int(version[0]), int(version[1])), [str(name) for name in missing]


def _is_secret(name: str) -> bool:
    return name.startswith("RPENT_TOKEN") or name.endswith(_SECRET_ENDINGS)
