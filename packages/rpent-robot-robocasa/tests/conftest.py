"""One simulator for all tests of a process, in the managed environment `robocasa`, on placeholder assets.

Without the environment or the assets the tests are skipped, or fail where `RPENT_STRICT_ROBOCASA=1`.
`RPENT_TEST_ROBOCASA_ASSETS` names another folder of assets.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from rpent.env.client import EnvClient
from rpent.services.request import ServiceRequest
from rpent.services.supervisor import Supervisor
from rpent_robot_robocasa.testing.installed import placeholder_assets, simulator_python

ASSETS = "RPENT_TEST_ROBOCASA_ASSETS"
DISTRIBUTION = "rpent-robot-robocasa"
EPISODE = {"task_name": "StartCoffeeMachine", "seed": 0, "split": "target", "layout": None, "style": None}
"""What a served env can be reset to, and what it is reset to where a test names nothing else."""


@pytest.fixture(scope="session")
def kitchen_python() -> str:
    """The interpreter that has the simulator."""
    return str(simulator_python())


@pytest.fixture(scope="session")
def kitchen_assets(kitchen_python: str) -> str:
    """Placeholder assets, as the env server's option `assets` takes them."""
    return os.environ.get(ASSETS) or str(placeholder_assets())


class KitchenServer:
    """The env server that is running, and what it was started with."""

    def __init__(self, python: str, assets: str, logs: Path) -> None:
        self.python, self.assets, self.logs = python, assets, logs
        self._supervisor: Supervisor | None = None
        self._options: dict[str, Any] = {}

    def env(self, **values: Any) -> EnvClient:
        """Return the env at the beginning of an episode; other options than an episode's need a new server."""
        episode = {**EPISODE, **{key: values.pop(key) for key in EPISODE if key in values}}
        if self._supervisor is None or self._options != values:
            self.close()
            self._start({**values, **episode})
            self._options = values
        else:
            self._client().channel.call("reset", **episode)
        return self._client()

    def _start(self, config: dict[str, Any]) -> None:
        from rpent_robot_robocasa.plugin import ENV

        request = ServiceRequest(
            spec=ENV,
            config={"assets": self.assets, **config},
            python=self.python,
            distribution=DISTRIBUTION,
        )
        self._supervisor = Supervisor(logs_dir=self.logs, on_event=lambda _: None)
        self._supervisor.start([request])

    def _client(self) -> EnvClient:
        assert self._supervisor is not None
        return EnvClient(self._supervisor.channels["env"])

    def close(self) -> None:
        """Stop it."""
        if self._supervisor is not None:
            self._supervisor.stop()
            self._supervisor = None


@pytest.fixture(scope="session")
def kitchen_server(
    kitchen_python: str, kitchen_assets: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[KitchenServer]:
    """The only env server of this process."""
    server = KitchenServer(kitchen_python, kitchen_assets, tmp_path_factory.mktemp("kitchen"))
    yield server
    server.close()


@pytest.fixture(scope="session")
def make_env(kitchen_server: KitchenServer) -> Callable[..., EnvClient]:
    """Put the served env at the beginning of an episode: `make_env(task_name=..., seed=..., layout=...)`."""
    return kitchen_server.env


@pytest.fixture
def coffee_env(make_env: Callable[..., EnvClient]) -> EnvClient:
    """`StartCoffeeMachine`, seed 0."""
    return make_env()


@pytest.fixture(scope="session")
def run_in_kitchen(kitchen_python: str, kitchen_assets: str) -> Callable[..., Any]:
    """Run code in the simulator's interpreter, with this distribution linked in, and return the JSON that it prints.

    The code finds the assets' folder in `sys.argv[1]`.
    """
    from rpent.environments.interpreter import linked_interpreter

    interpreter = linked_interpreter(kitchen_python, DISTRIBUTION)

    def run(code: str, *arguments: str, timeout_s: float = 240.0) -> Any:
        ended = subprocess.run(
            [interpreter.python, "-c", code, kitchen_assets, *arguments],
            env=interpreter.environ({"MUJOCO_GL": os.environ.get("MUJOCO_GL", "egl")}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr[-4000:]
        return json.loads(ended.stdout.splitlines()[-1])

    return run
