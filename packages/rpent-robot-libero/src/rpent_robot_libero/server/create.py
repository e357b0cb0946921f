"""The env server's entry: from a configuration to a facade."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.rpc.facade import Facade, Method
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
    methods = {
        "describe": Method(handler=env.describe, summary="What this env is."),
        "reset": Method(handler=env.reset, timeout_s=180.0, summary="Start an episode."),
        "step": Method(handler=env.step, summary="One control step."),
        "chunk_step": Method(handler=env.chunk_step, timeout_s=300.0, summary="Several control steps."),
        "servo": Method(handler=env.servo, timeout_s=600.0, summary="Closed-loop motion."),
        "observe": Method(handler=env.observe, timeout_s=120.0, summary="State, pictures, depth."),
        "camera_meta": Method(handler=env.camera_meta, summary="A camera's calibration."),
        "snapshot": Method(handler=env.snapshot, summary="The exact state, as bytes."),
        "restore": Method(handler=env.restore, timeout_s=180.0, summary="Come back to a state."),
        "record": Method(handler=env.record, summary="Record video frames, or stop."),
        "frames": Method(handler=env.frames, concurrent=True, summary="Fetch the recorded frames."),
        "actions": Method(handler=env.actions, summary="Fetch the control actions that were carried out."),
    }
    if config.privileged:
        methods["instances"] = Method(handler=env.instances, summary="Instance masks (ground truth).")
    task = env.scene.task
    info = {"suite": task.suite, "task": task.index, "seed": config.seed, "instruction": task.instruction}
    return Facade(name=NAME, version=__version__, schema=SCHEMA, methods=methods, info=info, close=env.close)
