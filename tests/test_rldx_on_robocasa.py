"""RLDX-1's protocol and RoboCasa, end to end: what its server is asked with is what the robot saw at just those steps.

The server speaks the real one's protocol and checks what it is asked as strictly; it knows nothing and solves nothing.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from rpent.env.client import EnvClient
from rpent.errors import ExitCode
from rpent.policies.adapter import Adapter
from rpent.policies.fit import fit
from rpent.policies.observe import state_fields
from rpent.run import RunRequest, execute
from rpent.runs.directory import RunDirectory
from rpent.runs.events import read_events
from rpent.services.request import ServiceRequest
from rpent.services.supervisor import Supervisor
from rpent.testing import LocalChannel
from rpent.testing.registry import FakeRegistry
from rpent_policy_rldx.config import RldxConfig
from rpent_policy_rldx.signature import signature
from rpent_policy_rldx.testing import ROBOCASA as CHECKPOINT
from rpent_policy_rldx.testing import LocalRldxServer
from rpent_robot_robocasa.config import EnvServerConfig
from rpent_robot_robocasa.embodiment import ROBOCASA
from rpent_robot_robocasa.plugin import ENV, rpent_robots
from rpent_robot_robocasa.testing import fake_kitchen

TASK, SEED = "PickPlaceCounterToSink", 1
PROMPT = "Pick the thing from the counter and place it in the sink."
CHUNK, VIDEO = 8, (-6, -4, -2, 0)
SKILLS = (("rldx_skill", 2), ("rldx_skill", 1), ("set_gripper", 0), ("rldx_skill", 2))
"""Tool and chunks: the second goes on with the first one's memory, the last one begins anew."""
CALLS = [
    *(
        (tool, {"prompt": PROMPT, "max_chunks": chunks} if chunks else {"gripper": "open"})
        for tool, chunks in SKILLS
    ),
    ("finish", {"status": "stuck", "summary": "It knows nothing."}),
]


class Run:
    """A run over an RLDX server, and the robot's own view of what happened."""

    def __init__(self, tmp_path, registry) -> None:
        with LocalRldxServer(CHECKPOINT) as server:
            self.model = server.model
            server.model.memory["somebody else's"] = 1
            found = signature(RldxConfig(checkpoint=server.uri))
            request = RunRequest(
                robot="robocasa",
                robot_config={"task_name": TASK, "seed": SEED},
                planner="scripted",
                planner_config={"calls": CALLS},
                policy="rldx",
                policy_config={"checkpoint": server.uri},
                output_dir=tmp_path / "runs",
                progress="quiet",
                record_video=False,
            )
            self.outcome = execute(request, registry=registry)
        self.events = list(read_events(self.outcome.run_dir / "events.jsonl"))
        self.adapter = Adapter(found, ROBOCASA, fit(found, ROBOCASA).layout)
        asked = [
            each for each in self.model.observations if each["language"][CHECKPOINT.language] == [[PROMPT]]
        ]
        answers = self.model.answers[-len(asked) :]
        self.asked, self.options = asked, self.model.options[-len(asked) :]
        self.actions = [self._rows(answer)[:CHUNK] for answer in answers]

    def _rows(self, answer):
        parts = [answer[name][0] for name in self.adapter._signature.action]
        return self.adapter.robot_actions(np.concatenate(parts, axis=-1))

    def returned(self, name):
        return [event for event in self.events if event.type == "tool_returned" and event.name == name]

    def shown(self, observation):
        """Return what the policy is shown of an observation."""
        state = state_fields(observation, self.adapter.state_fields())
        return self.adapter.request_parts({"images": observation.images, "state": state})

    def replayed(self, env):
        """Step through the first three chunks one by one; yields for each question what was to be seen at its steps."""
        cameras = self.adapter.cameras()
        wanted = {CHUNK * question + ago for question in range(3) for ago in VIDEO}
        seen = {0: self.shown(env.observe(list(cameras), size=256))}
        for step, action in enumerate(np.concatenate(self.actions[:2]), 1):
            env.step(action)
            if step in wanted:
                seen[step] = self.shown(env.observe(list(cameras), size=256))
        for question in range(3):
            yield [seen[max(0, CHUNK * question + ago)] for ago in VIDEO]


def check_frames(run, env):
    for number, (asked, frames) in enumerate(zip(run.asked, run.replayed(env), strict=False)):
        for name in CHECKPOINT.video:
            assert asked["video"][name].shape == (1, len(VIDEO), 256, 256, 3)
            for position, (pictures, _) in enumerate(frames):
                np.testing.assert_array_equal(
                    asked["video"][name][0, position], pictures[name], err_msg=f"{name}, question {number}"
                )
        for name, length in CHECKPOINT.state.items():
            assert asked["state"][name].shape == (1, 1, length)
            assert asked["state"][name].dtype == np.float32
            np.testing.assert_array_equal(asked["state"][name][0, 0], frames[-1][1][name])
    second = run.asked[1]["video"]["robot0_agentview_left"][0]
    assert len({frame.tobytes() for frame in second}) == len(VIDEO), "four different moments"


def check_run(run):
    assert run.outcome.exit_code != ExitCode.INFRASTRUCTURE, run.outcome.detail
    manifest = RunDirectory(run.outcome.run_dir).read_manifest()["policy"]["served"]
    assert (manifest["backend"], manifest["layout"], manifest["execute_steps"]) == ("rldx", "rldx", CHUNK)
    skills = [event.data for event in run.returned("rldx_skill")]
    assert [each["status"] for each in skills] == ["cap"] * 3
    assert [each["steps_applied"] for each in skills] == [16, 8, 16]
    assert {each["history"] for each in skills} == {"exact"}
    assert len(run.asked) == 5
    (first,), (last,) = run.options[0]["session_ids"], run.options[-1]["session_ids"]
    assert [each["session_ids"] for each in run.options] == [[first]] * 3 + [[last]] * 2
    assert [each["reset_memory"] for each in run.options] == [[True], [False], [False], [True], [False]]
    assert first != last
    beginning = run.asked[3]["video"]["robot0_agentview_left"][0]
    assert len({frame.tobytes() for frame in beginning}) == 1, "a motion was between: a fresh history"
    assert [first] in run.model.cleared, "before the last one began"
    assert [last] in run.model.cleared, "when the run ended"
    assert None not in run.model.cleared, "nobody else is forgotten"
    assert run.model.memory["somebody else's"] == 1


def stand_in():
    (robot,) = rpent_robots()
    env = replace(ENV, factory="rpent_robot_robocasa.testing.fake_kitchen:create", environment=None)
    services = (env, *(service for service in robot.services if service.name != "env"))
    return FakeRegistry(
        {
            "robots": {"robocasa": replace(robot, services=services, perceptor=None)},
            "planners": {"scripted": FakeRegistry().get("planners", "scripted")},
        }
    )


def test_over_a_stand_in_for_the_simulator(tmp_path):
    run = Run(tmp_path, stand_in())
    check_run(run)
    kitchen = fake_kitchen.FakeKitchen(EnvServerConfig(task_name=TASK, seed=SEED))
    check_frames(run, EnvClient(LocalChannel(fake_kitchen.facade(kitchen))))


@pytest.mark.sim
def test_over_the_real_simulator(tmp_path):
    from rpent.environments.catalog import declared_environment
    from rpent_robot_robocasa.testing.installed import require_simulator

    require_simulator()
    run = Run(tmp_path, FakeRegistry())
    check_run(run)
    request = ServiceRequest(
        spec=ENV,
        config={"task_name": TASK, "seed": SEED},
        python=str(declared_environment("robocasa").managed.python),
        distribution="rpent-robot-robocasa",
    )
    supervisor = Supervisor(logs_dir=tmp_path / "logs", on_event=lambda _: None)
    supervisor.start([request])
    try:
        check_frames(run, EnvClient(supervisor.channels["env"]))
    finally:
        supervisor.stop()
