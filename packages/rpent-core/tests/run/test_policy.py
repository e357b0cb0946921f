"""The policy of a run, before anything is started, and the check of one that already runs."""

from dataclasses import replace

import pytest
from rpent.errors import ExitCode, PolicyError, UsageError
from rpent.policies.signature import Signature
from rpent.run.manifest import fresh_manifest, request_from_json
from rpent.run.policy import check_served
from rpent.run.request import RunRequest
from rpent.run.resolve import resolve
from rpent.run.services import service_requests
from rpent.testing.fake_robot.robot import SPEC
from rpent.testing.policies.fake import SIGNATURE, make_checkpoint
from rpent.testing.registry import FakeRegistry, fake_specs


@pytest.fixture
def checkpoint(tmp_path):
    return make_checkpoint(tmp_path / "checkpoint")


@pytest.fixture
def wanted(checkpoint):
    def make(**changes):
        values = {"policy": "fake", "policy_config": {"checkpoint": str(checkpoint)}, **changes}
        return RunRequest(robot="fake", planner="scripted", planner_config={"calls": []}, **values)

    return make


def test_the_policy_server_is_one_of_the_services(wanted, checkpoint):
    resolved = resolve(wanted(env_python=None), FakeRegistry())
    requests = {request.spec.name: request for request in service_requests(resolved)}
    assert set(requests) == {"env", "vla"}
    vla = requests["vla"]
    assert vla.spec.factory == "rpent.policies.server:create"
    assert vla.config["config"] == {"checkpoint": str(checkpoint)}
    assert vla.config["embodiment"]["robot"] == "fake"
    assert (vla.identity, vla.version) == (None, None)


def test_each_service_has_its_own_interpreter(wanted, tmp_path):
    import sys

    other = tmp_path / "python"
    other.symlink_to(sys.executable)
    resolved = resolve(wanted(env_python=sys.executable, pythons={"vla": str(other)}), FakeRegistry())
    pythons = {request.spec.name: request.python for request in service_requests(resolved)}
    assert pythons == {"env": sys.executable, "vla": str(other)}
    with pytest.raises(UsageError, match="`--policy-python /no/python` is not an executable file"):
        resolve(wanted(pythons={"vla": "/no/python"}), FakeRegistry())


def test_run_json_says_which_policy_and_starts_the_same_again(wanted, checkpoint):
    resolved = resolve(wanted(policy_layout="front"), FakeRegistry())
    manifest = fresh_manifest(resolved)
    assert manifest["policy"]["name"] == "fake"
    assert manifest["policy"]["config"]["checkpoint"] == str(checkpoint)
    assert manifest["policy"]["layout"] == "front"
    again = request_from_json(manifest["request"])
    assert (again.policy, again.policy_config, again.policy_layout) == (
        "fake",
        {"checkpoint": str(checkpoint)},
        "front",
    )


def test_without_a_policy_run_json_says_none(wanted):
    resolved = resolve(wanted(policy=None, policy_config={}), FakeRegistry())
    assert fresh_manifest(resolved)["policy"] is None
    assert [request.spec.name for request in service_requests(resolved)] == ["env"]


def test_one_that_does_not_fit_is_refused_before_anything_starts(wanted, tmp_path):
    other = Signature.model_validate({**SIGNATURE.model_dump(), "action": {"move": 3, "gripper": 2}})
    folder = make_checkpoint(tmp_path / "other", other)
    with pytest.raises(PolicyError, match="does not fit the robot `fake`") as caught:
        resolve(wanted(policy_config={"checkpoint": str(folder)}), FakeRegistry())
    assert "action" in caught.value.hint
    assert caught.value.exit_code == ExitCode.INFRASTRUCTURE


def test_a_checkpoint_that_is_not_there_is_refused(wanted):
    with pytest.raises(PolicyError, match="`/no/such`") as caught:
        resolve(wanted(policy_config={"checkpoint": "/no/such"}), FakeRegistry())
    assert "\n" not in caught.value.message


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"endpoints": {"vla": "inproc://there"}, "token": "t"}, "`--vla-endpoint` attaches to one"),
        ({"policy_layout": "sideways"}, "no layout `sideways`"),
        ({"policy_config": {}}, "needs `checkpoint`"),
    ],
)
def test_wrong_usage(wanted, changes, text):
    with pytest.raises(UsageError, match=text):
        resolve(wanted(**changes), FakeRegistry())


@pytest.mark.parametrize(
    ("robot", "text"),
    [
        ({"embodiment": ""}, "does not say what it offers a policy"),
        ({"services": SPEC.services[:1]}, "has no tools that use a policy"),
    ],
)
def test_a_robot_that_cannot_be_driven(wanted, robot, text):
    registry = FakeRegistry({**fake_specs(), "robots": {"fake": replace(SPEC, **robot)}})
    with pytest.raises(UsageError, match=text):
        resolve(wanted(), registry)


class Channel:
    """A policy server's answers."""

    def __init__(self, described):
        self.described = described

    @property
    def info(self):
        class Info:
            methods = {} if self.described is None else {"describe": None}

        return Info

    def call(self, method):
        assert method == "describe"
        return self.described


def test_one_that_is_attached_must_drive_the_runs_robot(wanted):
    resolved = resolve(
        wanted(policy=None, policy_config={}, endpoints={"vla": "inproc://there"}, token="t"), FakeRegistry()
    )
    served = check_served(
        resolved, Channel({"robot": "fake", "backend": "x", "layout": "front", "facts": {}}), owned=False
    )
    assert served == {"backend": "x", "layout": "front"}
    for described, text in (
        ({"robot": "libero", "backend": "x"}, "drives the robot `libero`; this run needs one for `fake`"),
        ({"robot": None, "backend": "x"}, "serves no robot; this run needs one for `fake`"),
        (None, "does not say which robot it drives"),
    ):
        with pytest.raises(PolicyError, match=text) as caught:
            check_served(resolved, Channel(described), owned=False)
        assert "--embodiment fake" in caught.value.hint
