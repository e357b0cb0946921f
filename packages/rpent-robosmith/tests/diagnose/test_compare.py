"""Comparisons: what differs is found, what does not is not, and nothing is called worse by chance."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from rpent_robosmith.datasets.open import open_dataset
from rpent_robosmith.diagnose.analysis import Analysis, analyse
from rpent_robosmith.diagnose.compare import compare
from rpent_robosmith.diagnose.compare_html import comparison_page
from rpent_robosmith.diagnose.compare_text import lines
from rpent_robosmith.diagnose.significance import (
    bootstrap_difference,
    distance_of_distributions,
    holm,
    permutation_p,
    rate_difference,
)
from rpent_robosmith.testing.datasets import toy_episodes, write_toy

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from rpent_robosmith.datasets.api import Episode


def _analysis(path: Path, episodes: Iterable[Episode]) -> Analysis:
    with open_dataset(write_toy(path, episodes)) as reader:
        return analyse(reader, path.name)


def _with_success(episodes: Iterable[Episode], rate: float) -> list[Episode]:
    listed = list(episodes)
    return [replace(each, success=each.index < rate * len(listed)) for each in listed]


def test_two_halves_of_the_same_differ_in_nothing(tmp_path: Path) -> None:
    a = _analysis(tmp_path / "a.hdf5", toy_episodes(30, seed=1))
    b = _analysis(tmp_path / "b.hdf5", toy_episodes(30, seed=2))
    found = compare(a, b)
    assert found.degradations == ()
    assert found.improvements == ()
    assert not any(each.significant for each in (*found.quantities, *found.distributions))
    assert any("No degradation beyond chance" in line for line in lines(found))


def test_a_degradation_is_named_with_its_size_and_interval(tmp_path: Path) -> None:
    a = _analysis(tmp_path / "a.hdf5", _with_success(toy_episodes(40, seed=1), 0.9))
    b = _analysis(tmp_path / "b.hdf5", _with_success(toy_episodes(40, seed=2), 0.3))
    found = compare(a, b)
    assert len(found.degradations) == 1
    assert found.degradations[0].startswith("The success rate is worse: 0.3 instead of 0.9")
    (rate,) = [each for each in found.quantities if each.name == "success rate"]
    assert rate.difference == pytest.approx(-0.6)
    assert rate.interval is not None
    assert rate.interval.low < -0.6 < rate.interval.high < 0
    assert compare(b, a).degradations == ()
    assert len(compare(b, a).improvements) == 1


def test_another_distribution_of_one_number_is_found_in_that_number_alone(tmp_path: Path) -> None:
    def shifted(episodes: Iterable[Episode]) -> list[Episode]:
        return [replace(e, actions=e.actions * np.array([1, 1, 0.2], np.float32)) for e in episodes]

    a = _analysis(tmp_path / "a.hdf5", toy_episodes(20, seed=1))
    b = _analysis(tmp_path / "b.hdf5", shifted(toy_episodes(20, seed=2)))
    found = [each for each in compare(a, b).distributions if each.vector == "action"]
    assert [each.significant for each in found] == [False, False, True]
    assert found[2].distance > 0.2
    assert found[2].mean_a == pytest.approx(found[2].mean_b, abs=0.05)


def test_success_is_compared_only_where_both_record_it(tmp_path: Path) -> None:
    a = _analysis(tmp_path / "a.hdf5", toy_episodes(5))
    b = _analysis(tmp_path / "b.hdf5", [replace(each, success=None) for each in toy_episodes(5)])
    for first, second in ((a, b), (b, a)):
        found = compare(first, second)
        assert "success rate" not in {each.name for each in found.quantities}
        assert any("`b.hdf5` does not say which episodes succeeded" in note for note in found.notes)


def test_states_of_different_formats_are_matched_by_their_names(tmp_path: Path) -> None:
    a = _analysis(tmp_path / "a.hdf5", toy_episodes(6))
    b = _analysis(tmp_path / "b", toy_episodes(6))
    found = compare(a, b)
    assert {each.vector for each in found.distributions} == {"action", "state"}
    assert all(each.distance < 1e-6 for each in found.distributions)
    assert not any("Only" in note for note in found.notes)


def test_nothing_is_better_or_worse_in_another_environment(tmp_path: Path) -> None:
    a = _analysis(tmp_path / "a.hdf5", _with_success(toy_episodes(40, seed=1), 1.0))
    b = _analysis(tmp_path / "b.hdf5", _with_success(toy_episodes(40, seed=2), 0.0))
    elsewhere = Analysis(b.report.model_copy(update={"environment": "Other-v0"}), b.scan)
    found = compare(a, elsewhere)
    assert found.degradations == ()
    assert any("nothing is called better or worse" in note for note in found.notes)


def test_the_page_shows_both(tmp_path: Path) -> None:
    a, b = (_analysis(tmp_path / name, toy_episodes(4)) for name in ("a.hdf5", "<b>.hdf5"))
    page = comparison_page(compare(a, b), a, b)
    assert "&lt;b&gt;.hdf5" in page
    assert "<b>.hdf5" not in page
    assert page.count("<polygon") == 2 * (3 + 4)


def test_permutations_know_a_difference_from_chance() -> None:
    random = np.random.default_rng(0)
    same = [permutation_p(*random.normal(size=(2, 15)), seed=i) for i in range(40)]
    assert np.mean(np.array(same) < 0.05) < 0.2
    assert min(same) > 0
    assert permutation_p(random.normal(0, 1, 30), random.normal(2, 1, 30)) == pytest.approx(1 / 2000)


def test_steps_of_one_episode_are_no_independent_samples() -> None:
    """Two sets whose episodes differ among themselves as much as between the sets do not differ."""
    random = np.random.default_rng(3)

    def sketches(count: int) -> Any:
        return [np.full(33, value, np.float32) for value in random.normal(size=count)]

    lengths = np.full(6, 10_000.0)
    p_values = [distance_of_distributions(sketches(6), sketches(6), lengths, lengths)[1] for _ in range(20)]
    assert np.mean(np.array(p_values) < 0.05) <= 0.2


def test_the_distance_is_that_of_kolmogorov_and_smirnov() -> None:
    grid = np.linspace(0, 1, 33, dtype=np.float32)
    lengths = np.full(1, 100.0)
    distance, _ = distance_of_distributions([grid], [grid + 0.25], lengths, lengths)
    assert distance == pytest.approx(0.25, abs=0.02)
    distance, _ = distance_of_distributions([grid * 0], [grid * 0 + 1], lengths, lengths)
    assert distance == 1.0
    assert np.isnan(distance_of_distributions([], [grid], np.zeros(0), lengths)[0])


def test_intervals_of_differences() -> None:
    low, high = bootstrap_difference(np.arange(50.0), np.arange(50.0) + 10) or (0, 0)
    assert low < 10 < high
    assert bootstrap_difference(np.array([1.0]), np.array([2.0, 3.0])) is None
    low, high = rate_difference(20, 20, 20, 20)  # Newcombe: not empty although both are 100 %
    assert low == pytest.approx(-high)
    assert high == pytest.approx(0.1611, abs=1e-3)
    # R. G. Newcombe (1998), table II, example (a), method 10: 56/70 - 48/80 = 0.20, 0.0524 to 0.3339
    low, high = rate_difference(48, 80, 56, 70)
    assert (round(low, 4), round(high, 4)) == (0.0524, 0.3339)


def test_holm_corrects_in_order() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []
