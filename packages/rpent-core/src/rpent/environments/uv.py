"""Finding and running uv, which builds the managed environments."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import deque
from types import MappingProxyType
from typing import TYPE_CHECKING

from rpent.errors import EnvironmentSetupError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

UV_VARIABLE = "RPENT_UV"


def find_uv() -> str:
    """Return the path of uv: `RPENT_UV`, the `uv` package of this interpreter, the first on the PATH, or `UV`.

    uv sets `UV` to itself for what it runs, so `uv run rpent env sync` needs no uv on the PATH.

    Raises:
        EnvironmentSetupError: There is none.
    """
    chosen = os.environ.get(UV_VARIABLE)
    found = shutil.which(chosen) if chosen else _packaged_uv() or shutil.which("uv") or _running_uv()
    if found is None:
        where = (
            f"`{chosen}`, which `{UV_VARIABLE}` names, cannot be executed"
            if chosen
            else "uv is not installed"
        )
        raise EnvironmentSetupError(
            f"Managed environments are built with uv, but {where}.",
            hint="pip install uv",
        )
    return found


def run_uv(
    arguments: Sequence[str],
    *,
    say: Callable[[str], None],
    stdin: str | None = None,
    without: Sequence[str] = (),
    variables: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Run uv and pass on what it says, line by line.

    Args:
        arguments: After `uv`.
        say: Called with each line.
        stdin: What uv reads from its standard input.
        without: Environment variables that uv shall not see.
        variables: Further ones that it shall see, such as an index with a password, which every user of the machine
            could read in a command line.

    Raises:
        EnvironmentSetupError: uv failed; the message holds its last lines.
    """
    process = subprocess.Popen(
        [find_uv(), *arguments],
        stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**_environment(without), **variables},
    )
    last: deque[str] = deque(maxlen=8)
    try:
        assert process.stdout is not None
        if stdin is not None:
            assert process.stdin is not None
            process.stdin.write(stdin)
            process.stdin.close()
        for line in process.stdout:
            text = line.rstrip()
            last.append(text)
            say(text)
        code = process.wait()
    except BaseException:
        process.terminate()
        process.wait()
        raise
    if code:
        raise EnvironmentSetupError(
            f"`uv {' '.join(arguments[:2])}` failed with exit code {code}.", hint="\n".join(last) or None
        )


def ask_uv(arguments: Sequence[str], *, without: Sequence[str] = ()) -> str | None:
    """Run uv quietly and return what it says; None when it fails.

    Raises:
        EnvironmentSetupError: uv is missing.
    """
    ended = subprocess.run(
        [find_uv(), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=_environment(without),
        check=False,
    )
    return None if ended.returncode else ended.stdout


def _running_uv() -> str | None:
    return shutil.which(os.environ.get("UV", ""))


def _packaged_uv() -> str | None:
    try:
        import uv  # type: ignore[import-not-found, unused-ignore]  # noqa: PLC0415

        return str(uv.find_uv_bin())
    except (ImportError, FileNotFoundError):
        return None


def _environment(without: Sequence[str] = ()) -> dict[str, str]:
    """Leave out what would make uv act on the agent's own environment or project."""
    left_out = {"VIRTUAL_ENV", "UV_PROJECT_ENVIRONMENT", "PYTHONPATH", "PYTHONHOME", "CONDA_PREFIX", *without}
    return {name: value for name, value in os.environ.items() if name not in left_out}
