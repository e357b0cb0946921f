import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rpent_robosmith.evaluation.statistics import bootstrap, mean, summarise, wilson
from rpent_robosmith.reports import EpisodeRecord

numbers = st.floats(allow_nan=True, allow_infinity=True, width=64)
finite = st.floats(allow_nan=False, allow_infinity=False)


def episode(seed=0, *, total=1.0, length=10, success=True, error="", measures=None):
    return EpisodeRecord(
        seed=seed, length=length, total=total, success=success, error=error, measures=measures or {}
    )


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [  # computed from the formula by hand; the first is Wikipedia's worked range
        (10, 20, 0.2993, 0.7007),
        (20, 20, 0.8389, 1.0),
        (0, 20, 0.0, 0.1611),
        (1, 1, 0.2065, 1.0),
    ],
)
def test_wilson_gives_the_published_values(successes, trials, low, high):
    interval = wilson(successes, trials)
    assert interval.low == pytest.approx(low, abs=1e-4)
    assert interval.high == pytest.approx(high, abs=1e-4)


def test_nothing_tried_says_nothing():
    assert (wilson(0, 0).low, wilson(0, 0).high) == (0.0, 1.0)


def test_more_successes_than_trials_is_refused():
    with pytest.raises(ValueError, match="3 successes of 2"):
        wilson(3, 2)


@given(
    st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.51, 0.999)
)
def test_a_rate_lies_in_its_interval(counts, confidence):
    successes, trials = counts
    interval = wilson(successes, trials, confidence)
    assert 0.0 <= interval.low <= successes / trials <= interval.high <= 1.0
    assert interval.low < interval.high


@given(st.integers(1, 200), st.integers(0, 200))
def test_intervals_are_mirrored(trials, successes):
    successes = min(successes, trials)
    one, other = wilson(successes, trials), wilson(trials - successes, trials)
    assert one.low == pytest.approx(1 - other.high, abs=1e-12)


@given(st.lists(numbers, max_size=20))
def test_a_mean_is_the_mean_or_unknown(values):
    result = mean(values)
    if values and all(map(math.isfinite, values)):
        assert min(values) <= result <= max(values) or math.isclose(result, values[0], rel_tol=1e-9)
    else:
        assert math.isnan(result)


@given(st.lists(finite, min_size=2, max_size=20))
def test_a_bootstrap_interval_holds_the_mean_within_the_values(values):
    interval = bootstrap(values)
    assert interval is not None
    slack = 1e-9 * max(map(abs, values))
    assert min(values) - slack <= interval.low <= mean(values) <= interval.high <= max(values) + slack


@given(st.lists(numbers, max_size=8), st.integers(0, 5))
def test_the_bootstrap_repeats_itself(values, seed):
    assert bootstrap(values, seed=seed) == bootstrap(values, seed=seed)


def test_bootstrap_covers_as_often_as_it_says():
    generator = np.random.default_rng(1)
    covered = 0
    for _ in range(200):
        interval = bootstrap(list(generator.normal(3.0, 2.0, size=40)))
        covered += interval.low <= 3.0 <= interval.high
    assert 0.88 <= covered / 200 <= 0.99


def test_crashed_episodes_are_failures_and_enter_no_mean():
    report = summarise(
        "trained",
        [
            episode(0, total=10.0, measures={"x": 1.0}),
            episode(1, total=20.0, success=False, measures={"x": 3.0}),
            episode(2, total=-999.0, success=True, error="KeyError: 'q'"),
            episode(3, total=30.0, measures={"x": 5.0}),
        ],
        measures=("x",),
    )
    assert report.metrics == {
        "success_rate": 0.5,
        "error_rate": 0.25,
        "mean_return": 20.0,
        "mean_length": 10.0,
        "mean_x": 3.0,
    }
    assert report.intervals["success_rate"] == wilson(2, 4)
    assert report.intervals["mean_x"].low < 3.0 < report.intervals["mean_x"].high


def test_what_is_not_a_number_makes_a_mean_unknown():
    report = summarise(
        "trained", [episode(measures={"x": math.nan}), episode(1, measures={"x": 1.0})], measures=("x",)
    )
    assert math.isnan(report.metrics["mean_x"])
    assert "mean_x" not in report.intervals


def test_without_episodes_everything_is_unknown():
    report = summarise("trained", [], measures=("x",))
    assert all(math.isnan(value) for value in report.metrics.values())
    assert set(report.metrics) == {"success_rate", "error_rate", "mean_return", "mean_length", "mean_x"}
