"""The env server's entry: from a configuration to a facade."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.rpc.facade import Facade, Method
from rpent_manipulation.env.table import method_table
from rpent_manipulation.mujoco import gl

from rpent_robot_libero import __version__

if TYPE_CHECKING:
    from rpent_robot_libero.config import EnvServerConfig

NAME = "libero/env"
SCHEMA = 1


def create(config: EnvServerConfig) -> Facade:
    """Build the simulator for a task and offer its methods.

    Raises:
        UsageError: The suite or task does not exist.
        ServiceError: No picture can be rendered.
    """
    from rpent_robot_libero.catalog import find_task  # noqa: PLC0415

    find_task(config.suite, config.task)
    gl.choose(config.gl)
    # Only now may MuJoCo be imported: it reads the chosen backend.
    from rpent_robot_libero.server.methods import LiberoEnv  # noqa: PLC0415
    from rpent_robot_libero.server.model_store import ModelStore, cache_directory  # noqa: PLC0415

    directory = cache_directory() if config.model_cache else None
    store = ModelStore(directory, limit_bytes=int(config.model_cache_gb * 1e9))
    env = LiberoEnv(config, store)
    methods = method_table(env)
    if config.privileged:
        methods["instances"] = Method(handler=env.instances, summary="Instance masks (ground truth).")
    task = env.scene.task
    info = {"suite": task.suite, "task": task.index, "seed": config.seed, "instruction": task.instruction}
    return Facade(name=NAME, version=__version__, schema=SCHEMA, methods=methods, info=info, close=env.close)
