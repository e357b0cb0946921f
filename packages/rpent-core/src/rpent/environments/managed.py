"""A managed environment: built by uv from a distribution's lock, in the user's cache, for one service."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rpent.environments.interpreter import Interpreter, linked_interpreter
from rpent.environments.lock import fingerprint, read_lock, requirement_files
from rpent.environments.paths import environment_dir, make_dir, unwritable
from rpent.environments.uv import run_uv
from rpent.environments.verify import run_verification
from rpent.errors import EnvironmentSetupError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rpent.specs import EnvironmentSpec

_RECORD = "environment.json"


class ManagedEnvironment:
    """One environment on disk. `environment.json` is written last, so a half-built one never counts as built.

    Args:
        spec: The data that define it.
        distribution: The distribution that provides it, whose modules are linked into it.
    """

    def __init__(self, spec: EnvironmentSpec, *, distribution: str) -> None:
        self.spec, self.distribution = spec, distribution
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
        return linked_interpreter(str(self.python), self.distribution)

    def sync(
        self,
        *,
        say: Callable[[str], None],
        start_service: Callable[[Interpreter], None] | None = None,
        rebuild: bool = False,
    ) -> bool:
        """Build it, or bring it up to date; a build that was interrupted goes on where it stopped.

        Args:
            say: Called with lines of progress.
            start_service: Starts the service once in the new environment; raises when that fails.
            rebuild: Build from nothing although it is current.

        Returns:
            False when there was nothing to do.

        Raises:
            EnvironmentSetupError: uv is missing or fails, the cache is not writable, or verification fails.
        """
        make_dir(self.directory)
        with self._locked(say):
            if rebuild:
                self._clear()
            elif self.is_current():
                return False
            started = time.monotonic()
            (self.directory / _RECORD).unlink(missing_ok=True)
            self._install(say)
            interpreter = self.interpreter()
            say("Verifying that it works")
            run_verification(self.spec, interpreter)
            if start_service is not None:
                start_service(interpreter)
            self._write_record(time.monotonic() - started)
        return True

    def _install(self, say: Callable[[str], None]) -> None:
        spec, python = self.spec, str(self.python)
        if not self.python.exists():
            say(f"Creating the environment `{spec.name}` (Python {spec.python})")
            run_uv(
                ["venv", "--python", spec.python, "--no-project", "--clear", str(self.directory / "venv")],
                say=say,
            )
        with tempfile.TemporaryDirectory() as folder:
            if (text := read_lock(spec)) is not None:
                lock = Path(folder) / "lock.txt"
                lock.write_text(text, encoding="utf-8")
                say("Installing what the lock says")
                run_uv(["pip", "sync", "--python", python, *spec.index_args, str(lock)], say=say)
            # With a lock this installs nothing, unless an installed rpent package wants more than it knows.
            wanted = requirement_files(spec, self.distribution, Path(folder))
            run_uv(["pip", "install", "--python", python, *spec.index_args, "-r", *wanted], say=say)

    def _write_record(self, elapsed_s: float) -> None:
        record = {
            "name": self.spec.name,
            "distribution": self.distribution,
            "python": self.spec.python,
            "fingerprint": fingerprint(self.spec),
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
