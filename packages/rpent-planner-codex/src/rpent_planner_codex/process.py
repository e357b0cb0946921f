"""Codex's process: started with a small environment, in a process group of its own, and ended with all it started."""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from rpent.planners.launcher import launched_group, write_launcher

from rpent_planner_codex.home import CHILD_ENVIRONMENT, KEY, TOKEN

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from openai_codex.client import CodexClient

    from rpent_planner_codex.endpoint import Endpoint
    from rpent_planner_codex.home import CodexHome


@contextmanager
def running_codex(binary: Path, home: CodexHome, endpoint: Endpoint, token: str) -> Iterator[CodexClient]:
    """Start the app server and end it afterwards.

    Args:
        binary: The bundled Codex.
        home: The run's own home, with its settings in it.
        endpoint: Holds the key.
        token: What the robot's MCP server wants to see.
    """
    from openai_codex import CodexConfig as SdkConfig  # noqa: PLC0415  (half a second)
    from openai_codex.client import CodexClient  # noqa: PLC0415

    folder = home.path.parent
    launcher = write_launcher(folder, binary, CHILD_ENVIRONMENT, own_group=True)
    variables = {"CODEX_HOME": str(home.path), "HOME": str(home.path), TOKEN: token, **_direct_loopback()}
    if endpoint.key:
        variables[KEY] = endpoint.key
    client = CodexClient(
        SdkConfig(
            codex_bin=str(launcher),
            cwd=str(home.work),
            env=variables,
            client_name="rpent",
            client_title="RPent",
        ),
        approval_handler=lambda _method, _params: {"decision": "decline"},
    )
    try:
        client.start()
        client.initialize()
        yield client
    finally:
        group = launched_group(folder)
        if group is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)
        client.close()


def _direct_loopback() -> dict[str, str]:
    """Return proxy exceptions for the robot's server; a proxy could not reach it."""
    given = os.environ.get("NO_PROXY") or os.environ.get("no_proxy") or ""
    names = ",".join([*filter(None, [given]), "127.0.0.1", "localhost"])
    return {"NO_PROXY": names, "no_proxy": names}
