"""The env server's entry: from a configuration to a facade."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.rpc.facade import Facade, Method
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
    methods = {
        "describe": Method(handler=env.describe, summary="What this env is."),
        "reset": Method(handler=env.reset, timeout_s=300.0, summary="Start an episode."),
        "step": Method(handler=env.step, summary="One control step."),
        "chunk_step": Method(handler=env.chunk_step, timeout_s=600.0, summary="Several control steps."),
        "servo": Method(handler=env.servo, timeout_s=900.0, summary="Closed-loop motion."),
        "observe": Method(handler=env.observe, timeout_s=120.0, summary="State, pictures, depth."),
        "camera_meta": Method(handler=env.camera_meta, summary="A camera's calibration."),
        "floor_plan": Method(handler=env.floor_plan, summary="Where the base cannot stand."),
        "snapshot": Method(handler=env.snapshot, summary="The exact state, as bytes."),
        "restore": Method(handler=env.restore, timeout_s=300.0, summary="Come back to a state."),
        "record": Method(handler=env.record, summary="Record video frames, or stop."),
        "frames": Method(handler=env.frames, concurrent=True, summary="Fetch the recorded frames."),
        "actions": Method(handler=env.actions, summary="Fetch the control actions that were carried out."),
    }
    if config.privileged:
        methods["instances"] = Method(handler=env.instances, summary="Instance masks (ground truth).")
    info = {"task_name": task.name, "seed": config.seed, "instruction": env.kitchen.instruction}
    return Facade(name=NAME, version=__version__, schema=SCHEMA, methods=methods, info=info, close=env.close)
