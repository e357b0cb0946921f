"""The contract of a toolkit over its real services: schemas, observations, exact snapshots, cancellation."""

from __future__ import annotations

import json
import re
import threading
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from rpent.cancel import CancelToken
from rpent.env.client import EnvClient
from rpent.errors import CancelledCallError, ToolError
from rpent.robot import ToolContext
from rpent.run.perception import build_perceptor
from rpent.run.request import RunRequest
from rpent.run.resolve import resolve
from rpent.run.services import service_requests
from rpent.runs.files import plain
from rpent.services.supervisor import Supervisor
from rpent.session.scope import CallScope
from rpent.session.validation import checked_arguments
from rpent.testing.dashboard_checks import check_frames, check_primitives
from rpent.testing.registry import FakeRegistry

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rpent.run.resolve import Registry
    from rpent.tools.result import ToolResult
    from rpent.tools.tool import Tool
    from rpent.tools.toolkit import Toolkit


class Bench:
    """A toolkit over running services, and what a session would give it."""

    def __init__(self, toolkit: Toolkit, scope: CallScope) -> None:
        self.toolkit = toolkit
        self.scope = scope
        self.tools: dict[str, Tool] = {tool.name: tool for tool in toolkit.tools()}
        self.progress: list[Mapping[str, Any]] = []

    def call(self, name: str, arguments: Mapping[str, Any], token: CancelToken | None = None) -> ToolResult:
        """Call a tool as the session does: arguments checked first, cancellation and progress connected."""
        tool = self.tools[name]
        self.scope.enter(token or CancelToken(), self.progress.append)
        try:
            return tool.handler(**checked_arguments(tool, arguments))
        finally:
            self.scope.leave()


@contextmanager
def open_bench(robot: str, config: Mapping[str, Any], registry: Registry) -> Iterator[Bench]:
    """Yield a robot's toolkit over services that are started for it."""
    resolved = resolve(RunRequest(robot=robot, robot_config=dict(config), planner="scripted"), registry)
    scope = CallScope()
    with (
        TemporaryDirectory() as folder,
        Supervisor(run_dir=Path(folder), logs_dir=Path(folder) / "logs", on_event=lambda _: None) as services,
    ):
        services.start(service_requests(resolved))
        context = ToolContext(
            setup=resolved.setup,
            channels=services.channels,
            run_dir=Path(folder),
            cancel=scope.token,
            progress=scope.progress,
            perceptor=build_perceptor(resolved, services.channels),
        )
        toolkit = resolved.robot.toolkit(context)
        yield Bench(toolkit, scope)
        toolkit.close()


class ToolkitContract:
    """The tests of any toolkit. Subclass it and name the robot and two calls.

    Example::

        class TestMyTools(ToolkitContract):
            robot = "my-bot"
            action = ("move_to", {"xyz": [0.1, 0.0, 0.2]})
            long_action = ("move_to", {"xyz": [0.3, 0.3, 0.3]})
    """

    robot: ClassVar[str]
    config: ClassVar[Mapping[str, Any]] = {}
    action: ClassVar[tuple[str, Mapping[str, Any]]]
    """A call that moves the robot."""
    long_action: ClassVar[tuple[str, Mapping[str, Any]] | None] = None
    """A call that takes at least half a second, to be cancelled; None skips that test."""

    _stack: ClassVar[ExitStack]
    _bench: ClassVar[Bench]

    @classmethod
    def registry(cls) -> Registry:
        """Return where the robot comes from."""
        return FakeRegistry()

    @classmethod
    def setup_class(cls) -> None:
        """Start the services, once for the class."""
        with ExitStack() as stack:
            cls._bench = stack.enter_context(open_bench(cls.robot, cls.config, cls.registry()))
            cls._stack = stack.pop_all()

    @classmethod
    def teardown_class(cls) -> None:
        """Stop the services."""
        cls._stack.close()

    @pytest.fixture
    def bench(self) -> Bench:
        """The toolkit over its services."""
        return self._bench

    def test_every_tool_is_described(self, bench: Bench) -> None:
        """Names are what all model providers take; each tool and each argument says what it means."""
        assert bench.tools
        for tool in bench.tools.values():
            assert re.fullmatch(r"[a-z][a-z0-9_]{0,63}", tool.name)
            assert len(tool.description) >= 10
            Draft202012Validator.check_schema(dict(tool.schema))
            for name, schema in tool.schema["properties"].items():
                assert schema.get("description"), f"`{tool.name}`: argument `{name}` is not described"

    def test_there_are_actions_and_observations(self, bench: Bench) -> None:
        """A planner can move the robot."""
        assert not bench.tools[self.action[0]].readonly

    def test_a_dashboard_can_show_and_move_it(self, bench: Bench) -> None:
        """The robot's `DashboardSpec` names tools and cameras that exist."""
        spec = self.registry().get("robots", self.robot)
        check_primitives(spec, bench.toolkit)
        if "env" in bench.toolkit.context.channels:
            check_frames(spec, EnvClient(bench.toolkit.context.channels["env"]).describe()["cameras"])

    def test_wrong_arguments_are_refused_before_the_handler(self, bench: Bench) -> None:
        """Unknown arguments, and NaN wherever a number is accepted, are one readable sentence."""
        name, arguments = self.action
        with pytest.raises(ToolError):
            bench.call(name, {**arguments, "no_such_argument": 1})
        for key, value in arguments.items():
            if isinstance(value, float) or (isinstance(value, (list, tuple)) and value):
                spoiled = np.full(np.shape(value), np.nan).tolist()
                with pytest.raises(ToolError, match="finite"):
                    bench.call(name, {**arguments, key: spoiled})

    def test_what_the_scene_says_is_said_in_words(self, bench: Bench) -> None:
        """The instruction, where the scene tells it, and each caveat are sentences."""
        words, caveats = bench.toolkit.instruction(), bench.toolkit.caveats()
        assert words is None or (isinstance(words, str) and words.strip())
        assert words is not None or not bench.toolkit.context.setup.provisional
        assert not isinstance(caveats, str)
        assert all(isinstance(caveat, str) and caveat.endswith(".") for caveat in caveats)

    def test_a_capture_is_complete(self, bench: Bench) -> None:
        """Plain state, captioned upright pictures, depth that fits its camera, a snapshot."""
        capture = bench.toolkit.capture()
        json.dumps(plain(capture.state))
        assert capture.images
        for image in capture.images:
            assert image.pixels.dtype == np.uint8
            assert image.pixels.ndim == 3
            assert image.pixels.shape[2] == 3
            assert image.pixels.std() > 0, f"`{image.name}` is empty"
            assert image.caption.strip()
        for name, depth in capture.depth.items():
            assert depth.ndim == 2
            assert np.isfinite(depth).all()
            assert name in capture.cameras
        assert capture.snapshot

    def test_an_action_moves_and_is_counted(self, bench: Bench) -> None:
        """Steps are those that were executed, and the state shows the motion."""
        before, steps = bench.toolkit.capture(), bench.toolkit.env_steps()
        result = bench.call(*self.action)
        json.dumps(plain(result.data))
        assert bench.toolkit.env_steps() > steps
        assert plain(bench.toolkit.capture().state) != plain(before.state)

    def test_restoring_and_repeating_gives_the_same_state(self, bench: Bench) -> None:
        """A snapshot is exact: the same action leads to the same bytes."""
        snapshot = bench.toolkit.capture().snapshot
        assert snapshot is not None
        ends = []
        for _ in range(2):
            bench.toolkit.restore(snapshot)
            bench.call(*self.action)
            ends.append((plain(bench.toolkit.capture().state), bench.toolkit.snapshot()))
        assert ends[0][0] == ends[1][0]
        assert ends[0][1] == ends[1][1]

    def test_a_restored_state_looks_the_same(self, bench: Bench) -> None:
        """Pictures and counters come back too."""
        before = bench.toolkit.capture()
        assert before.snapshot is not None
        bench.call(*self.action)
        bench.toolkit.restore(before.snapshot)
        after = bench.toolkit.capture()
        assert plain(after.state) == plain(before.state)
        for one, two in zip(before.images, after.images, strict=True):
            difference = np.abs(one.pixels.astype(int) - two.pixels.astype(int))
            assert difference.mean() < 1.0

    def test_a_reset_begins_the_same_episode_anew(self, bench: Bench) -> None:
        """Steps count from 0, and the world is as at the beginning, whatever was done in between."""
        if not bench.toolkit.resettable:
            pytest.skip("the robot cannot be reset: it is not for exploration")
        begins = []
        for _ in range(2):
            bench.toolkit.reset()
            assert bench.toolkit.env_steps() == 0
            assert bench.toolkit.episode_over() is None
            begins.append((plain(bench.toolkit.capture().state), bench.toolkit.snapshot()))
            bench.call(*self.action)
        assert begins[0][0] == begins[1][0]
        assert begins[0][1] == begins[1][1]

    def test_cancellation_reaches_a_running_action(self, bench: Bench) -> None:
        """A cancelled motion stops long before its end."""
        if self.long_action is None:
            pytest.skip("the robot names no long action")
        snapshot = bench.toolkit.snapshot()
        assert snapshot is not None
        steps = self._steps_of_long_action(bench, snapshot)
        token = CancelToken()
        timer = threading.Timer(0.1, token.cancel)
        before = bench.toolkit.env_steps()
        timer.start()
        started = time.monotonic()
        try:
            bench.call(*self.long_action, token=token)
        except CancelledCallError:
            bench.toolkit.capture()
        finally:
            timer.cancel()
        assert time.monotonic() - started < 15
        assert bench.toolkit.env_steps() - before < steps
        bench.toolkit.restore(snapshot)

    def _steps_of_long_action(self, bench: Bench, snapshot: bytes) -> int:
        assert self.long_action is not None
        before = bench.toolkit.env_steps()
        bench.call(*self.long_action)
        steps = bench.toolkit.env_steps() - before
        bench.toolkit.restore(snapshot)
        return steps
