"""Measures and successes over the steps of an episode, with numbers that can be checked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from rpent.errors import UsageError
from rpent_robosmith.catalog.load import find
from rpent_robosmith.measures import Measure, Quantity, Success
from rpent_robosmith.worker.measuring import Meter

STEPS = [(np.array([x, 10.0 * x]), np.array([x / 2]), x, {"speed": 2 * x}) for x in (1.0, -3.0, 2.0, 4.0)]


def entry(success=None, **measures):
    return find("Some-v0").model_copy(
        update={"measures": measures, "success": success or Success(measure="length", at_least=1)}
    )


def fed(entry, steps=STEPS):
    meter = Meter(entry)
    for observation, action, reward, info in steps:
        meter.step(observation, action, reward, info)
    return meter


def value(measure, steps=STEPS):
    return fed(entry(m=measure), steps).measures()["m"]


FIRST = Quantity(index=(0,))


@pytest.mark.parametrize(
    ("reduce", "right"),
    [
        ("mean", 1.0),
        ("sum", 4.0),
        ("min", -3.0),
        ("max", 4.0),
        ("first", 1.0),
        ("last", 4.0),
        ("change", 3.0),
    ],
)
def test_the_steps_become_one_number(reduce, right):
    assert value(Measure(quantity=FIRST, reduce=reduce)) == right


@pytest.mark.parametrize(
    ("map_", "quantity", "right"),
    [
        ("abs", FIRST, 10 / 4),
        ("square", FIRST, (1 + 9 + 4 + 16) / 4),
        ("degrees", FIRST, math.degrees(1.0)),
        ("norm", Quantity(), math.sqrt(101) * 10 / 4),
        ("none", Quantity(of="action"), 0.5),
        ("none", Quantity(of="reward"), 1.0),
        ("none", Quantity(of="info", key="speed"), 2.0),
    ],
)
def test_each_step_becomes_a_number(map_, quantity, right):
    assert value(Measure(quantity=quantity, map=map_, reduce="mean")) == pytest.approx(right)


def test_a_fraction_counts_the_steps_within_bounds_of_the_last_ones():
    assert value(Measure(quantity=FIRST, reduce="fraction", at_least=1.0)) == 0.75
    assert value(Measure(quantity=FIRST, reduce="fraction", at_least=1.0, at_most=2.0)) == 0.5
    assert value(Measure(quantity=FIRST, reduce="fraction", at_most=2.0, last=2)) == 0.5
    assert value(Measure(quantity=FIRST, reduce="fraction", at_least=2.0, last=99)) == 0.5


def test_a_difference_is_taken_before_the_norm():
    steps = [({"hand": np.array([1.0, 2.0]), "goal": np.array([4.0, 6.0])}, 0, 0.0, {})]
    measure = Measure(quantity=Quantity(key="hand"), minus=Quantity(key="goal"), map="norm")
    assert value(measure, steps) == 5.0


@pytest.mark.parametrize(
    ("quantity", "said"),
    [
        (Quantity(of="info", key="height"), "`height` is not there"),
        (Quantity(index=(7,)), "index 7 is out of bounds"),
        (Quantity(), "2 numbers where one is wanted"),
        (Quantity(key="hand"), "cannot be read"),
    ],
)
def test_what_is_not_there_is_one_sentence(quantity, said):
    with pytest.raises(UsageError, match="The measure `m` of `some-v0` cannot be read from a step") as caught:
        value(Measure(quantity=quantity))
    assert said in caught.value.message


def test_a_signal_is_the_last_one_or_any():
    steps = [(np.zeros(1), 0, 0.0, {"is_success": np.float32(flag)}) for flag in (0, 1, 0)]
    last, ever = Success(signal="is_success"), Success(signal="is_success", when="ever")
    assert fed(entry(last), steps).success(terminated=False) is False
    assert fed(entry(ever), steps).success(terminated=False) is True
    assert fed(entry(last), steps[:2]).success(terminated=False) is True


def test_a_signal_that_is_not_there_is_said_and_never_a_failure():
    with pytest.raises(UsageError, match="has no success signal `is_success` in `info`, which has `speed`"):
        fed(entry(Success(signal="is_success")))


def test_a_success_is_within_its_bounds_and_ended_as_wanted():
    total = Success(measure="return", at_least=4.0, terminated=False)
    assert fed(entry(total)).success(terminated=False) is True
    assert fed(entry(total)).success(terminated=True) is False
    assert fed(entry(Success(measure="return", at_least=4.5))).success(terminated=False) is False
    assert fed(entry(Success(measure="length", at_most=4.0))).success(terminated=False) is True
    assert (
        fed(entry(Success(measure="m", at_most=-1.0), m=Measure(quantity=FIRST))).success(terminated=True)
        is False
    )


def test_what_is_no_number_is_no_success():
    steps = [(np.array([math.nan]), 0, 0.0, {})]
    assert (
        fed(entry(Success(measure="m", at_least=0), m=Measure(quantity=FIRST)), steps).success(
            terminated=True
        )
        is False
    )
    assert value(Measure(quantity=FIRST, reduce="fraction", at_most=9.0), steps) == 0.0


def test_an_episode_without_a_step_is_no_success_and_has_no_measures():
    meter = Meter(entry(Success(measure="length", at_most=5), m=Measure(quantity=FIRST)))
    assert meter.success(terminated=True) is False
    assert meter.measures() == {}
