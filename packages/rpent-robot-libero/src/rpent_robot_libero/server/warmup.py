"""What a start-up can do early or side by side: imports and numba kernels.

MuJoCo's compiler runs without Python's lock, so on two cores these cost little beyond the longest of them.
"""

from __future__ import annotations

import sys
import threading
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

_PRIVATE_SETTINGS = "robosuite.macros_private"


def import_benchmark() -> None:
    """Import the benchmark's environments, which register themselves.

    An empty module answers for robosuite's optional file of private settings: robosuite warns of its absence, and what
    a user has in it must not change an episode.
    """
    sys.modules.setdefault(_PRIVATE_SETTINGS, ModuleType(_PRIVATE_SETTINGS))
    import_module("libero.libero.envs")


def import_and_load() -> None:
    """Import the benchmark, then load the kernels."""
    import_benchmark()
    load_kernels()


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


def in_background(*jobs: Callable[[], object]) -> list[threading.Thread]:
    """Start each callable on a thread of its own; a failure there only means that nothing was gained."""
    threads = [threading.Thread(target=_quietly, args=(job,), daemon=True) for job in jobs]
    for thread in threads:
        thread.start()
    return threads


def _quietly(job: Callable[[], object]) -> None:
    try:
        job()
    except Exception as error:  # noqa: BLE001
        print(f"warm-up skipped: {error}", file=sys.stderr)  # noqa: T201
