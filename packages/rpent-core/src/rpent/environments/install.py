"""Filling an environment: the interpreter, torch, what the lock says, and what the linked distributions require."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from rpent.environments.lock import constraints, fingerprint, read_lock, requirement_files
from rpent.environments.pytorch import install_torch
from rpent.environments.uv import find_uv, run_uv
from rpent.errors import EnvironmentSetupError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rpent.environments.choices import BuildChoices
    from rpent.specs import EnvironmentSpec

_STARTED = "started.json"
"""What the folder `venv` was begun with: a build of the same goes on in it, one of something else begins anew."""


def install(
    spec: EnvironmentSpec,
    distributions: Sequence[str],
    directory: Path,
    choices: BuildChoices,
    *,
    say: Callable[[str], None],
) -> None:
    """Install everything into `directory/venv`; what is there already is not done twice.

    Args:
        spec: The environment.
        distributions: The rpent distributions that are linked into it; what they require is installed.
        directory: The environment's folder.
        choices: What the user chose.
        say: Called with lines of progress.

    Raises:
        EnvironmentSetupError: uv is missing or fails.
    """
    venv, version = directory / "venv", choices.python or spec.python
    python = venv / "bin" / "python"
    begun = _begun(spec, choices)
    if not python.exists() or _differs(directory, begun):
        say(f"Creating the environment `{spec.name}` (Python {version})")
        shutil.rmtree(venv, ignore_errors=True)
        _create(venv, version, say)
    (directory / _STARTED).write_text(json.dumps(begun) + "\n", encoding="utf-8")
    lock = read_lock(spec)
    if spec.torch:
        versions = None if lock is None else constraints(lock)
        install_torch(spec.torch, python=str(python), choices=choices, versions=versions, say=say)
    where = ["--python", str(python), *choices.uv_arguments(), *spec.index_args]
    index = choices.uv_variables()
    with tempfile.TemporaryDirectory() as folder:
        if lock is not None:
            file = Path(folder) / "lock.txt"
            file.write_text(lock, encoding="utf-8")
            say("Installing what the lock says")
            # `sync` would remove torch; nothing needs to be resolved, a lock is complete.
            command = ["pip", "install", "--no-deps", "-r"] if spec.torch else ["pip", "sync"]
            run_uv([*command, str(file), *where], say=say, variables=index)
        # With a lock this installs nothing, unless an installed rpent package wants more than it knows.
        wanted = requirement_files(spec, distributions, Path(folder))
        run_uv(["pip", "install", *where, *wanted], say=say, variables=index)


def _create(venv: Path, version: str, say: Callable[[str], None]) -> None:
    find_uv()  # that it is missing is another thing to say
    try:
        run_uv(["venv", "--python", version, "--no-project", "--clear", str(venv)], say=say)
    except EnvironmentSetupError as error:
        raise EnvironmentSetupError(
            f"No environment with Python {version} could be made; uv finds none here and cannot fetch one.",
            hint=f"Install it, or name an interpreter with `--python PATH`. uv says:\n{error.hint}",
        ) from error


def _begun(spec: EnvironmentSpec, choices: BuildChoices) -> dict[str, str]:
    """Return what makes it necessary to begin anew when it changes.

    That is the Python; with torch it is everything, because parts of another build would stay behind.
    """
    begun = {"python": choices.python or spec.python}
    if spec.torch:
        chosen = json.dumps(choices.as_dict(), sort_keys=True)
        begun["torch"] = hashlib.sha256(f"{fingerprint(spec)} {chosen}".encode()).hexdigest()
    return begun


def _differs(directory: Path, begun: dict[str, str]) -> bool:
    try:
        earlier = json.loads((directory / _STARTED).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return "torch" in begun  # without torch, what is not known is brought up to date by uv
    return bool(earlier != begun)
