"""Interpreters with torch, transformers or LeRobot for tests marked `models`.

The agent's environment has none of them, so such a test runs its code in a managed environment.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rpent.errors import RpentError

if TYPE_CHECKING:
    from collections.abc import Sequence

STRICT_VARIABLE = "RPENT_STRICT_MODELS"


def override_variable(environment: str) -> str:
    """Return the variable that names another interpreter for an environment: `RPENT_TEST_PYTHON_TORCH`."""
    return "RPENT_TEST_PYTHON_" + environment.upper().replace("-", "_")


def python_for(environment: str) -> str:
    """Return the interpreter of a managed environment, for `--env-python` or `linked_interpreter`.

    `RPENT_TEST_PYTHON_<ENVIRONMENT>` names another one. Where the environment is not built the test is skipped, or
    fails when `RPENT_STRICT_MODELS=1`.

    Args:
        environment: Its name: `torch`, `transformers`, `lerobot`.
    """
    variable = override_variable(environment)
    if chosen := os.environ.get(variable):
        return chosen
    from rpent.environments.catalog import declared_environment  # noqa: PLC0415

    try:
        managed = declared_environment(environment).managed
        if managed.is_current():
            return str(managed.python)
        reason = f"The environment `{environment}` is {'out of date' if managed.exists() else 'not built'}"
    except RpentError as error:
        reason = error.message
    reason = f"{reason} (`rpent env sync {environment}`, or {variable}=PYTHON)."
    if os.environ.get(STRICT_VARIABLE) == "1":
        pytest.fail(reason)
    pytest.skip(reason)


def run_code(
    environment: str, code: str, *arguments: str | Path, distribution: str = "", timeout_s: float = 240.0
) -> str:
    """Run code in an environment, with rpent linked into it, and return what it printed.

    Args:
        environment: Its name, as for `python_for`.
        code: Python code, or the text of a script.
        arguments: What becomes `sys.argv[1:]`.
        distribution: The distribution whose modules it needs besides core's: `rpent-policy-pi0`.
        timeout_s: After which it is killed and the test fails.
    """
    from rpent.environments.interpreter import linked_interpreter  # noqa: PLC0415

    interpreter = linked_interpreter(python_for(environment), distribution)
    ended = subprocess.run(
        [interpreter.python, "-c", code, *map(str, arguments)],
        env=interpreter.environ({"OMP_NUM_THREADS": "1"}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-4000:]
    return ended.stdout


def run_tests(
    environment: str,
    tests: Path,
    folder: Path,
    *,
    distribution: str = "",
    sharing: Sequence[str] = (),
    timeout_s: float = 590.0,
) -> None:
    """Run a file of tests in an environment, with this interpreter's pytest, and fail with what it says.

    Name the file so that pytest does not collect it here (`inside/contract.py`).

    Args:
        environment: Its name, as for `python_for`.
        tests: The file.
        folder: For links and temporary files: the test's `tmp_path`.
        distribution: The distribution whose modules it needs besides core's.
        sharing: Others whose modules it needs too.
        timeout_s: After which it is killed and the test fails.
    """
    from rpent.environments.interpreter import linked_interpreter  # noqa: PLC0415

    interpreter = linked_interpreter(python_for(environment), distribution, *sharing)
    environ = interpreter.environ({"OMP_NUM_THREADS": "1"})
    environ["PYTHONPATH"] = os.pathsep.join([environ["PYTHONPATH"], str(_linked_pytest(folder / "pytest"))])
    command = [interpreter.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--color=no"]
    command += [
        "--rootdir",
        str(tests.parent),
        "-c",
        os.devnull,
        "--basetemp",
        str(folder / "inside"),
        str(tests),
    ]
    ended = subprocess.run(
        command,
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout[-8000:] + ended.stderr[-2000:]


def _linked_pytest(folder: Path) -> Path:
    """Link pytest and what it imports, which are plain Python, into a folder; a model environment has none."""
    folder.mkdir()
    for name in ("pytest", "_pytest", "py", "iniconfig", "pygments"):
        if (spec := importlib.util.find_spec(name)) and spec.origin:
            origin = Path(spec.origin)
            target = origin.parent if origin.name == "__init__.py" else origin
            (folder / target.name).symlink_to(target)
    return folder
