"""Secrets of plugins' options: in no record and no error, wherever in a model they are."""

from __future__ import annotations

import json

import pytest
from pydantic import BaseModel, Field, Secret, SecretBytes, SecretStr
from rpent.config import build_config
from rpent.errors import UsageError
from rpent.run.manifest import public_values
from rpent.secret_fields import secret_fields


class Inner(BaseModel):
    """A part of a model."""

    key: SecretStr = SecretStr("")
    more: list[Inner] = []


class Options(BaseModel):
    """Options with secrets of every kind."""

    plain: str = ""
    parts: list[str] = []
    key: SecretStr = Field(SecretStr("x" * 20), min_length=20)
    perhaps: SecretStr | None = None
    data: SecretBytes = SecretBytes(b"")
    number: Secret[int] = Secret(0)
    listed: list[SecretStr] = []
    named: dict[str, SecretStr] = {}
    inner: Inner = Inner()
    short: SecretStr = Field(SecretStr(""), alias="s")


def test_every_field_that_holds_a_secret_is_known_by_each_of_its_names():
    assert secret_fields(Options) == {*Options.model_fields, "s"} - {"plain", "parts"}


def test_a_record_has_the_rest():
    options = Options(plain="x", key="sk-1" + "x" * 20, named={"a": "sk-2"}, inner={"key": "sk-3"})
    assert public_values(options) == {"plain": "x", "parts": []}
    assert "sk-" not in json.dumps(public_values(options))


@pytest.mark.parametrize(
    "values",
    [
        {"key": "sk-1"},
        {"named": "sk-1"},
        {"inner": {"key": ["sk-1"]}},
        {"inner": "sk-1"},
        {"s": {"a": "sk-1"}},
    ],
)
def test_an_error_does_not_repeat_one(values):
    with pytest.raises(UsageError) as caught:
        build_config(Options, values, what="planner `x`")
    assert "sk-1" not in caught.value.message
    assert caught.value.message.startswith(f"`{next(iter(values))}`: ")


def test_an_error_repeats_what_is_none():
    with pytest.raises(UsageError, match="`parts` is `5`"):
        build_config(Options, {"parts": 5}, what="planner `x`")
