"""What a start-up can do early or side by side: imports and numba kernels.

MuJoCo's compiler runs without Python's lock, so on two cores these cost little beyond the longest of them.
"""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

_UNUSED = {
    "libero.libero.envs.env_wrapper": ("OffScreenRenderEnv", "SegmentationRenderEnv"),
    "libero.libero.envs.venv": ("SubprocVectorEnv", "DummyVectorEnv"),
    "cv2": (),
    "robosuite.macros_private": (),  # an optional file of settings, whose absence robosuite warns about
}
"""Modules that are imported for others' sake, with matplotlib and gymnasium in their train."""


@contextmanager
def _stand_ins(modules: Mapping[str, Sequence[str]]) -> Iterator[dict[str, ModuleType]]:
    """Let empty modules answer for those that are not imported yet; later the real ones can be imported."""
    placed = {name: ModuleType(name) for name in modules if name not in sys.modules}
    for name, module in placed.items():
        for attribute in modules[name]:
            setattr(module, attribute, None)
    sys.modules.update(placed)
    try:
        yield placed
    finally:
        for name, module in placed.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]


def import_benchmark() -> None:
    """Import the benchmark's environments without its wrappers."""
    if "libero.libero.envs" not in sys.modules:
        with _stand_ins(_UNUSED):
            import_module("libero.libero.envs.problems")  # which registers them


def import_and_load() -> None:
    """Import the benchmark, then load the kernels."""
    import_benchmark()
    load_kernels()


def load_kernels() -> None:
    """Load the controller's numba kernels from their cache, for the array layouts that `Arm` passes."""
    from robosuite.utils import control_utils  # noqa: PLC0415

    _import_blas()
    joints = list(range(7))
    jac = np.random.default_rng(0).normal(size=(3, 20))
    jac_position, jac_rotation = np.array(jac[:, joints]), np.array(jac[::-1].copy()[:, joints])
    full = np.array(np.vstack([jac_position, jac_rotation]))
    mass = np.eye(20)[joints, :][:, joints]
    _, _, _, nullspace = control_utils.opspace_matrices(mass, full, jac_position, jac_rotation)
    at_rest = np.zeros(7)
    control_utils.nullspace_torques(mass, nullspace, at_rest, at_rest, at_rest)
    control_utils.orientation_error(np.eye(3), np.eye(3))


def _import_blas() -> None:
    """Import what numba takes from scipy, two extension modules, without the package around them."""
    if "scipy.linalg" in sys.modules:
        return
    import scipy  # noqa: PLC0415

    with _stand_ins({"scipy.linalg": ()}) as placed:
        placed["scipy.linalg"].__path__ = [str(Path(scipy.__file__).parent / "linalg")]
        import_module("scipy.linalg.cython_blas")
        import_module("scipy.linalg.cython_lapack")
    vars(scipy).pop("linalg", None)


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
