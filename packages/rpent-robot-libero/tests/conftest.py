"""One simulator for all tests: LIBERO's scenes take seconds to build and one OpenGL thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from rpent.env.client import EnvClient
from rpent.testing import LocalChannel


@pytest.fixture(scope="session")
def make_env(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., EnvClient]]:
    """Build env servers in process, one for each configuration, over the user's cache of scenes."""
    pytest.importorskip("libero")
    from rpent_robot_libero.config import EnvServerConfig
    from rpent_robot_libero.server.create import create

    made: dict[str, EnvClient] = {}

    def make(**values: Any) -> EnvClient:
        config = EnvServerConfig(**values)
        key = config.model_dump_json()
        if key not in made:
            made[key] = EnvClient(LocalChannel(create(config)))
        elif made[key].describe()["task"] != config.task:  # another test has left it there
            made[key].reset(task=config.task, seed=config.seed)
        return made[key]

    yield make
    for env in made.values():
        env.channel.close()


@pytest.fixture(scope="session")
def object_env(make_env: Callable[..., EnvClient]) -> EnvClient:
    """`libero_object_swap` task 2: things on a floor and a basket."""
    return make_env(suite="libero_object_swap", task=2)


@pytest.fixture
def fresh(object_env: EnvClient) -> EnvClient:
    """The same env, reset."""
    object_env.reset(task=2, seed=0)
    return object_env


@pytest.fixture(scope="session")
def backstage() -> Callable[[EnvClient], Any]:
    """Reach the `LiberoEnv` behind an in-process env, for tests that compare with the simulator itself."""
    return lambda env: env.channel.facade.methods["describe"].handler.__self__  # type: ignore[attr-defined]
