"""An SDK that is missing, outdated or broken: one sentence and the command."""

from importlib import metadata

import pytest
from rpent.planners import sdk
from rpent.planners.faults import ModelError


@pytest.fixture
def plugin(monkeypatch):
    """A planner's distribution that asks for pytest as its SDK."""

    def asks_for(*lines):
        monkeypatch.setattr(
            metadata, "requires", lambda name: list(lines) if name == "rpent-planner-x" else []
        )

    return asks_for


def check(distribution="pytest"):
    return sdk.require_sdk(distribution, planner="x", plugin="rpent-planner-x")


def test_an_sdk_that_is_new_enough(plugin):
    plugin("rpent-core>=0.1", "pytest[dev]>=1")
    assert check() == metadata.version("pytest")


def test_an_outdated_sdk(plugin):
    plugin("pytest[dev]>=999")
    with pytest.raises(ModelError) as caught:
        check()
    assert caught.value.fault == "sdk"
    assert caught.value.message == (
        f"The planner `x` needs `pytest` >=999; {metadata.version('pytest')} is installed."
    )
    assert 'pip install -U "pytest[dev]>=999"' in caught.value.hint


def test_a_missing_sdk(plugin):
    plugin("No_Such.SDK==3")
    with pytest.raises(ModelError, match="needs `no-such-sdk`, which is not installed"):
        check("no-such-sdk")


def test_an_extras_requirement_counts_where_there_is_no_other(plugin):
    plugin('pytest>=999; extra == "all"', "pytest>=1")
    assert check()
    plugin('pytest>=999; extra == "all"')
    with pytest.raises(ModelError):
        check()


def test_an_import_error_is_one_sentence(plugin):
    plugin("pytest>=1")
    with (
        pytest.raises(ModelError, match="needs `pytest`, which cannot be imported: no name"),
        sdk.importing_sdk("pytest", planner="x", plugin="rpent-planner-x"),
    ):
        raise ImportError("no name")
