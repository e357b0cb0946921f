"""What goes through a hook: frozen descriptions of robots, planners, transports, tools and services.

A spec holds data and import strings (`"package.module:attribute"`) and imports nothing heavy. Every field added
later has a default, so that a plugin written for an older core keeps working.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PLUGIN_API = 1
"""The plugin interface that this core speaks; a plugin module states its own as `PLUGIN_API = 1`."""

PLUGIN_API_MIN, PLUGIN_API_MAX = 1, 1


def load_object(import_string: str) -> Any:
    """Import `"package.module:attribute"` and return the attribute.

    Raises:
        ValueError: The string has no colon.
        ImportError: The module cannot be imported, or has no such attribute.
    """
    module_name, colon, attribute = import_string.partition(":")
    if not colon:
        raise ValueError(f"`{import_string}` is not of the form `package.module:attribute`.")
    module = import_module(module_name)
    try:
        return getattr(module, attribute)
    except AttributeError as error:
        raise ImportError(f"`{module_name}` has no attribute `{attribute}`.") from error


@dataclass(frozen=True, kw_only=True, slots=True)
class EnvironmentSpec:
    """A managed environment: an interpreter of its own for a service, built by uv from a lock in the distribution.

    The lock and any overrides are package data, so that the environment that a user builds is the one that was
    tested. The rpent distributions themselves are linked in from the agent's side, never resolved.
    """

    name: str
    """What the user types: `rpent env sync NAME`."""
    python: str = "3.11"
    """The Python version, as uv takes it."""
    requirements: tuple[str, ...] = ()
    """PEP 508 requirements, the source of the lock."""
    torch: tuple[str, ...] = ()
    """Requirements of PyTorch (`torch==2.13.0`), installed first and from the index of the build that fits the
    machine; they are not in the lock, because each build has requirements of its own."""
    overrides: tuple[str, ...] = ()
    """Requirements that replace what dependencies ask for (uv's `--override`)."""
    excludes: tuple[str, ...] = ()
    """Distributions to leave out although dependencies ask for them (uv's `--exclude`)."""
    lock: str | None = None
    """`"package:path"` of the compiled lock (a requirements file with exact versions) shipped as package data."""
    index_args: tuple[str, ...] = ()
    """Further uv arguments, such as `--torch-backend=cpu`."""
    verify: str = ""
    """Python code that must run in the environment (`import libero.libero.envs`)."""
    extra: str | None = None
    """The extra of the same distribution that says the same to plain pip (`server`), where one exists."""
    probe: str = ""
    """A top-level module whose presence shows that the current interpreter already has what is needed."""
    system_libraries: tuple[str, ...] = ()
    """Shared libraries that must be loadable (`libEGL.so.1`), for doctor."""


QUIET_THREADS = (("OMP_NUM_THREADS", "1"), ("OMP_WAIT_POLICY", "PASSIVE"))
"""For `ServiceSpec.env_defaults` of model servers: OpenMP's idle threads spin and starve the simulator beside them (on
two busy cores two threads made one inference 5 to 20 times slower than one)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ServiceSpec:
    """A process of its own that serves a facade over RPC: an env server, a VLA server, a perception server."""

    name: str
    """`env`, `vla`, `perception`: also the name of its log and of its `--<name>-endpoint` option."""
    factory: str = ""
    """Import string of `create(config) -> rpent.rpc.Facade`, run in the service's process. Empty: the service is
    somebody else's and can only be attached to."""
    config: str = ""
    """Import string of the pydantic model that `create` takes."""
    check: str = ""
    """Import string of `check(config)`, called on the agent's side, so it must be light: it raises an `RpentError` when
    what the configuration names (weights, a tokenizer) is not there. `rpent doctor` asks it."""
    summary: str = ""
    scope: Literal["unique", "shared"] = "unique"
    """`unique`: fresh for each task. `shared`: kept across tasks."""
    environment: EnvironmentSpec | None = None
    """The managed environment; None means the current interpreter."""
    alternatives: tuple[EnvironmentSpec, ...] = ()
    """Other managed environments that can run it: where `environment` is not built, the first one that is built."""
    starts_alone: bool = True
    """Whether it starts with its defaults, so that `rpent env sync` can try it; False where it needs a checkpoint."""
    optional: bool = False
    """Tools that need an absent optional service are not offered."""
    ready_timeout_s: float = 180.0
    env: tuple[tuple[str, str], ...] = ()
    """Environment variables set for the process."""
    env_defaults: tuple[tuple[str, str], ...] = ()
    """Environment variables set for the process where the user has not set them: `QUIET_THREADS` for models."""
    schema: int = 1
    """Version of the method contract, as `Facade.schema`; an env server of another one is refused."""

    def variables(self, user: Mapping[str, str]) -> dict[str, str]:
        """Return the variables to set, beside an environment that the process inherits."""
        return {**{name: value for name, value in self.env_defaults if name not in user}, **dict(self.env)}


def services_of(spec: object) -> tuple[ServiceSpec, ...]:
    """Return the services of a spec of any kind: a robot has several, a perceptor or policy at most one."""
    service = getattr(spec, "service", None)
    return (*getattr(spec, "services", ()), *(() if service is None else (service,)))


def environments_of(service: ServiceSpec) -> tuple[EnvironmentSpec, ...]:
    """Return the managed environments that can run a service, the default one first."""
    return (*(() if service.environment is None else (service.environment,)), *service.alternatives)


@dataclass(frozen=True, kw_only=True, slots=True)
class FrameChannel:
    """A camera whose pictures a dashboard shows beside a run."""

    camera: str
    """The camera's name, as in the robot's captures and in the env server's `observe`."""
    label: str = ""
    """What people read; the camera's name where empty."""
    role: Literal["fixed", "wrist", "navigation"] = "fixed"
    """Where the camera is: beside the robot, on its hand, or looking where it drives."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """A value that a field accepts, for completion and forms."""

    value: Any
    label: str = ""
    """What it stands for: a task's instruction."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DashboardSpec:
    """What a robot says of itself to a dashboard; everything has a default, so that every robot can be watched."""

    task_fields: tuple[str, ...] = ()
    """Fields of the robot's config model that choose a task, in the order of `/rpent-task`'s arguments; empty: all."""
    choices: str = ""
    """Import string of `choices(field, values) -> Iterable[Choice]`: what a task field accepts when the other fields
    have these values (plain data, perhaps incomplete). Light: it is asked while somebody types."""
    frames: tuple[FrameChannel, ...] = ()
    """The cameras, the main one first; empty: whatever a run's captures show."""
    primitives: tuple[str, ...] = ()
    """The tools that a person may call directly while no planner holds the robot. `finish` need not be listed."""
    service_labels: tuple[tuple[str, str], ...] = ()
    """Service name → what people read (`env`, `LIBERO simulator`); the service's name where absent."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RobotSpec:
    """A robot (or a benchmark's robot) that `rpent run --robot NAME` can drive."""

    name: str
    summary: str
    robot: str
    """Import string of the agent-side class: `Robot(config) -> rpent.robot.Robot`. Must not import a simulator."""
    config: str
    """Import string of the pydantic model whose fields become the robot's command-line options."""
    services: tuple[ServiceSpec, ...] = ()
    perceptor: str | None = None
    """The perceptor used when the user names none."""
    embodiment: str = ""
    """Import string of its `rpent.policies.embodiment.Embodiment`; without one no policy can drive it."""
    dashboard: DashboardSpec = DashboardSpec()
    docs_url: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannerSpec:
    """An agent runtime: a thin adapter from an SDK (or from nothing) to `rpent.session.Session`."""

    name: str
    summary: str
    planner: str
    """Import string of the class: `Planner(config)` with `run(session)`, and `check(limits)` where it can tell
    beforehand whether it will work."""
    config: str
    """Import string of the pydantic model whose fields become the planner's command-line options."""
    uses_model: bool = True
    """False for planners that need no language model (`flash`, `replay`)."""
    docs_url: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class TransportSpec:
    """A way to carry RPC frames. The entry point's name is the endpoint's scheme."""

    scheme: str
    summary: str
    transport: str
    """Import string of the `rpent.rpc.Transport` class."""
    local_priority: int = 0
    """The service supervisor takes the installed transport with the highest value for its own services."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolSpec:
    """Tools for any robot: a toolkit fragment that is added to the robot's own tools."""

    name: str
    summary: str
    tools: str
    """Import string of a class with `@tool` methods: `Tools(context: rpent.tools.ToolContext)`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PerceptorSpec:
    """A way to find named things in a picture."""

    name: str
    summary: str
    perceptor: str
    """Import string of the class: `Perceptor(context)` with `segment(...)`, see `rpent.perception`."""
    config: str | None = None
    privileged: bool = False
    """True when it reads ground truth that the benchmark hides; the run's record then says so."""
    robots: tuple[str, ...] = ()
    """The robots that it works with; empty means any."""
    service: ServiceSpec | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class PolicySpec:
    """A backend of the policy server (`rpent serve policy --backend NAME`): it loads checkpoints, or asks a server."""

    name: str
    summary: str
    policy: str
    """Import string of `load(config, report) -> rpent.policies.api.Policy`, called in the server's process;
    `report` is a `rpent.policies.api.Report`."""
    config: str
    """Import string of a `rpent.policies.api.PolicyConfig` model, whose fields become command-line options."""
    signature: str = ""
    """Import string of `signature(config) -> rpent.policies.api.Signature`: what the checkpoint takes and gives, read
    on the agent's side without torch. Raises `PolicyError` for a folder that is no checkpoint of this backend."""
    environments: tuple[EnvironmentSpec, ...] = ()
    """Managed environments that can run it, the default one first; none: the current interpreter."""
    ready_timeout_s: float = 900.0
    env: tuple[tuple[str, str], ...] = ()
    """Environment variables set for the process, besides `QUIET_THREADS`, which the user's own precede."""
    docs_url: str = ""

    @property
    def service(self) -> ServiceSpec:
        """The policy server with this backend, as the supervisor starts it."""
        return ServiceSpec(
            name="vla",
            factory="rpent.policies.server:create",
            config="rpent.policies.server:PolicyServerConfig",
            summary=self.summary,
            scope="shared",
            environment=self.environments[0] if self.environments else None,
            alternatives=self.environments[1:],
            starts_alone=False,
            ready_timeout_s=self.ready_timeout_s,
            env=self.env,
            env_defaults=QUIET_THREADS,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class CommandSpec:
    """A click sub-command of `rpent`, named as the entry point: `policy.train` is `rpent policy train`."""

    name: str
    summary: str
    command: str
    """Import string of the `click.Command`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FrontendSpec:
    """Somewhere to watch and steer runs from: its name is a flag of `rpent run` (`--dashboard`)."""

    name: str
    summary: str
    frontend: str
    """Import string of `run(request, config, *, task_given) -> int`: it executes the request, and further tasks that
    its user asks for, and returns the exit code. `task_given`: the user chose a task on the command line."""
    config: str
    """Import string of the pydantic model whose fields become options, each with the name in front
    (`--dashboard-port`)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ExecutorSpec:
    """A way to run many episodes (processes, a cluster)."""

    name: str
    summary: str
    executor: str
    config: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class KindSpec:
    """A kind of plugins that a plugin adds: its entry-point group is `rpent.<name>`."""

    name: str
    """The plural, as in `rpent plugins list --kind trainers` and `registry.get("trainers", ...)`."""
    hook: str
    """The collect hook that modules of the group implement: `rpent_trainers`."""
    spec: str
    """Import string of the frozen class that the hook yields; its field `name` is the entry point's name. A field
    `environments: tuple[EnvironmentSpec, ...]` makes its managed environments known to `rpent env`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class HookspecSet:
    """Hooks that a plugin adds to core's, so that other plugins can extend it."""

    hookspecs: str
    """Import string of a light class whose methods carry `@hookspec`."""
    kinds: tuple[KindSpec, ...] = ()
    """Those of the hooks that collect specs from an entry-point group of their own."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckResult:
    """What a doctor check found."""

    status: Literal["ok", "warn", "fail", "skip"]
    message: str
    remedy: str = ""
    """The command that mends it; printed with `warn` and `fail`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DoctorCheck:
    """One check of `rpent doctor`. `run` may be slow; it runs isolated and timed."""

    name: str
    summary: str
    run: Callable[[], CheckResult]
    fix: Callable[[], None] | None = None
    """What `rpent doctor --fix` runs when the check fails; None means that only the user can mend it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunStartedEvent:
    """Passed to `rpent_run_started`."""

    run_dir: str
    robot: str
    planner: str
    task: str
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class RunFinishedEvent:
    """Passed to `rpent_run_finished`. `outcome` is the `outcome` object of run.json."""

    run_dir: str
    outcome: Mapping[str, Any]
