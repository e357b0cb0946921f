"""The installed catalogs together, and names of environments."""

from __future__ import annotations

import pytest
from rpent.errors import UsageError
from rpent_robosmith.catalog import load
from rpent_robosmith.catalog.load import catalogs, entries, find


def test_every_catalog_of_the_distribution_is_whole():
    assert {catalog.name for catalog in catalogs()} >= {"gymnasium", "gymnasium-robotics", "robosuite"}
    assert [failure for catalog in catalogs() for failure in catalog.failures] == []
    assert len(entries()) == sum(len(catalog.entries) for catalog in catalogs())


def test_a_catalog_id_is_found():
    assert find("pendulum").env_id == "Pendulum-v1"


def test_a_gymnasium_id_of_a_catalog_is_that_entry():
    assert find("Pendulum-v1") is find("pendulum")
    assert find("LunarLander-v3").id == "lunar-lander"


def test_another_gymnasium_id_declares_nothing():
    entry = find("my_package:Fancy/Thing-v7")
    assert (entry.id, entry.env_id, entry.adapter) == (
        "my-package-fancy-thing-v7",
        "my_package:Fancy/Thing-v7",
        "gymnasium",
    )
    assert entry.success.signal == "is_success"
    assert find("FetchReachDense-v4").adapter == "gymnasium-robotics"


@pytest.mark.parametrize(
    ("name", "meant"), [("pendulun", "pendulum"), ("Pendulum", "pendulum"), ("reachr", "reacher")]
)
def test_a_typing_error_is_answered_with_what_was_meant(name, meant):
    with pytest.raises(UsageError, match=f"did you mean `{meant}`"):
        find(name)


@pytest.mark.parametrize("name", ["", "no such thing", "../../etc/passwd", "x; rm -rf", "a b-v1"])
def test_what_is_no_name_is_refused(name):
    with pytest.raises(UsageError, match="No environment is called"):
        find(name)


def test_an_id_that_another_catalog_has_is_left_out_and_said(monkeypatch):
    taken = {"pendulum": "first"}
    point = next(
        p
        for p in load.registry.current().index.entries()
        if p.kind == "env_catalogs" and p.name == "gymnasium"
    )
    read = load._catalog(point, taken)
    assert read.failures == ("The id `pendulum` of the catalog `gymnasium` is that of `first` already.",)
    assert "pendulum" not in {entry.id for entry in read.entries}
    assert "cartpole" in {entry.id for entry in read.entries}
