"""Options of a policy and of a perceptor's server in `rpent run`, up to the request."""

import pytest
from rpent.errors import ExitCode

ROBOT = """
    from rpent.api import RobotSpec, ServiceSpec, hookimpl
    PLUGIN_API = 1

    @hookimpl
    def rpent_robots():
        yield RobotSpec(
            name="arm", summary="s", robot="arm_plugin:Robot", config="arm_plugin:Config",
            services=(ServiceSpec(name="vla", optional=True),),
        )

    def __getattr__(name):
        from pydantic import BaseModel

        class Config(BaseModel):
            layout: str = "left"

        if name == "Config":
            return Config
        raise AttributeError(name)
    """
PERCEPTOR = """
    from rpent.api import PerceptorSpec, ServiceSpec, hookimpl
    PLUGIN_API = 1
    SERVICE = ServiceSpec(name="perception", factory="seer_plugin:create", config="seer_plugin:Served")

    @hookimpl
    def rpent_perceptors():
        yield PerceptorSpec(
            name="seer", summary="s", perceptor="seer_plugin:Seer", config="seer_plugin:Config", service=SERVICE
        )

    def __getattr__(name):
        from pydantic import BaseModel, Field

        class Served(BaseModel):
            checkpoint: str = Field(description="Where it is.")
            sharpness: int = Field(1, ge=1)
            words: int = 5

        class Config(BaseModel):
            words: int = 3

        if name in ("Served", "Config"):
            return {"Served": Served, "Config": Config}[name]
        raise AttributeError(name)
    """


@pytest.fixture(autouse=True)
def plugins(plugin_site):
    plugin_site.add(
        "rpent-robot-arm",
        entry_points={"rpent.robots": {"arm": "arm_plugin"}},
        modules={"arm_plugin.py": ROBOT},
    )
    plugin_site.add(
        "rpent-perception-seer",
        entry_points={"rpent.perceptors": {"seer": "seer_plugin"}},
        modules={"seer_plugin.py": PERCEPTOR},
    )
    plugin_site.add_fake_policy()


@pytest.fixture
def requests(monkeypatch):
    """What reaches `rpent.run.execute`."""
    import rpent.run

    seen = []

    class Ended:
        exit_code = ExitCode.SUCCESS

    def execute(request, **_):
        seen.append(request)
        return Ended()

    monkeypatch.setattr(rpent.run, "execute", execute)
    return seen


RUN = ("run", "--robot", "arm", "--planner", "replay", "--recipe", "x")


def test_the_help_of_a_run_names_the_backends_and_imports_none(run_cli, plugin_site):
    plugin_site.add(
        "rpent-policy-broken",
        entry_points={"rpent.policies": {"broken": "policy_broken"}},
        modules={"policy_broken.py": "raise RuntimeError('imported')"},
    )
    text = "".join(run_cli("run", "--help").stdout.split())
    assert "--policy[" in text
    assert "broken|" in text
    assert "--checkpoint" not in text


def test_a_policys_options_stand_under_their_own_heading(run_cli):
    text = run_cli("run", "--robot", "arm", "--planner", "replay", "--policy", "fake", "--help").stdout
    core, _, own = text.partition("Options of the policy `fake`")
    assert "--checkpoint" not in core
    assert all(option in own for option in ("--checkpoint", "--slow-s", "--policy-layout", "--policy-python"))
    assert "--policy-python" not in run_cli("run", "--help").stdout


def test_the_request_holds_the_policy(run_cli, requests):
    result = run_cli(
        *(*RUN, "--layout", "right", "--policy", "fake", "--checkpoint", "c", "--max-batch", "2"),
        *("--policy-layout", "native", "--policy-python", "/py"),
    )
    assert result.exit_code == 0, result.stderr
    (request,) = requests
    assert request.policy == "fake"
    assert request.policy_config == {"checkpoint": "c", "max_batch": 2}
    assert (request.policy_layout, request.robot_config) == ("native", {"layout": "right"})
    assert (request.pythons, request.env_python) == ({"vla": "/py"}, None)


def test_a_perceptors_server_has_its_options(run_cli, requests):
    result = run_cli(
        *(*RUN, "--perceptor", "seer", "--checkpoint", "c", "--words", "1", "--perception-words", "2"),
        *("--perception-python", "/py"),
    )
    assert result.exit_code == 0, result.stderr
    (request,) = requests
    assert request.perceptor_config == {"words": 1}
    assert request.perceptor_service_config == {"checkpoint": "c", "words": 2}
    assert request.pythons == {"perception": "/py"}


def test_beside_a_policy_its_checkpoint_has_a_name_of_its_own(run_cli, requests):
    result = run_cli(
        *(*RUN, "--policy", "fake", "--checkpoint", "p"),
        *("--perceptor", "seer", "--perception-checkpoint", "s"),
    )
    assert result.exit_code == 0, result.stderr
    (request,) = requests
    assert request.policy_config == {"checkpoint": "p"}
    assert request.perceptor_service_config == {"checkpoint": "s"}


def test_what_the_environment_says_counts_for_serving_too(run_cli, requests):
    result = run_cli(*RUN, "--perceptor", "seer", env={"RPENT_SEER_CHECKPOINT": "from-env"})
    assert result.exit_code == 0, result.stderr
    assert requests[0].perceptor_service_config == {"checkpoint": "from-env"}
    assert "RPENT_SEER_CHECKPOINT" in run_cli("serve", "seer", "--help").stdout


def test_a_perception_server_that_runs_already_needs_no_options(run_cli, requests):
    result = run_cli(*RUN, "--perceptor", "seer", "--perception-endpoint", "127.0.0.1:9", "--token", "t")
    assert result.exit_code == 0, result.stderr
    assert requests[0].endpoints == {"perception": "127.0.0.1:9"}


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (["--policy", "fake"], "Missing option '--checkpoint'"),
        (["--policy", "fkae"], "did you mean `fake`?"),
        (["--checkpoint", "c"], "`--checkpoint` is an option of a policy; name one with `--policy NAME`."),
        (["--checkpiont", "c"], "No such option '--checkpiont'"),
        (["--perceptor", "seer"], "The perceptor `seer` needs `--checkpoint`."),
        (["--perceptor", "seer", "--checkpoint", "c", "--sharpness", "0"], "--sharpness"),
    ],
)
def test_wrong_usage_is_one_sentence(run_cli, requests, args, text):
    result = run_cli(*RUN, *args)
    assert result.exit_code == ExitCode.USAGE
    assert text in result.stderr
    assert requests == []
