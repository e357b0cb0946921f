"""Addresses of model servers: refused when no client could use them, or when they hold a secret."""

import pytest
from rpent.config import build_config
from rpent.errors import UsageError
from rpent.planners.config import ModelConfig
from rpent.planners.faults import model_error


@pytest.mark.parametrize(
    "address",
    ["http://127.0.0.1:8000/v1", "https://models.example/v1/", "http://[::1]:11434", "http://gpu-box/a%20b"],
)
def test_what_a_client_can_use(address):
    assert build_config(ModelConfig, {"base_url": address}, what="planner").base_url == address


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1:8000/v1",
        "ftp://models.example",
        "http://",
        "http://[::1/v1",
        "http://models.example:99999",
        "http://models.example:http",
        "http://models .example",
        "http://models.example/\x1b[2J",
        "http://models.example/v1\n",
    ],
)
def test_what_no_client_can_use(address):
    with pytest.raises(
        UsageError, match=r"`--base-url`: An address is|`--base-url`: an address is"
    ) as caught:
        build_config(ModelConfig, {"base_url": address}, what="planner", names={"base_url": "--base-url"})
    assert "\x1b" not in caught.value.message


@pytest.mark.parametrize(
    "address",
    [
        "http://me:hunter2@models.example/v1",
        "http://me@h/v1",
        "https://h/v1?key=hunter2",
        "https://h/v1#hunter2",
    ],
)
def test_a_secret_in_an_address_is_refused_and_not_repeated(address):
    with pytest.raises(UsageError, match="would show them") as caught:
        build_config(ModelConfig, {"base_url": address}, what="planner")
    assert "hunter2" not in caught.value.message


def test_a_message_shows_no_secret_of_an_address_from_elsewhere():
    error = model_error(
        "unreachable", planner="api", base_url="http://me:hunter2@models.example/v1?key=hunter2"
    )
    assert error.message == "The server at `http://models.example/v1` cannot be reached."
