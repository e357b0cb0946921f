"""What environment variables name is looked at without loading it."""

import sys
from types import ModuleType

import pytest
from pydantic import BaseModel
from rpent.doctor import checkpoints
from rpent.errors import PolicyError
from rpent.policies.api import PolicyConfig, Signature
from rpent.specs import PerceptorSpec, PolicySpec, ServiceSpec


class Config(PolicyConfig):
    tokenizer: str | None = None
    settings: dict[str, int] = {}  # noqa: RUF012
    steps: int = 1


class Eyes(BaseModel):
    checkpoint: str


@pytest.fixture
def seen(monkeypatch):
    """A backend in a module of its own; it lacks a tokenizer unless one is named."""
    configs = []

    def signature(config):
        configs.append(config)
        if config.tokenizer is None:
            raise PolicyError("The checkpoint has no tokenizer.", hint="Give one with `--tokenizer FOLDER`.")
        return Signature(family="tiny", cameras={}, state={"s": 1}, action={"a": 1}, parameters=1200)

    def look(config):
        raise PolicyError(f"The folder `{config.checkpoint}` has no weights.")

    module = ModuleType("tiny_backend")
    module.signature, module.Config, module.Eyes, module.look = signature, Config, Eyes, look
    monkeypatch.setitem(sys.modules, "tiny_backend", module)
    return configs


POLICY = PolicySpec(
    name="tiny-er",
    summary="",
    policy="",
    config="tiny_backend:Config",
    signature="tiny_backend:signature",
)
PERCEPTOR = PerceptorSpec(
    name="eyes",
    summary="",
    perceptor="",
    service=ServiceSpec(name="perception", config="tiny_backend:Eyes", check="tiny_backend:look"),
)


def test_without_the_variable_there_is_nothing_to_check(seen, monkeypatch):
    monkeypatch.delenv("RPENT_TINY_ER_CHECKPOINT", raising=False)
    found = checkpoints.check_policy(POLICY)
    assert (found.status, seen) == ("skip", [])
    assert "`RPENT_TINY_ER_CHECKPOINT`" in found.message


def test_what_is_missing_comes_with_what_mends_it(seen, monkeypatch):
    monkeypatch.setenv("RPENT_TINY_ER_CHECKPOINT", "/models/tiny")
    found = checkpoints.check_policy(POLICY)
    assert found.status == "fail"
    assert found.message == "RPENT_TINY_ER_CHECKPOINT: The checkpoint has no tokenizer."
    assert found.remedy == (
        "Give one with `--tokenizer FOLDER`. Then: rpent policy inspect /models/tiny --backend tiny-er"
    )


def test_other_options_come_from_their_variables_too(seen, monkeypatch):
    for field, value in {"CHECKPOINT": "/m", "TOKENIZER": "/t", "SETTINGS": '{"x": 3}', "STEPS": "4"}.items():
        monkeypatch.setenv(f"RPENT_TINY_ER_{field}", value)
    found = checkpoints.check_policy(POLICY)
    assert (found.status, found.message) == ("ok", "`/m`: tiny, 1,200 parameters.")
    assert (seen[0].tokenizer, seen[0].settings, seen[0].steps) == ("/t", {"x": 3}, 4)


def test_a_value_that_is_not_accepted_names_its_variable(seen, monkeypatch):
    monkeypatch.setenv("RPENT_TINY_ER_CHECKPOINT", "/m")
    monkeypatch.setenv("RPENT_TINY_ER_STEPS", "many")
    found = checkpoints.check_policy(POLICY)
    assert found.status == "fail"
    assert "RPENT_TINY_ER_STEPS" in found.message


def test_a_perceptor_looks_at_its_own(seen, monkeypatch):
    monkeypatch.setenv("RPENT_EYES_CHECKPOINT", "/eyes")
    found = checkpoints.check_perceptor(PERCEPTOR)
    assert found.message == "RPENT_EYES_CHECKPOINT: The folder `/eyes` has no weights."
    assert found.remedy == "export RPENT_EYES_CHECKPOINT=FOLDER"
