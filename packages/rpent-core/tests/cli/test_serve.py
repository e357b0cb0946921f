"""`rpent serve`, up to the process that it starts."""

import pytest
from rpent.errors import ExitCode
from rpent.policies.signature import Signature
from rpent.testing.policies.fake import SIGNATURE, make_checkpoint


@pytest.fixture
def served(monkeypatch):
    """What reaches `serve_foreground`."""
    from rpent.services import foreground

    seen = []
    monkeypatch.setattr(
        foreground, "serve_foreground", lambda target, interpreter, **rest: seen.append((target, rest))
    )
    return seen


@pytest.fixture
def checkpoint(tmp_path):
    return make_checkpoint(tmp_path / "checkpoint")


@pytest.fixture
def backend(plugin_site, served):
    """The backend `fake`; nothing is started."""
    plugin_site.add_fake_policy()


@pytest.fixture
def serve(backend, run_cli):
    """`rpent serve` with that backend, over the transport that core has."""
    return lambda *args: run_cli("serve", *args, "--endpoint", "inproc://here")


def test_a_policy_is_served_with_its_options(checkpoint, serve, served):
    result = serve("policy", "--backend", "fake", "--checkpoint", str(checkpoint), "--max-batch", "3")
    assert result.exit_code == 0, result.stderr
    ((target, rest),) = served
    assert (str(target), target.distribution) == ("fake/vla", "rpent-policy-fake")
    assert rest["config"] == {
        "backend": "fake",
        "policy": "rpent.testing.policies.fake:load",
        "config_model": "rpent.testing.policies.fake:FakePolicyConfig",
        "config": {"checkpoint": str(checkpoint), "max_batch": 3},
        "embodiment": None,
        "layout": None,
    }


def test_options_may_come_before_the_target(checkpoint, serve):
    result = serve("--backend", "fake", "policy", "--checkpoint", str(checkpoint))
    assert result.exit_code == 0, result.stderr


def test_help_shows_the_backends_options_under_their_heading(backend, run_cli):
    core, _, own = run_cli("serve", "policy", "--backend", "fake", "--help").stdout.partition(
        "Options of the policy `fake`"
    )
    assert "--embodiment" in core
    assert "--checkpoint" in own
    assert "RPENT_FAKE_SLOW_S" in own
    assert "A backend has options of its own" in run_cli("serve", "policy", "--help").stdout


def test_other_services_do_not_have_the_policys_options(run_cli, plugin_site):
    plugin_site.add_fake_robot()
    assert "--backend [" not in run_cli("serve", "fake/env", "--help").stdout
    assert run_cli("serve", "fake/env", "--backend", "fake").exit_code == ExitCode.USAGE


@pytest.mark.parametrize(
    ("args", "code", "text"),
    [
        (["policy", "--checkpoint", "x"], ExitCode.USAGE, "Missing option '--backend'"),
        (["policy", "--backend", "fake"], ExitCode.USAGE, "Missing option '--checkpoint'"),
        (["policy", "--backend", "fkae"], ExitCode.USAGE, "did you mean `fake`?"),
        (["fake"], ExitCode.USAGE, "rpent serve policy --backend fake"),
        (["policy", "--backend", "fake", "--checkpoint", "/none"], ExitCode.INFRASTRUCTURE, "`/none`"),
        (
            ["policy", "--backend", "fake", "--checkpoint", "{}", "--max-batch", "0"],
            ExitCode.USAGE,
            "--max-batch",
        ),
        (
            ["policy", "--backend", "fake", "--checkpoint", "{}", "--layout", "x"],
            ExitCode.USAGE,
            "--embodiment",
        ),
    ],
)
def test_what_is_wrong_is_one_sentence(checkpoint, serve, args, code, text):
    result = serve(*(arg.format(checkpoint) for arg in args))
    assert result.exit_code == code
    assert text in result.stderr


ROBOT = """
    from rpent.api import ActionField, Embodiment, RobotSpec, hookimpl
    PLUGIN_API = 1
    ARM = Embodiment(
        robot="arm", cameras={"front": "it"}, state={"pose": 3}, control_rate_hz=20.0,
        action={"move": ActionField(length=3), "gripper": ActionField(length=1)},
    )

    @hookimpl
    def rpent_robots():
        yield RobotSpec(name="arm", summary="s", robot="x:y", config="x:z", embodiment="arm_plugin:ARM")
        yield RobotSpec(name="mute", summary="s", robot="x:y", config="x:z")
    """


@pytest.fixture
def arm(plugin_site):
    plugin_site.add(
        "rpent-robot-arm",
        entry_points={"rpent.robots": {"arm": "arm_plugin", "mute": "arm_plugin"}},
        modules={"arm_plugin.py": ROBOT},
    )


def test_a_robot_is_data_for_the_server(arm, checkpoint, serve, served):
    base = ("policy", "--backend", "fake", "--checkpoint", str(checkpoint))
    assert serve(*base, "--embodiment", "arm", "--layout", "native").exit_code == 0
    ((_, rest),) = served
    assert rest["config"]["embodiment"]["robot"] == "arm"
    assert rest["config"]["layout"] == "native"


def test_a_robot_that_says_nothing_cannot_be_served(arm, checkpoint, serve):
    result = serve("policy", "--backend", "fake", "--checkpoint", str(checkpoint), "--embodiment", "mute")
    assert result.exit_code == ExitCode.USAGE
    assert "`mute` does not say what it offers a policy" in result.stderr


def test_one_that_does_not_fit_is_refused_before_anything_starts(arm, tmp_path, serve, served):
    other = Signature.model_validate({**SIGNATURE.model_dump(), "state": {"pose": 9}})
    folder = make_checkpoint(tmp_path / "other", other)
    result = serve("policy", "--backend", "fake", "--checkpoint", str(folder), "--embodiment", "arm")
    assert result.exit_code == ExitCode.INFRASTRUCTURE
    assert "does not fit the robot `arm`" in result.stderr
    assert "state `pose`" in result.stderr
    assert served == []
    assert not served
