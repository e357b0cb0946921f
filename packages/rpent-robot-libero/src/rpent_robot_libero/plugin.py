"""What this distribution offers: the robot `libero` and the perceptor `libero-sim`; nothing heavy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.hookspecs import hookimpl
from rpent.specs import PerceptorSpec, RobotSpec, ServiceSpec

from rpent_robot_libero.dashboard import DASHBOARD
from rpent_robot_libero.environment import LIBERO_ENVIRONMENT

if TYPE_CHECKING:
    from collections.abc import Iterator

PLUGIN_API = 1

ENV = ServiceSpec(
    name="env",
    factory="rpent_robot_libero.server.create:create",
    config="rpent_robot_libero.config:EnvServerConfig",
    summary="The LIBERO simulator.",
    scope="unique",
    environment=LIBERO_ENVIRONMENT,
    ready_timeout_s=180.0,
)

VLA = ServiceSpec(
    name="vla",
    summary="A policy server (`rpent serve policy`): `vla_pick`, `vla_do`, also as `pi0_pick`, `pi0_doubled`.",
    scope="shared",
    optional=True,
)


@hookimpl
def rpent_robots() -> Iterator[RobotSpec]:
    """Offer the LIBERO robot."""
    yield RobotSpec(
        name="libero",
        summary="LIBERO and LIBERO-PRO: a Franka Panda on tables, kitchens and floors.",
        robot="rpent_robot_libero.robot:LiberoRobot",
        config="rpent_robot_libero.config:LiberoConfig",
        services=(ENV, VLA),
        perceptor="libero-sim",
        embodiment="rpent_robot_libero.embodiment:LIBERO",
        dashboard=DASHBOARD,
    )


@hookimpl
def rpent_perceptors() -> Iterator[PerceptorSpec]:
    """Offer the simulator-backed perceptor."""
    yield PerceptorSpec(
        name="libero-sim",
        summary="Instance masks from the simulator, looked up by a text prompt (privileged).",
        perceptor="rpent_robot_libero.perception:LiberoPerceptor",
        privileged=True,
        robots=("libero",),
    )
