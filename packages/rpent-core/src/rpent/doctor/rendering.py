"""Can pictures be rendered without a display? MuJoCo needs EGL with a driver, or OSMesa."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import subprocess
import sys

from rpent.specs import CheckResult, DoctorCheck

LIBRARIES = {"egl": ("libEGL.so.1",), "osmesa": ("libOSMesa.so.8", "libOSMesa.so.6")}
INSTALL = "sudo apt-get install -y libegl1 libegl-mesa0 libgl1 libgl1-mesa-dri libosmesa6"
TIMEOUT_S = 60

RENDER = """
import mujoco
model = mujoco.MjModel.from_xml_string(
    '<mujoco><worldbody><light pos="0 0 2"/><geom type="sphere" size=".2" rgba="1 0 0 1"/>'
    '<camera name="c" pos="0 -1 0" xyaxes="1 0 0 0 0 1"/></worldbody></mujoco>')
data = mujoco.MjData(model)
mujoco.mj_forward(model, data)
renderer = mujoco.Renderer(model, 32, 32)
renderer.update_scene(data, "c")
picture = renderer.render()
assert picture[16, 16, 0] > picture[16, 16, 2], "the picture is empty"
"""


def loadable(names: tuple[str, ...]) -> bool:
    """Return whether one of the shared libraries can be loaded."""
    for name in names:
        try:
            ctypes.CDLL(name)
        except OSError:
            continue
        return True
    return False


def renders(backend: str) -> tuple[bool, str]:
    """Render a small scene in another process; returns whether it worked and the last line of its output."""
    environ = {**os.environ, "MUJOCO_GL": backend, "PYOPENGL_PLATFORM": backend}
    command = [sys.executable, "-c", RENDER]
    try:
        done = subprocess.run(
            command, env=environ, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return False, f"no picture after {TIMEOUT_S} s"
    lines = done.stderr.strip().splitlines()
    return done.returncode == 0, lines[-1] if lines else f"exit code {done.returncode}"


def check_rendering() -> CheckResult:
    """Load the GL libraries and, where MuJoCo is installed in this interpreter, render with each of them."""
    present = [backend for backend, names in LIBRARIES.items() if loadable(names)]
    if not present:
        return CheckResult(
            status="fail",
            message="Neither EGL (libEGL.so.1) nor OSMesa (libOSMesa.so.8) is installed.",
            remedy=INSTALL,
        )
    if importlib.util.find_spec("mujoco") is None:
        listed = " and ".join(present)
        return CheckResult(
            status="ok", message=f"The libraries of {listed} are there; no MuJoCo here to render with."
        )
    outcomes = {backend: renders(backend) for backend in present}
    working = [backend for backend, (works, _) in outcomes.items() if works]
    if working:
        return CheckResult(status="ok", message=f"MuJoCo renders with {' and '.join(working)}.")
    reasons = "; ".join(f"{backend}: {reason}" for backend, (_, reason) in outcomes.items())
    return CheckResult(status="fail", message=f"MuJoCo cannot render ({reasons}).", remedy=INSTALL)


CHECK = DoctorCheck(name="gl", summary="Pictures can be rendered without a display.", run=check_rendering)
