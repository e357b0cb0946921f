"""Every hook of RPent: the one file that a plugin author reads first.

A plugin is a light module named by an entry point. It states `PLUGIN_API = 1` and implements some of these hooks::

    # pyproject.toml
    [project.entry-points."rpent.robots"]
    my-bot = "rpent_robot_my_bot.plugin"

    # rpent_robot_my_bot/plugin.py
    from rpent.api import RobotSpec, hookimpl

    PLUGIN_API = 1

    @hookimpl
    def rpent_robots():
        yield RobotSpec(name="my-bot", summary="My robot.", robot="rpent_robot_my_bot.robot:MyBot",
                        config="rpent_robot_my_bot.config:MyBotConfig")

Collect hooks (`rpent_robots` and its like) are pure and cheap: no I/O, no GPU, no heavy import. Life-cycle hooks take
one event object; one that raises is reported and never stops a run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rpent import specs

PROJECT = "rpent"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)

GROUPS: dict[str, str] = {
    "rpent.robots": "rpent_robots",
    "rpent.planners": "rpent_planners",
    "rpent.transports": "rpent_transports",
    "rpent.tools": "rpent_tools",
    "rpent.policies": "rpent_policies",
    "rpent.perceptors": "rpent_perceptors",
    "rpent.executors": "rpent_executors",
    "rpent.commands": "rpent_commands",
    "rpent.frontends": "rpent_frontends",
    "rpent.plugins": "",
}
"""Entry-point group → the collect hook that its modules implement. `rpent_add_hookspecs` adds to them."""


class CollectHooks:
    """Hooks that describe what a distribution offers. Each returns an iterable of frozen specs."""

    @hookspec
    def rpent_robots(self) -> Iterable[specs.RobotSpec]:  # type: ignore[empty-body]
        """Robots. Entry-point group `rpent.robots`.

        Example::

            @hookimpl
            def rpent_robots():
                yield RobotSpec(name="my-bot", summary="My robot.", robot="my_bot:MyBot", config="my_bot:Config")
        """

    @hookspec
    def rpent_planners(self) -> Iterable[specs.PlannerSpec]:  # type: ignore[empty-body]
        """Planners. Entry-point group `rpent.planners`.

        Example::

            @hookimpl
            def rpent_planners():
                yield PlannerSpec(name="my-llm", summary="My agent.", planner="my_llm:Planner", config="my_llm:Config")
        """

    @hookspec
    def rpent_transports(self) -> Iterable[specs.TransportSpec]:  # type: ignore[empty-body]
        """Transports; the name is the endpoint's scheme. Entry-point group `rpent.transports`.

        Example::

            @hookimpl
            def rpent_transports():
                yield TransportSpec(scheme="quic", summary="RPC over QUIC.", transport="my_quic:Quic")
        """

    @hookspec
    def rpent_tools(self) -> Iterable[specs.ToolSpec]:  # type: ignore[empty-body]
        """Tools for any robot. Entry-point group `rpent.tools`.

        Example::

            @hookimpl
            def rpent_tools():
                yield ToolSpec(name="clock", summary="Tells the time.", tools="my_clock.tools:ClockTools")
        """

    @hookspec
    def rpent_policies(self) -> Iterable[specs.PolicySpec]:  # type: ignore[empty-body]
        """VLA backends of the policy server. Entry-point group `rpent.policies`.

        Example::

            @hookimpl
            def rpent_policies():
                yield PolicySpec(
                    name="my-vla", summary="My VLA.", policy="my_vla.server:load", config="my_vla.config:MyConfig",
                    signature="my_vla.config:signature", environments=(MY_ENVIRONMENT,),
                )
        """

    @hookspec
    def rpent_perceptors(self) -> Iterable[specs.PerceptorSpec]:  # type: ignore[empty-body]
        """Ways to find named things in a picture. Entry-point group `rpent.perceptors`.

        Example::

            @hookimpl
            def rpent_perceptors():
                yield PerceptorSpec(name="my-detector", summary="My detector.", perceptor="my_detector:Detector")
        """

    @hookspec
    def rpent_executors(self) -> Iterable[specs.ExecutorSpec]:  # type: ignore[empty-body]
        """Ways to run many episodes. Entry-point group `rpent.executors`.

        Example::

            @hookimpl
            def rpent_executors():
                yield ExecutorSpec(name="slurm", summary="Episodes as Slurm jobs.", executor="my_slurm:SlurmExecutor")
        """

    @hookspec
    def rpent_commands(self) -> Iterable[specs.CommandSpec]:  # type: ignore[empty-body]
        """Sub-commands of `rpent`. Entry-point group `rpent.commands`.

        A name with a dot is a command in a group: `policy.train` becomes `rpent policy train`, beside core's own
        commands there, or in a group that plugins alone fill. Nothing is imported before it is invoked.

        Example::

            @hookimpl
            def rpent_commands():
                yield CommandSpec(name="hello", summary="Says hello.", command="my_hello:command")
        """

    @hookspec
    def rpent_frontends(self) -> Iterable[specs.FrontendSpec]:  # type: ignore[empty-body]
        """Places to watch and steer runs from; the name is a flag of `rpent run`. Entry-point group `rpent.frontends`.

        Example::

            @hookimpl
            def rpent_frontends():
                yield FrontendSpec(
                    name="wall", summary="Shows the run on a wall.", frontend="my_wall:run", config="my_wall:WallConfig"
                )
        """

    @hookspec
    def rpent_doctor_checks(self) -> Iterable[specs.DoctorCheck]:  # type: ignore[empty-body]
        """Checks for `rpent doctor`; any plugin module may add some.

        Example::

            @hookimpl
            def rpent_doctor_checks():
                yield DoctorCheck(name="my-bot/firmware", summary="The firmware is current.", run=check_firmware)
        """

    @hookspec
    def rpent_add_hookspecs(self) -> Iterable[specs.HookspecSet]:  # type: ignore[empty-body]
        """Hooks of your own, for plugins of your plugin. Only modules of the group `rpent.plugins` are asked.

        They are asked before a module that implements such a hook is checked, whichever of the two is loaded
        first. With a kind comes an entry-point group: after the example, `rpent.trainers`; then
        `rpent.plugins.registry.names("trainers")` lists what is installed, from metadata alone, and
        `registry.get("trainers", "ppo")` loads one. A hook without a kind observes: call it with
        `registry.lifecycle("rpent_training_finished", event)`.

        Example::

            # rpent_robosmith/hookspecs.py
            from rpent.api import hookspec

            class TrainingHooks:
                @hookspec
                def rpent_trainers(self):
                    "Trainers. Entry-point group `rpent.trainers`."

                @hookspec
                def rpent_training_finished(self, event):
                    "Call when a policy is trained."

            # rpent_robosmith/plugin.py, entry point `robosmith` of the group `rpent.plugins`
            @hookimpl
            def rpent_add_hookspecs():
                trainers = KindSpec(name="trainers", hook="rpent_trainers", spec="rpent_robosmith.specs:TrainerSpec")
                yield HookspecSet(hookspecs="rpent_robosmith.hookspecs:TrainingHooks", kinds=(trainers,))
        """


class LifecycleHooks:
    """Hooks that are called while a run goes on. They observe; they cannot stop it."""

    @hookspec
    def rpent_run_started(self, event: specs.RunStartedEvent) -> None:
        """Call when the run directory exists and the services are ready.

        Example::

            @hookimpl
            def rpent_run_started(event):
                print("started", event.run_dir)
        """

    @hookspec
    def rpent_run_finished(self, event: specs.RunFinishedEvent) -> None:
        """Call when the run directory is complete.

        Example::

            @hookimpl
            def rpent_run_finished(event):
                print("success:", event.outcome["benchmark_success"])
        """
