"""The data that define a managed environment: requirements, the compiled lock, and a fingerprint."""

from __future__ import annotations

import hashlib
import json
from importlib import resources
from typing import TYPE_CHECKING

from rpent.environments.distributions import foreign_requirements, linked_distributions
from rpent.errors import EnvironmentSetupError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rpent.specs import EnvironmentSpec

COMPILE_COMMAND = "python tools/compile_locks.py"


def all_requirements(spec: EnvironmentSpec, distribution: str) -> list[str]:
    """Return what the environment must hold: its requirements, and those of the linked distributions."""
    return [*spec.requirements, *foreign_requirements(linked_distributions(distribution))]


def read_lock(spec: EnvironmentSpec) -> str | None:
    """Return the text of the lock that the distribution ships, or None when it ships none.

    Raises:
        EnvironmentSetupError: The lock that it names is not there.
    """
    if spec.lock is None:
        return None
    package, _, path = spec.lock.partition(":")
    try:
        return resources.files(package).joinpath(path).read_text(encoding="utf-8")
    except (ImportError, OSError) as error:
        raise EnvironmentSetupError(
            f"The lock `{spec.lock}` of the environment `{spec.name}` cannot be read.",
            hint="Install the distribution again.",
        ) from error


def fingerprint(spec: EnvironmentSpec) -> str:
    """Return a digest of what decides the environment's content; another one means: rebuild."""
    data = {
        "python": spec.python,
        "requirements": spec.requirements,
        "overrides": spec.overrides,
        "excludes": spec.excludes,
        "index_args": spec.index_args,
        "lock": read_lock(spec),
    }
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def requirement_files(spec: EnvironmentSpec, distribution: str, folder: Path) -> list[str]:
    """Write what uv needs to know into a folder and return uv's arguments that name the files."""
    wanted = folder / "requirements.in"
    wanted.write_text("\n".join(all_requirements(spec, distribution)) + "\n", encoding="utf-8")
    arguments = [str(wanted)]
    for option, lines in (("overrides", spec.overrides), ("excludes", spec.excludes)):
        if lines:
            file = folder / f"{option}.in"
            file.write_text("\n".join(lines) + "\n", encoding="utf-8")
            arguments += [f"--{option}", str(file)]
    return arguments


def compile_lock(
    spec: EnvironmentSpec, distribution: str, output: Path, *, say: Callable[[str], None]
) -> None:
    """Resolve the requirements with uv and write the lock, for the platforms of the Python version asked for.

    Raises:
        EnvironmentSetupError: uv is missing, or the requirements cannot be resolved.
    """
    import tempfile  # noqa: PLC0415 (a maintainer's command)
    from pathlib import Path  # noqa: PLC0415

    from rpent.environments.uv import run_uv  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        wanted = requirement_files(spec, distribution, Path(folder))
        arguments = ["pip", "compile", "--quiet", *wanted, "--output-file", str(output)]
        arguments += ["--python-version", spec.python, "--universal", "--generate-hashes", "--no-annotate"]
        arguments += ["--no-emit-index-url", "--custom-compile-command", COMPILE_COMMAND]
        run_uv([*arguments, *spec.index_args], say=say)
