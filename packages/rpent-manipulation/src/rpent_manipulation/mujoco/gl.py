"""Which library draws the pictures: EGL or OSMesa, chosen before MuJoCo is imported."""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any

from rpent.errors import ServiceError

_EGL_PLATFORM_DEVICE_EXT = 0x313F
_REMEDY = "Install `libegl1` or `libosmesa6` (Debian names), or start with `--gl osmesa` or `--gl egl`."


def choose(wanted: str) -> str:
    """Decide on a backend and set the environment that MuJoCo, robosuite and PyOpenGL read when imported.

    Args:
        wanted: `egl`, `osmesa`, or `auto`: what `MUJOCO_GL` names, else EGL if a device opens, else OSMesa.

    Returns:
        `egl` or `osmesa`.

    Raises:
        ServiceError: The wanted backend (or, with `auto`, either) does not work in this process.
    """
    fixed = os.environ.get("MUJOCO_GL", "") if _is_fixed() else ""
    if fixed in ("egl", "osmesa"):
        if wanted not in ("auto", fixed):
            raise ServiceError(
                f"This process already renders with `{fixed}` and cannot change to `{wanted}`."
            )
        return fixed
    probes = {"egl": _egl_problem, "osmesa": _osmesa_problem}
    preferred = sorted(
        probes, key=lambda name: name != os.environ.get("MUJOCO_GL")
    )  # stable: EGL comes first
    problems = []
    for backend in preferred if wanted == "auto" else (wanted,):
        problem = probes[backend]()
        if problem is None:
            os.environ["MUJOCO_GL"] = os.environ["PYOPENGL_PLATFORM"] = backend
            return backend
        problems.append(f"{backend}: {problem}")
    raise ServiceError(f"No picture can be rendered ({'; '.join(problems)}).", hint=_REMEDY)


def _is_fixed() -> bool:
    """Whether MuJoCo has read the choice already."""
    return "mujoco" in sys.modules


def import_bindings() -> Any:
    """Import the chosen backend's bindings and return their context class.

    Done before another thread imports robosuite, which imports the same modules: two threads inside
    one circle of imports would stop each other.
    """
    if os.environ["MUJOCO_GL"] == "egl":
        from mujoco.egl import GLContext  # noqa: PLC0415
    else:
        from mujoco.osmesa import GLContext  # noqa: PLC0415
    return GLContext


def open_context() -> Any:
    """Create an off-screen context of the chosen backend, current on the calling thread.

    Raises:
        ServiceError: The driver refuses.
    """
    try:
        context = import_bindings()(1024, 1024)
        context.make_current()
    except Exception as error:
        backend = os.environ.get("MUJOCO_GL", "?")
        raise ServiceError(f"The `{backend}` driver gave no context: {error}.", hint=_REMEDY) from error
    return context


def _load(*names: str) -> ctypes.CDLL | None:
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def _osmesa_problem() -> str | None:
    if _load("libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so") is None:
        return "libOSMesa is not installed"
    return None


def _egl_problem() -> str | None:
    """Open an EGL device display as MuJoCo will, without PyOpenGL, which can load one platform only."""
    library = _load("libEGL.so.1", "libEGL.so")
    if library is None:
        return "libEGL is not installed"
    library.eglGetProcAddress.restype = ctypes.c_void_p
    query = library.eglGetProcAddress(b"eglQueryDevicesEXT")
    display_of = library.eglGetProcAddress(b"eglGetPlatformDisplayEXT")
    if not query or not display_of:
        return "the EGL driver has no device platform"
    devices, count = (ctypes.c_void_p * 16)(), ctypes.c_int()
    query_type = ctypes.CFUNCTYPE(
        ctypes.c_uint, ctypes.c_int, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_int)
    )
    if not query_type(query)(16, devices, ctypes.byref(count)):
        return "EGL lists no devices"
    display_type = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint, ctypes.c_void_p, ctypes.c_void_p)
    library.eglInitialize.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    wanted = os.environ.get("MUJOCO_EGL_DEVICE_ID")
    indices = range(count.value) if wanted is None else [int(wanted)] if wanted.isdigit() else []
    for index in indices:
        if index < count.value:
            display = display_type(display_of)(_EGL_PLATFORM_DEVICE_EXT, devices[index], None)
            if display and library.eglInitialize(display, None, None):
                return None
    return "no EGL device could be opened"
