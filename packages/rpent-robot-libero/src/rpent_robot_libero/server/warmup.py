"""What a start-up can do early or side by side: imports, numba kernels, asset files.

MuJoCo's compiler runs without Python's lock, so on two cores these cost little beyond the longest of them.
"""

from __future__ import annotations

import re
import sys
import threading
from types import ModuleType

import mujoco
import numpy as np

_UNUSED = {
    "libero.libero.envs.env_wrapper": ("OffScreenRenderEnv", "SegmentationRenderEnv"),
    "libero.libero.envs.venv": ("SubprocVectorEnv", "DummyVectorEnv"),
}
"""Modules that the benchmark's package imports for others' sake, at the cost of matplotlib and gymnasium."""


def import_benchmark() -> None:
    """Import the benchmark's environments without its wrappers."""
    stand_ins = {name: ModuleType(name) for name in _UNUSED if name not in sys.modules}
    if "libero.libero.envs" not in sys.modules:
        for name, module in stand_ins.items():
            for attribute in _UNUSED[name]:
                setattr(module, attribute, None)
        sys.modules.update(stand_ins)
    try:
        import libero.libero.envs.problems  # noqa: F401, PLC0415 - registers the problems
    finally:
        for name, module in stand_ins.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]


def load_kernels() -> None:
    """Load the controller's numba kernels from their cache, for the array layouts that `Arm` passes."""
    from robosuite.utils import control_utils  # noqa: PLC0415

    joints = list(range(7))
    jac = np.random.default_rng(0).normal(size=(3, 20))
    jac_position, jac_rotation = np.array(jac[:, joints]), np.array(jac[::-1].copy()[:, joints])
    full = np.array(np.vstack([jac_position, jac_rotation]))
    mass = np.eye(20)[joints, :][:, joints]
    _, _, _, nullspace = control_utils.opspace_matrices(mass, full, jac_position, jac_rotation)
    at_rest = np.zeros(7)
    control_utils.nullspace_torques(mass, nullspace, at_rest, at_rest, at_rest)
    control_utils.orientation_error(np.eye(3), np.eye(3))


def in_background(*jobs: object) -> list[threading.Thread]:
    """Start each callable on a thread of its own; a failure there only means that nothing was gained."""
    threads = [threading.Thread(target=_quietly, args=(job,), daemon=True) for job in jobs]
    for thread in threads:
        thread.start()
    return threads


def _quietly(job: object) -> None:
    try:
        job()  # type: ignore[operator]
    except Exception as error:  # noqa: BLE001
        print(f"warm-up skipped: {error}", file=sys.stderr)  # noqa: T201


def read_assets(xml: str) -> None:
    """Read a scene's textures and meshes into MuJoCo's asset cache, on two threads.

    Decoding pictures and meshes is nearly all of a compilation, and the compiler does it one by one.
    """
    compiler = re.search(r"<compiler[^>]*>", xml)
    if compiler is None:
        return

    def compile_part(elements: list[str]) -> None:
        mujoco.MjModel.from_xml_string(
            f"<mujoco>{compiler.group()}<asset>{''.join(elements)}</asset><worldbody/></mujoco>"
        )

    textures = re.findall(r"<texture [^>]*file=\"[^\"]*\"[^>]*/>", xml)
    meshes = re.findall(r"<mesh [^>]*/>", xml)
    for thread in in_background(lambda: compile_part(textures), lambda: compile_part(meshes)):
        thread.join()
