"""Statistics in bounded memory."""

from __future__ import annotations

import numpy as np
from rpent_robosmith.datasets.statistics import Moments, Sample


def test_moments_are_those_of_all_rows_together() -> None:
    rows = np.random.default_rng(0).normal(5, 3, (1000, 3))
    whole, merged, other = Moments(3), Moments(3), Moments(3)
    for part in np.array_split(rows, 7):
        whole.update(part)
    merged.update(rows[:300])
    other.update(rows[300:])
    merged.merge(other)
    for moments in (whole, merged):
        np.testing.assert_allclose(moments.mean, rows.mean(axis=0), rtol=1e-12)
        np.testing.assert_allclose(moments.std, rows.std(axis=0), rtol=1e-12)
        np.testing.assert_array_equal(moments.low, rows.min(axis=0))
        np.testing.assert_array_equal(moments.high, rows.max(axis=0))
        np.testing.assert_array_equal(moments.count, [1000] * 3)


def test_numbers_that_are_not_finite_are_counted_apart() -> None:
    moments = Moments(2)
    moments.update(np.array([[1.0, np.nan], [3.0, np.inf], [np.nan, 7.0]]))
    np.testing.assert_array_equal(moments.mean, [2, 7])
    np.testing.assert_array_equal(moments.nan, [1, 1])
    np.testing.assert_array_equal(moments.infinite, [0, 1])
    np.testing.assert_array_equal(moments.constant, [False, True])


def test_a_small_sample_is_all_rows_and_a_full_one_is_uniform() -> None:
    sample = Sample(1, size=1000)
    rows = np.arange(20_000, dtype=np.float64)[:, None]
    sample.update(rows[:400])
    assert sample.complete
    np.testing.assert_array_equal(sample.rows, rows[:400])
    for part in np.array_split(rows[400:], 13):
        sample.update(part)
    assert not sample.complete
    assert len(np.unique(sample.rows)) == 1000
    assert abs(float(sample.rows.mean()) - 9999.5) < 4 * 5773 / np.sqrt(1000)


def test_samples_are_the_same_for_the_same_rows() -> None:
    rows = np.random.default_rng(1).normal(size=(5000, 2))
    first, second = Sample(2, size=50), Sample(2, size=50)
    for sample in (first, second):
        for part in np.array_split(rows, 9):
            sample.update(part)
    np.testing.assert_array_equal(first.rows, second.rows)


def test_quantiles_leave_out_what_is_not_finite() -> None:
    sample = Sample(2)
    sample.update(np.array([[0.0, np.nan], [10.0, np.nan], [np.inf, np.nan]]))
    quantiles = sample.quantiles((0.0, 0.5, 1.0))
    np.testing.assert_array_equal(quantiles[:, 0], [0, 5, 10])
    assert np.isnan(quantiles[:, 1]).all()
