"""A managed environment: built by uv from a distribution's lock, in the user's cache, for one service."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import shutil
import time
from typing import TYPE_CHECKING, Any

from rpent.environments.choices import BuildChoices, read_choices, without_password, write_choices
from rpent.environments.install import install
from rpent.environments.interpreter import Interpreter, linked_interpreter
from rpent.environments.lock import all_requirements, fingerprint
from rpent.environments.paths import environment_dir, make_dir, unwritable
from rpent.environments.pytorch import build_in
from rpent.environments.verify import run_verification
from rpent.errors import EnvironmentSetupError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from rpent.specs import EnvironmentSpec

RECORDED_VARIABLES = (
    "UV_TORCH_BACKEND",
    "UV_FIND_LINKS",
    "UV_INDEX_URL",
    "UV_DEFAULT_INDEX",
    "UV_INDEX",
    "UV_EXTRA_INDEX_URL",
    "UV_CONFIG_FILE",
)

_RECORD = "environment.json"


class ManagedEnvironment:
    """One environment on disk. `environment.json` is written last, so a half-built one never counts as built.

    Args:
        spec: The data that define it.
        distribution: The distribution whose service runs in it; its modules are linked into it.
        sharing: Other distributions with services that run in it: it holds what they require too.
    """

    def __init__(self, spec: EnvironmentSpec, *, distribution: str, sharing: Sequence[str] = ()) -> None:
        self.spec, self.distribution, self.sharing = spec, distribution, tuple(sharing)
        self.directory = environment_dir(spec.name)

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return interpreter_in(self.directory)

    def record(self) -> dict[str, Any]:
        """Return what was written when it was built; empty when it was not."""
        return read_record(self.directory)

    def exists(self) -> bool:
        """Whether it was built completely, perhaps from older data."""
        return bool(self.record()) and self.python.exists()

    def is_current(self) -> bool:
        """Whether it was built completely from the data of the installed distribution."""
        return self.exists() and self.record().get("fingerprint") == fingerprint(self.spec)

    def interpreter(self) -> Interpreter:
        """Return its interpreter with the agent's rpent distributions linked in."""
        return linked_interpreter(str(self.python), self.distribution, *self.sharing)

    def sync(
        self,
        *,
        say: Callable[[str], None],
        start_service: Callable[[Interpreter], None] | None = None,
        rebuild: bool = False,
        choices: BuildChoices | None = None,
    ) -> bool:
        """Build it, or bring it up to date; a build that was interrupted goes on where it stopped.

        Args:
            say: Called with lines of progress.
            start_service: Starts the service once in the new environment; raises when that fails.
            rebuild: Build from nothing although it is current.
            choices: What the user chose now; for the rest, what was chosen earlier counts.

        Returns:
            False when there was nothing to do.

        Raises:
            EnvironmentSetupError: uv is missing or fails, the cache is not writable, or verification fails.
        """
        make_dir(self.directory)
        with self._locked(say):
            effective = (choices or BuildChoices()).over(read_choices(self.directory))
            requirements = all_requirements(self.spec, self.distribution, *self.sharing)
            if rebuild:
                self._clear()
            elif self.is_current() and self._matches(effective, requirements):
                return False
            started = time.monotonic()
            (self.directory / _RECORD).unlink(missing_ok=True)
            write_choices(self.directory, effective)
            install(self.spec, (self.distribution, *self.sharing), self.directory, effective, say=say)
            interpreter = self.interpreter()
            say("Verifying that it works")
            run_verification(self.spec, interpreter)
            if start_service is not None:
                start_service(interpreter)
            self._write_record(time.monotonic() - started, effective, requirements)
        return True

    def _matches(self, choices: BuildChoices, requirements: Sequence[str]) -> bool:
        """Whether it was built with these choices, and holds what the installed distributions require now."""
        record = self.record()
        known = record.get("requirements")
        return without_password(choices).as_dict() == record.get("choices", {}) and (
            known is None or set(requirements) <= set(known)
        )

    def _write_record(
        self, elapsed_s: float, choices: BuildChoices | None = None, requirements: Sequence[str] = ()
    ) -> None:
        choices = choices or BuildChoices()
        build = build_in(self.directory / "venv") if self.spec.torch else None
        record = {
            "name": self.spec.name,
            "distribution": self.distribution,
            "python": choices.python or self.spec.python,
            "fingerprint": fingerprint(self.spec),
            "choices": without_password(choices).as_dict(),
            "requirements": list(requirements),
            **({"torch": str(build)} if build else {}),
            "variables": _uv_variables(),
            "built": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
            "elapsed_s": round(elapsed_s, 1),
        }
        temporary = self.directory / f".{_RECORD}"
        temporary.write_text(json.dumps(record, indent=1) + "\n")
        temporary.replace(self.directory / _RECORD)

    def _clear(self) -> None:
        (self.directory / _RECORD).unlink(missing_ok=True)
        shutil.rmtree(self.directory / "venv", ignore_errors=True)

    @contextlib.contextmanager
    def _locked(self, say: Callable[[str], None]) -> Iterator[None]:
        """Let one process at a time build it; the other then finds it built."""
        try:
            descriptor = os.open(self.directory / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise unwritable(self.directory, error) from error
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                say(f"Waiting for another process that builds `{self.spec.name}`")
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)


def _uv_variables() -> dict[str, str]:
    """Return the variables that decided where packages came from, for the record; addresses without passwords."""
    return {
        name: re.sub(r"//[^/\s]*@", "//", os.environ[name])
        for name in RECORDED_VARIABLES
        if name in os.environ
    }


def interpreter_in(directory: Path) -> Path:
    """Return the interpreter of the environment in this folder."""
    return directory / "venv" / "bin" / "python"


def read_record(directory: Path) -> dict[str, Any]:
    """Return the record of a complete environment in this folder; empty when there is none."""
    try:
        loaded: dict[str, Any] = json.loads((directory / _RECORD).read_text())
    except (OSError, ValueError):
        return {}
    return loaded


def remove_environment(name: str) -> int:
    """Remove an environment, also one whose distribution is gone; return the bytes that became free.

    Raises:
        EnvironmentSetupError: It does not exist, or cannot be removed.
    """
    directory = environment_dir(name)
    if not directory.is_dir():
        raise EnvironmentSetupError(f"There is no environment `{name}` to remove.", hint="rpent env list")
    size = disk_usage(directory)
    (directory / _RECORD).unlink(missing_ok=True)
    try:
        shutil.rmtree(directory)
    except OSError as error:
        raise unwritable(directory, error) from error
    return size


def disk_usage(directory: Path) -> int:
    """Return the bytes below a folder. Files that uv linked from its cache count too."""
    return sum(entry.lstat().st_size for entry in directory.rglob("*") if not entry.is_dir())
