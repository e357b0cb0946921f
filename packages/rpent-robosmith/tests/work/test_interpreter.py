"""Which interpreter a job gets, and what is said where none will do."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from rpent.environments.paths import CACHE_VARIABLE
from rpent.errors import EnvironmentSetupError, UsageError
from rpent.specs import EnvironmentSpec
from rpent_robosmith.environments import ROBOSMITH
from rpent_robosmith.work.api import Job
from rpent_robosmith.work.interpreter import interpreter_for, missing

ABSENT = EnvironmentSpec(name="absent", probe="no_such_library", extra="absent")


@pytest.fixture
def nothing_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))


def test_a_job_without_environments_runs_here() -> None:
    assert interpreter_for(Job(run="x:y", params={})).python == sys.executable


@pytest.mark.usefixtures("nothing_is_built")
def test_a_job_runs_here_when_all_that_it_needs_is_here() -> None:
    job = Job(run="x:y", params={}, environments=(ABSENT,), needs=("gymnasium", "numpy"))
    assert interpreter_for(job).python == sys.executable
    assert missing(("gymnasium",), (ABSENT,)) == []


@pytest.mark.usefixtures("nothing_is_built")
def test_what_is_missing_is_named_with_the_commands_that_bring_it() -> None:
    with pytest.raises(EnvironmentSetupError) as caught:
        interpreter_for(Job(run="x:y", params={}, environments=(ABSENT,)))
    assert "no `no_such_library`, and the environment `absent` is not set up" in caught.value.message
    assert caught.value.hint == 'rpent env sync absent or pip install "rpent-robosmith[absent]"'
    assert missing(("no_such_library", "numpy"), (ABSENT,)) == ["no_such_library"]


def test_what_is_missing_without_an_environment_is_named_as_well() -> None:
    with pytest.raises(EnvironmentSetupError, match="This interpreter has no `no_such_library`"):
        interpreter_for(Job(run="x:y", params={}, needs=("no_such_library",)))


def test_the_chosen_interpreter_must_have_what_is_needed() -> None:
    with pytest.raises(EnvironmentSetupError, match="lacks `no_such_library`"):
        interpreter_for(Job(run="x:y", params={}, needs=("no_such_library",)), python=sys.executable)
    with pytest.raises(UsageError, match="`--python /no/such/python` is not an executable file"):
        interpreter_for(Job(run="x:y", params={}), python="/no/such/python")


@pytest.mark.models
def test_the_managed_environment_is_taken_when_it_is_built(robosmith_python: str) -> None:
    found = interpreter_for(
        Job(run="x:y", params={}, environments=(ABSENT, ROBOSMITH), needs=("stable_baselines3",))
    )
    assert found.python == robosmith_python
    assert missing(("stable_baselines3", "sb3_contrib"), (ROBOSMITH,)) == []
    assert missing(("no_such_library",), python=robosmith_python) == ["no_such_library"]
