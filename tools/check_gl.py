"""Exit with 0 when a library that MuJoCo can render with is loadable: EGL with a driver, or OSMesa."""

import ctypes
import sys


def loadable(*names: str) -> bool:
    """Return whether all of the shared libraries can be loaded."""
    try:
        for name in names:
            ctypes.CDLL(name)
    except OSError:
        return False
    return True


sys.exit(
    not (
        loadable("libEGL.so.1", "libEGL_mesa.so.0")
        or loadable("libEGL.so.1", "libEGL_nvidia.so.0")
        or loadable("libOSMesa.so.8")
    )
)
