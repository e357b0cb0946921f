"""Secrets of plugins' options: they are neither shown nor recorded, wherever in a model they are."""

from __future__ import annotations

import json

import pytest
from pydantic import BaseModel, Field, SecretStr
from rpent.run.manifest import request_to_json
from rpent.run.request import RunRequest
from rpent.specs import PerceptorSpec, ServiceSpec
from rpent.testing.registry import FakeRegistry, fake_specs
from rpent_dashboard.hosting.accepting import public_request
from rpent_dashboard.hosting.secrets import shown_values


class Inner(BaseModel):
    """A part of a model."""

    key: SecretStr = SecretStr("")


class Options(BaseModel):
    """Options, some of them secret."""

    plain: str = ""
    key: SecretStr = SecretStr("")
    named: dict[str, SecretStr] = {}
    inner: Inner = Inner()
    short: SecretStr = Field(SecretStr(""), alias="s")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("key", "sk-1"),
        ("s", "sk-1"),
        ("short", "sk-1"),
        ("named", {"a": "sk-1"}),
        ("inner", {"key": "sk-1"}),
        ("plain", SecretStr("sk-1")),
    ],
)
def test_a_secret_is_not_shown(name, value):
    assert shown_values({"other": "x", name: value}, Options) == {"other": "x"}


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
