"""Stages 1 and 2: from names and values to a robot, its task and a planner. Nothing is started."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from rpent.config import build_config
from rpent.errors import UsageError
from rpent.plugins import registry as installed
from rpent.plugins.named import load_named
from rpent.run.policy import VLA, choose_policy
from rpent.suggest import did_you_mean, listing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pydantic import BaseModel

    from rpent.planners.planner import Planner
    from rpent.policies.chosen import ChosenPolicy
    from rpent.robot import Robot, TaskSetup
    from rpent.run.request import RunRequest
    from rpent.specs import PerceptorSpec, PlannerSpec, RobotSpec, ServiceSpec

NO_PERCEPTOR = "none"


class Registry(Protocol):
    """Where specs come from: the installed plugins, or a test's own."""

    def get(self, kind: str, name: str) -> Any:
        """Return the spec of that name, or raise `PluginError`."""

    def names(self, kind: str) -> list[str]:
        """Return the names of a kind."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Origin:
    """Which distribution a plugin comes from."""

    kind: str
    name: str
    distribution: str = ""
    version: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Resolved:
    """Everything that a run needs before anything is started."""

    request: RunRequest
    registry: Registry
    robot_spec: RobotSpec
    robot: Robot
    planner_spec: PlannerSpec
    planner: Planner
    planner_config: BaseModel
    perceptor_spec: PerceptorSpec | None
    perceptor_config: BaseModel | None
    perceptor_service_config: BaseModel | None
    policy: ChosenPolicy | None
    setup: TaskSetup
    origins: tuple[Origin, ...]

    @property
    def services(self) -> dict[str, tuple[ServiceSpec, str]]:
        """Name → service and the kind of plugin that it comes from: the robot's, the perceptor's, the policy's."""
        found = {service.name: (service, "robots") for service in self.robot_spec.services}
        if self.perceptor_spec is not None and (service := self.perceptor_spec.service) is not None:
            found.setdefault(service.name, (service, "perceptors"))
        if self.policy is not None:
            found[VLA] = (self.policy.service, "policies")
        return found

    def distribution_of(self, kind: str) -> Origin:
        """Return where the robot (`robots`), planner, perceptor or policy comes from."""
        return next(origin for origin in self.origins if origin.kind == kind)


def resolve(request: RunRequest, registry: Registry | None = None) -> Resolved:
    """Load exactly the plugins that the request names, and validate their configurations.

    Raises:
        PluginError: One is missing or broken.
        UsageError: A value is not accepted.
    """
    source: Registry = registry or installed.current()
    robot_spec: RobotSpec = source.get("robots", request.robot)
    planner_spec: PlannerSpec = source.get("planners", request.planner)
    perceptor_spec = _perceptor(request, robot_spec, source)
    robot_config = _config(robot_spec.config, request.robot_config, f"robot `{robot_spec.name}`")
    planner_config = _config(planner_spec.config, request.planner_config, f"planner `{planner_spec.name}`")
    perceptor_config, perceptor_service_config = _perceptor_configs(request, perceptor_spec)
    policy = choose_policy(request, robot_spec, source)
    robot = load_named(robot_spec.robot, f"robot `{robot_spec.name}`")(robot_config)
    planner = load_named(planner_spec.planner, f"planner `{planner_spec.name}`")(planner_config)
    used = [("robots", request.robot), ("planners", request.planner)]
    used += [("perceptors", perceptor_spec.name)] if perceptor_spec else []
    used += [("policies", request.policy)] if request.policy else []
    resolved = Resolved(
        request=request,
        registry=source,
        robot_spec=robot_spec,
        robot=robot,
        planner_spec=planner_spec,
        planner=planner,
        planner_config=planner_config,
        perceptor_spec=perceptor_spec,
        perceptor_config=perceptor_config,
        perceptor_service_config=perceptor_service_config,
        policy=policy,
        setup=robot.setup(),
        origins=tuple(origin_of(source, kind, name) for kind, name in used),
    )
    _check_endpoints(resolved)
    _check_pythons(request)
    _check_services(resolved)
    if policy is not None:
        policy.check()
    return resolved


def _config(import_string: str, values: Mapping[str, Any], what: str) -> BaseModel:
    config: BaseModel = build_config(load_named(import_string, what), values, what=what)
    return config


def _perceptor(request: RunRequest, robot_spec: RobotSpec, source: Registry) -> PerceptorSpec | None:
    name = request.perceptor or robot_spec.perceptor
    if name is None or name == NO_PERCEPTOR:
        return None
    spec: PerceptorSpec = source.get("perceptors", name)
    if spec.robots and robot_spec.name not in spec.robots:
        raise UsageError(
            f"The perceptor `{name}` does not work with the robot `{robot_spec.name}`.",
            hint=f"It works with {listing(spec.robots)}.",
        )
    return spec


def _perceptor_configs(
    request: RunRequest, spec: PerceptorSpec | None
) -> tuple[BaseModel | None, BaseModel | None]:
    """Return the perceptor's validated configuration and that of its service, which must find what it names."""
    if spec is None:
        return None, None
    what, service = f"perceptor `{spec.name}`", spec.service
    own = _config(spec.config, request.perceptor_config, what) if spec.config else None
    served = None
    if service is not None and service.config and service.name not in request.endpoints:
        served = _config(service.config, request.perceptor_service_config, what)
        if service.check:
            load_named(service.check, what)(served)
    return own, served


def _check_services(resolved: Resolved) -> None:
    """Let each of the robot's services that the run starts find what its configuration names."""
    what = f"robot `{resolved.robot_spec.name}`"
    for service in resolved.robot_spec.services:
        if service.check and service.config and service.name not in resolved.request.endpoints:
            values = resolved.setup.service_configs.get(service.name, {})
            load_named(service.check, what)(_config(service.config, values, what))


def _check_pythons(request: RunRequest) -> None:
    chosen = {"--env-python": request.env_python, **dict(_python_options(request))}
    for option, python in chosen.items():
        if python is not None:
            from rpent.environments.interpreter import check_python  # noqa: PLC0415  (only where one is chosen)

            check_python(python, option=option)


def _python_options(request: RunRequest) -> Iterator[tuple[str, str]]:
    for service, python in request.pythons.items():
        yield f"--{'policy' if service == VLA else service}-python", python


def origin_of(source: Registry, kind: str, name: str) -> Origin:
    """Return which distribution a plugin comes from; a test's own come from none."""
    find = getattr(source, "resolve", None)
    if find is None:
        return Origin(kind=kind, name=name)
    entry = find(kind, name)
    return Origin(kind=kind, name=entry.name, distribution=entry.distribution, version=entry.version)


def _check_endpoints(resolved: Resolved) -> None:
    from rpent.rpc.endpoint import parse_endpoint  # noqa: PLC0415  (after the plugins' own complaints)

    known = list(resolved.services)
    for name, (service, _) in resolved.services.items():
        if not (service.factory or service.optional or name in resolved.request.endpoints):
            raise UsageError(
                f"The service `{name}` is served by others.", hint=f"Give `--{name}-endpoint ENDPOINT`."
            )
    for name, endpoint in resolved.request.endpoints.items():
        if name not in known:
            raise UsageError(
                f"The robot `{resolved.robot_spec.name}` has no service `{name}`{did_you_mean(name, known)}"
            )
        scheme = parse_endpoint(endpoint).scheme
        schemes = resolved.registry.names("transports")
        if scheme not in schemes:
            raise UsageError(
                f"The endpoint `{endpoint}` needs a transport `{scheme}`, "
                f"which is not installed{did_you_mean(scheme, schemes)}",
                hint=f"Installed: {listing(schemes)}.",
            )
        if not resolved.request.token:
            raise UsageError(
                f"Attaching to `{endpoint}` needs its server's token.",
                hint="Give `--token-file FILE`; `rpent serve` prints which.",
            )
