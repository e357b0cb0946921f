"""Secrets of plugins' options: they are neither shown nor recorded, wherever in a model they are."""

from __future__ import annotations

import json

import pytest
from pydantic import BaseModel, Field, Secret, SecretBytes, SecretStr
from rpent.run.manifest import request_to_json
from rpent.run.request import RunRequest
from rpent.specs import PerceptorSpec, ServiceSpec
from rpent.testing.registry import FakeRegistry, fake_specs
from rpent_dashboard.hosting.plan import public_request
from rpent_dashboard.hosting.secrets import secret_fields, shown_values


class Inner(BaseModel):
    """A part of a model."""

    key: SecretStr = SecretStr("")
    more: list[Inner] = []


class Options(BaseModel):
    """Options with secrets of every kind."""

    plain: str = ""
    parts: list[str] = []
    key: SecretStr = SecretStr("")
    perhaps: SecretStr | None = None
    data: SecretBytes = SecretBytes(b"")
    number: Secret[int] = Secret(0)
    listed: list[SecretStr] = []
    named: dict[str, SecretStr] = {}
    inner: Inner = Inner()
    short: SecretStr = Field(SecretStr(""), alias="s")


def test_every_field_that_holds_a_secret_is_known_by_each_of_its_names():
    assert secret_fields(Options) == {*Options.model_fields, "s"} - {"plain", "parts"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("key", "sk-1"),
        ("s", "sk-1"),
        ("short", "sk-1"),
        ("named", {"a": "sk-1"}),
        ("inner", {"more": [{"key": "sk-1"}]}),
    ],
)
def test_a_secret_is_not_shown(name, value):
    assert shown_values({"plain": "x", name: value}, Options) == {"plain": "x"}


def test_a_secret_of_a_perceptor_s_service_is_not_recorded(module):
    service = ServiceSpec(name="perception", factory="a:b", config=f"{module(Options=Options)}:Options")
    seer = PerceptorSpec(name="seer", summary="", perceptor="a:b", service=service)
    plugins = FakeRegistry({**fake_specs(), "perceptors": {"seer": seer}})
    request = RunRequest(
        robot="fake",
        planner="manual",
        perceptor="seer",
        perceptor_service_config={"plain": "x", "key": "sk-1"},
    )
    public = public_request(request, plugins, request_to_json(request))
    assert "sk-1" not in json.dumps(public)
    assert public["perceptor_service_config"] == {"plain": "x"}
