"""Finding out that an environment works, by running it."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from rpent.errors import EnvironmentSetupError

if TYPE_CHECKING:
    from rpent.environments.interpreter import Interpreter
    from rpent.specs import EnvironmentSpec

_TIMEOUT_S = 300.0
_CORE = "import rpent.services.serving, rpent.rpc.api, rpent.plugins.registry"


def run_verification(spec: EnvironmentSpec, interpreter: Interpreter) -> None:
    """Import core, and run the environment's own verification code.

    Raises:
        EnvironmentSetupError: It failed; the hint holds its last lines.
    """
    code = f"{_CORE}\n{spec.verify}\n"
    try:
        ended = subprocess.run(
            [interpreter.python, "-c", code],
            env=interpreter.environ(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EnvironmentSetupError(
            f"The environment `{spec.name}` was built but cannot be used: {error}.",
            hint=f"rpent env sync --rebuild {spec.name}",
        ) from error
    if ended.returncode:
        raise EnvironmentSetupError(
            f"The environment `{spec.name}` was built, but `{spec.verify or 'import rpent'}` fails in it.",
            hint="\n".join(ended.stdout.splitlines()[-8:]) or None,
        )
