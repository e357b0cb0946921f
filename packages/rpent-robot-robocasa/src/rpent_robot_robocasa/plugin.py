"""What this distribution offers: the robot `robocasa`, the perceptor `robocasa-sim` and the command `robocasa`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.hookspecs import hookimpl
from rpent.specs import CheckResult, CommandSpec, DoctorCheck, PerceptorSpec, RobotSpec, ServiceSpec

from rpent_robot_robocasa.dashboard import DASHBOARD
from rpent_robot_robocasa.environment import ROBOCASA_ENVIRONMENT

if TYPE_CHECKING:
    from collections.abc import Iterator

PLUGIN_API = 1

ENV = ServiceSpec(
    name="env",
    factory="rpent_robot_robocasa.server.create:create",
    config="rpent_robot_robocasa.config:EnvServerConfig",
    check="rpent_robot_robocasa.assets.check:check",
    summary="The RoboCasa365 simulator.",
    scope="unique",
    environment=ROBOCASA_ENVIRONMENT,
    starts_alone=False,  # kitchen assets come after the environment
    ready_timeout_s=300.0,
    env=(
        ("PYTHONHASHSEED", "0"),
    ),  # so that sets of names have one order in every process, and a seed one scene
)

VLA = ServiceSpec(
    name="vla",
    summary="A policy server (`rpent serve policy`): `rldx_skill`, `vla_do`, `vla_pick`.",
    scope="shared",
    optional=True,
)


@hookimpl
def rpent_robots() -> Iterator[RobotSpec]:
    """Offer the RoboCasa robot."""
    yield RobotSpec(
        name="robocasa",
        summary="RoboCasa365: a Panda on a mobile base, in kitchens.",
        robot="rpent_robot_robocasa.robot:RobocasaRobot",
        config="rpent_robot_robocasa.config:RobocasaConfig",
        services=(ENV, VLA),
        perceptor="robocasa-sim",
        embodiment="rpent_robot_robocasa.embodiment:ROBOCASA",
        dashboard=DASHBOARD,
    )


@hookimpl
def rpent_perceptors() -> Iterator[PerceptorSpec]:
    """Offer the simulator-backed perceptor."""
    yield PerceptorSpec(
        name="robocasa-sim",
        summary="Instance masks from the simulator, looked up by a text prompt (privileged).",
        perceptor="rpent_robot_robocasa.perception:RobocasaPerceptor",
        privileged=True,
        robots=("robocasa",),
    )


@hookimpl
def rpent_doctor_checks() -> Iterator[DoctorCheck]:
    """Look for kitchen assets."""
    yield DoctorCheck(name="assets/robocasa", summary="A run finds its kitchen assets.", run=_assets)


def _assets() -> CheckResult:
    from rpent_robot_robocasa.assets.check import diagnosis  # noqa: PLC0415  (the plugin module stays light)

    return diagnosis()


@hookimpl
def rpent_commands() -> Iterator[CommandSpec]:
    """Offer `rpent robocasa`."""
    yield CommandSpec(
        name="robocasa",
        summary="The tasks of RoboCasa365, and its kitchen assets: fetch them, or make placeholders.",
        command="rpent_robot_robocasa.cli:command",
    )
