"""The env server's entry: from a configuration to a facade."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.rpc.facade import Facade, Method
from rpent_manipulation.env.table import method_table
from rpent_manipulation.mujoco import gl

from rpent_robot_robocasa import __version__

if TYPE_CHECKING:
    from rpent_robot_robocasa.config import EnvServerConfig

NAME = "robocasa/env"
SCHEMA = 1


def create(config: EnvServerConfig) -> Facade:
    """Build the simulator for a task and offer its methods.

    Raises:
        UsageError: There is no such task, or it has no such kitchen.
        EnvironmentSetupError: This interpreter has not what RoboCasa365 needs.
        ServiceError: Kitchen assets are missing, or no picture can be rendered.
    """
    from rpent_robot_robocasa.catalog import find_task  # noqa: PLC0415
    from rpent_robot_robocasa.kitchens import Choice  # noqa: PLC0415
    from rpent_robot_robocasa.server import installation  # noqa: PLC0415
    from rpent_robot_robocasa.server.asset_folder import find_assets  # noqa: PLC0415

    task = find_task(config.task_name)
    Choice(split=config.split, layout=config.layout, style=config.style).pairs(task)
    versions = installation.check()
    assets, kind = find_assets(config.assets, versions["robocasa"])
    gl.choose(config.gl)
    # Only now may MuJoCo be imported: it reads the chosen backend.
    from rpent_robot_robocasa.server.kitchen import import_simulator  # noqa: PLC0415

    import_simulator(assets)
    from rpent_robot_robocasa.server.methods import RobocasaEnv  # noqa: PLC0415

    env = RobocasaEnv(config, assets, kind, versions)
    methods = method_table(env, patience=2.0)
    methods["floor_plan"] = Method(handler=env.floor_plan, summary="Where the base cannot stand.")
    if config.privileged:
        methods["instances"] = Method(handler=env.instances, summary="Instance masks (ground truth).")
    info = {"task_name": task.name, "seed": config.seed, "instruction": env.kitchen.instruction}
    return Facade(name=NAME, version=__version__, schema=SCHEMA, methods=methods, info=info, close=env.close)
