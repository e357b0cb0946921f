"""Environments that several distributions share, and services that can run in one of several."""

import subprocess
import sys
from types import SimpleNamespace

import pytest
from rpent.environments.catalog import declared_environments, environments_in
from rpent.environments.interpreter import choose
from rpent.environments.managed import ManagedEnvironment
from rpent.specs import EnvironmentSpec, PolicySpec, ServiceSpec

FIRST = EnvironmentSpec(name="first", probe="no_such_module")
SECOND = EnvironmentSpec(name="second", probe="no_such_module")


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RPENT_CACHE_DIR", str(tmp_path / "cache"))


def build(spec, distribution="rpent-core"):
    managed = ManagedEnvironment(spec, distribution=distribution)
    managed.python.parent.mkdir(parents=True)
    managed.python.symlink_to(sys.executable)
    managed._write_record(1.0)
    return managed


def entry(distribution, name):
    return SimpleNamespace(distribution=distribution, name=name, kind="policies")


def policy(name, *environments):
    return PolicySpec(name=name, summary="", policy="", config="", environments=environments)


def test_the_first_environment_that_is_built_runs_a_service():
    second = build(SECOND)
    chosen = choose(FIRST, alternatives=(SECOND,), python=None, distribution="rpent-core")
    assert chosen.python == str(second.python)
    first = build(FIRST)
    chosen = choose(FIRST, alternatives=(SECOND,), python=None, distribution="rpent-core")
    assert chosen.python == str(first.python)


def test_a_policy_runs_in_any_of_its_environments():
    service = policy("p", FIRST, SECOND).service
    assert (service.environment, service.alternatives) == (FIRST, (SECOND,))
    assert not service.starts_alone


def test_the_catalogue_knows_who_shares_an_environment():
    found = environments_in(
        [
            (entry("rpent-a", "a"), policy("a", FIRST, SECOND)),
            (entry("rpent-b", "b"), policy("b", FIRST)),
            (entry("rpent-b", "c"), policy("c", FIRST)),
        ]
    )
    assert list(found) == ["first", "second"]
    assert (found["first"].distribution, found["first"].sharing) == ("rpent-a", ("rpent-b",))
    assert found["first"].default
    assert not found["first"].startable
    assert not found["second"].default


def test_the_distribution_that_ships_an_environment_is_its_own():
    shipped = EnvironmentSpec(name="shipped", lock="rpent_b_c:locks/shipped.txt")
    names = ("rpent-a", "Rpent.B_C", "rpent-d")
    found = environments_in([(entry(name, name), policy(name, shipped)) for name in names])["shipped"]
    assert (found.distribution, found.owner) == ("Rpent.B_C", "Rpent.B_C")
    assert found.sharing == ("rpent-a", "rpent-d")


def test_the_service_of_a_robot_can_be_tried():
    service = ServiceSpec(name="env", environment=FIRST)
    robot = SimpleNamespace(services=(service,))
    found = environments_in([(entry("rpent-a", "p"), policy("p")), (entry("rpent-b", "r"), robot)])
    assert found["first"].startable


@pytest.mark.parametrize("distribution", ["rpent-policy-pi0", "rpent-perception-sam3"])
def test_the_distribution_of_the_service_that_runs_is_linked(distribution):
    declared = declared_environments()["transformers"]
    assert {declared.distribution, *declared.sharing} >= {"rpent-policy-pi0", "rpent-perception-sam3"}
    build(declared.spec)
    chosen = choose(declared.spec, python=None, distribution=distribution)
    module = distribution.replace("-", "_")
    code = f"import importlib.metadata as m; import {module}; print(m.version({distribution!r}))"
    ended = subprocess.run(
        [chosen.python, "-c", code], env=chosen.environ(), capture_output=True, text=True, check=True
    )
    assert ended.stdout.strip()
