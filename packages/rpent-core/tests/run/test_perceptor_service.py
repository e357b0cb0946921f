"""A perceptor with a server of its own: its options, its interpreter, and what run.json says of it."""

import sys
from dataclasses import replace

import pytest
from pydantic import BaseModel, SecretStr
from rpent.errors import UsageError
from rpent.run.manifest import fresh_manifest
from rpent.run.request import RunRequest
from rpent.run.resolve import resolve
from rpent.run.services import service_requests
from rpent.specs import PerceptorSpec, ServiceSpec
from rpent.testing.registry import FakeRegistry, fake_specs


class Served(BaseModel):
    checkpoint: str
    key: SecretStr = SecretStr("")


SERVICE = ServiceSpec(name="perception", factory="nowhere:create", config="seer_for_test:Served")
SEER = PerceptorSpec(name="seer", summary="s", perceptor="nowhere:Seer", service=SERVICE)


@pytest.fixture
def resolved(monkeypatch):
    monkeypatch.setitem(sys.modules, "seer_for_test", sys.modules[__name__])

    def make(service=SERVICE, **changes):
        registry = FakeRegistry({**fake_specs(), "perceptors": {"seer": replace(SEER, service=service)}})
        values = {"perceptor_service_config": {"checkpoint": "c", "key": "hidden"}, **changes}
        request = RunRequest(
            robot="fake", planner="scripted", planner_config={"calls": []}, perceptor="seer", **values
        )
        return resolve(request, registry)

    return make


def test_the_server_gets_its_options_and_an_interpreter_of_its_own(resolved):
    requests = {
        request.spec.name: request for request in service_requests(resolved(env_python=sys.executable))
    }
    assert requests["perception"].config == {"checkpoint": "c", "key": "hidden"}
    assert requests["perception"].python is None
    assert requests["env"].python == sys.executable
    assert "checkpoint" not in requests["env"].config


def test_run_json_holds_them_without_secrets(resolved):
    manifest = fresh_manifest(resolved())
    assert manifest["perceptor"]["service"] == {"checkpoint": "c"}
    assert manifest["request"]["perceptor_service_config"] == {"checkpoint": "c"}


def test_what_its_model_does_not_accept_is_refused(resolved):
    with pytest.raises(UsageError, match="The perceptor `seer` needs `checkpoint`"):
        resolved(perceptor_service_config={})


def test_a_server_that_runs_already_needs_none(resolved):
    found = resolved(perceptor_service_config={}, endpoints={"perception": "inproc://there"}, token="t")
    (request,) = [each for each in service_requests(found) if each.spec.name == "perception"]
    assert (request.endpoint, request.config) == ("inproc://there", {})


def test_a_server_that_others_serve_must_be_named(resolved):
    with pytest.raises(UsageError, match="served by others") as caught:
        resolved(service=replace(SERVICE, factory="", config=""))
    assert "--perception-endpoint" in caught.value.hint
