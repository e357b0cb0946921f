"""What an analysis of one dataset finds, against datasets whose faults are known."""

from __future__ import annotations

import html.parser
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from rpent.errors import UsageError
from rpent_robosmith.datasets.api import CameraColumn, DatasetReader, DeclaredBounds, Episode, VectorColumn
from rpent_robosmith.diagnose.analysis import Analysis, analyse
from rpent_robosmith.diagnose.html import dataset_page
from rpent_robosmith.diagnose.records import Bounds
from rpent_robosmith.diagnose.text import lines
from rpent_robosmith.testing.datasets import HEIGHT, WIDTH, toy_episodes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Listed(DatasetReader):
    """Episodes from a list."""

    format = "listed"

    def __init__(self, episodes: Iterable[Episode], *, bounded: bool = True, **fields: Any) -> None:
        self._episodes = list(episodes)
        self.fps, self.success_source = fields.get("fps", 20.0), "task_successes"
        self.total_episodes = len(self._episodes)
        width = self._episodes[0].actions.shape[1]
        self.action = VectorColumn(shape=(width,), dtype="float32")
        if bounded:
            self.action_bounds = DeclaredBounds(low=(-1.0,) * width, high=(1.0,) * width, source="the test")
        self.cameras = {"front": CameraColumn(height=HEIGHT, width=WIDTH)}

    def episodes(self, first: int = 0, count: int | None = None) -> Iterator[Episode]:
        yield from self._episodes[first : None if count is None else first + count]


def _analyse(listed: Iterable[Episode], **options: Any) -> Analysis:
    reader = Listed(listed, bounded=options.pop("bounded", True), fps=options.pop("fps", 20.0))
    return analyse(reader, "listed", **options)


def _kinds(analysis: Analysis) -> set[str]:
    return {finding.kind for finding in analysis.report.findings}


def _episode(actions: Any, **fields: Any) -> Episode:
    return Episode(index=0, name="0", actions=np.asarray(actions, np.float64), **fields)


def test_a_sound_dataset_has_no_findings() -> None:
    report = _analyse(toy_episodes(12)).report
    assert report.findings == ()
    assert (report.episodes, report.frames, report.successes, report.failures) == (12, 12 * 30 + 66, 6, 6)
    assert report.success_rate == 0.5
    assert report.success_interval is not None
    assert (round(report.success_interval.low, 3), round(report.success_interval.high, 3)) == (0.254, 0.746)
    assert (report.lengths.low, report.lengths.high, report.lengths.mean) == (30, 41, 35.5)
    assert report.idle is not None
    assert report.idle.mean == 0
    assert report.version == 1


def test_numbers_are_those_of_all_steps() -> None:
    episodes = list(toy_episodes(12))
    rows = np.concatenate([each.actions for each in episodes])
    report = _analyse(episodes).report
    np.testing.assert_allclose([each.mean for each in report.actions], rows.mean(axis=0), rtol=1e-6)
    np.testing.assert_allclose([each.std for each in report.actions], rows.std(axis=0), rtol=1e-6)
    np.testing.assert_allclose([each.median for each in report.actions], np.median(rows, axis=0), rtol=1e-6)


def test_unknown_success_is_unknown_and_never_a_rate() -> None:
    episodes = [replace(each, success=None) for each in toy_episodes(4)]
    report = _analyse(episodes).report
    assert (report.success_rate, report.unknown, report.successes, report.failures) == (None, 4, 0, 0)
    assert "success    unknown" in "\n".join(lines(report))


def test_success_known_of_some_counts_only_those() -> None:
    episodes = [replace(each, success=None if each.index < 2 else each.success) for each in toy_episodes(6)]
    analysis = _analyse(episodes)
    assert (analysis.report.success_rate, analysis.report.unknown) == (0.5, 2)
    assert "success_unknown" in _kinds(analysis)


def test_saturation_is_measured_against_bounds_and_not_against_what_occurs() -> None:
    actions = np.zeros((10, 2))
    actions[:, 0] = np.linspace(0, 0.5, 10)
    actions[:3, 0] = 1.0
    actions[:, 1] = np.linspace(-0.5, 0.5, 10)
    (row,) = _analyse([_episode(actions)]).report.rows
    assert row.saturation == pytest.approx(0.3)
    wider = Bounds(low=(-2.0, -2.0), high=(2.0, 2.0), source="`env`")
    report = _analyse([_episode(actions)], bounds=wider).report
    assert report.rows[0].saturation == 0
    assert (report.actions[0].at_high, report.actions[0].outside) == (0, 0)


def test_without_bounds_saturation_is_said_to_be_unknown() -> None:
    analysis = _analyse(toy_episodes(3), bounded=False)
    assert analysis.report.saturation is None
    assert analysis.report.bounds is None
    assert all(each.at_low is None for each in analysis.report.actions)
    assert "bounds_unknown" in _kinds(analysis)


def test_a_switch_does_not_saturate() -> None:
    actions = np.stack([np.linspace(-0.5, 0.5, 20), np.where(np.arange(20) < 10, -1.0, 1.0)], axis=1)
    report = _analyse([_episode(actions)]).report
    assert report.actions[1].switch
    assert report.rows[0].saturation == 0
    assert (report.actions[1].at_low, report.actions[1].at_high) == (0.5, 0.5)


def test_actions_beyond_the_bounds_are_an_error() -> None:
    analysis = _analyse([_episode([[0.0], [1.5], [0.2], [-0.1]])])
    assert analysis.report.actions[0].outside == 0.25
    assert "outside_bounds" in _kinds(analysis)


def test_bounds_of_another_width_are_refused() -> None:
    with pytest.raises(UsageError, match="bounds 2 numbers, and the dataset's actions have 3"):
        _analyse(toy_episodes(1), bounds=Bounds(low=(0, 0), high=(1, 1), source="`reacher`"))


def test_jerk_is_the_third_difference_over_the_range() -> None:
    cubic = (np.arange(12.0) ** 3 / 1000)[:, None]  # its third difference is 6 / 1000 everywhere
    (row,) = _analyse([_episode(cubic)]).report.rows
    assert row.jerk == pytest.approx(0.006 / 2)
    (line,) = _analyse([_episode(np.linspace(0, 1, 12)[:, None])]).report.rows
    assert line.jerk == pytest.approx(0, abs=1e-12)


def test_idle_steps_are_those_in_which_neither_state_nor_action_changes() -> None:
    state = np.concatenate([np.linspace(0, 1, 10), np.full(10, 1.0)])[:, None]
    actions = np.concatenate([np.linspace(-1, 0.9, 10), np.zeros(10)])[:, None]
    report = _analyse([_episode(actions, state={"q": state})]).report
    assert (report.rows[0].longest_idle, report.idle_from) == (9, "state and action")
    moving = _analyse([_episode(actions, state={"q": np.linspace(0, 1, 20)[:, None] ** 2})]).report
    assert moving.rows[0].idle == 0


def test_a_clock_in_the_state_does_not_hide_idling() -> None:
    state = np.stack([np.arange(20) * 0.05, np.r_[np.linspace(0, 1, 10), np.ones(10)]], axis=1)
    actions = np.r_[np.linspace(-1, 0.9, 10), np.zeros(10)][:, None]
    assert _analyse([_episode(actions, state={"states": state})]).report.rows[0].longest_idle == 9


def test_without_state_a_constant_velocity_is_no_idling() -> None:
    fast = np.concatenate([np.linspace(-1, 1, 5), np.ones(15)])[:, None]
    slow = np.concatenate([np.linspace(-1, 1, 5), np.zeros(15)])[:, None]
    rows = _analyse([_episode(fast), replace(_episode(slow), index=1, name="1")]).report.rows
    assert [row.longest_idle for row in rows] == [0, 14]


def test_duplicates_are_found_and_repeated_actions_told_apart() -> None:
    episodes = list(toy_episodes(4))
    twin = replace(episodes[1], index=4, name="twin", actions=episodes[1].actions.astype(np.float64))
    other = {"state": episodes[2].state["state"] + 1}
    alike = replace(episodes[2], index=5, name="alike", state=other)
    analysis = _analyse([*episodes, twin, alike])
    rows = {row.name: row for row in analysis.report.rows}
    assert (rows["twin"].duplicate_of, rows["twin"].same_actions_as) == ("1", None)
    assert (rows["alike"].duplicate_of, rows["alike"].same_actions_as) == (None, "2")
    assert {"duplicates", "same_actions"} <= _kinds(analysis)


def test_nan_infinity_and_constant_columns_are_found() -> None:
    (episode,) = toy_episodes(1)
    actions, state = episode.actions.copy(), episode.state["state"].copy()
    actions[3, 0], actions[4, 1], state[:, 2] = np.nan, np.inf, 7.0
    analysis = _analyse([replace(episode, actions=actions, state={"state": state})])
    report = analysis.report
    assert [(each.nan, each.infinite) for each in report.actions] == [(1, 0), (0, 1), (0, 0)]
    assert report.rows[0].not_finite == 2
    assert report.state["state"][2].constant
    assert {"not_finite", "constant"} <= _kinds(analysis)
    assert report.findings[0].severity == "error"


def _filmed(values: Any, moving: bool = True) -> Episode:
    frames = [np.full((HEIGHT, WIDTH, 3), value, np.uint8) for value in values]
    time = np.linspace(0, 1, len(values))[:, None] ** 2 if moving else np.zeros((len(values), 1))
    return _episode(time, state={"q": time}, pictures={"front": lambda: iter(frames)})


def test_a_camera_that_freezes_while_the_robot_moves_is_found() -> None:
    values = [*range(10, 20), *([30] * 15), *range(40, 45)]
    analysis = _analyse([_filmed(values)])
    assert analysis.report.cameras[0].longest_freeze == 14
    assert analysis.report.rows[0].frozen == {"front": 14}
    assert "camera_freeze" in _kinds(analysis)
    assert "camera_freeze" not in _kinds(_analyse([_filmed(values, moving=False)]))
    assert "camera_freeze" not in _kinds(_analyse([_filmed(range(10, 40))]))


def test_missing_black_and_misshapen_frames_are_found() -> None:
    short = replace(_filmed(range(100, 130)), pictures={"front": lambda: iter([])})
    assert _analyse([short]).report.cameras[0].missing_frames == 30
    black = _analyse([_filmed([0, 0, *range(50, 78)])])
    assert black.report.cameras[0].dark_frames == 2
    small = [np.full((8, 8, 3), 20 + t, np.uint8) for t in range(30)]
    odd = _analyse([replace(_filmed(range(30)), pictures={"front": lambda: iter(small)})])
    assert odd.report.cameras[0].other_size == 30
    assert "picture_size" in _kinds(odd)


def test_pictures_of_only_the_first_episodes_are_looked_at_and_that_is_said() -> None:
    analysis = _analyse(toy_episodes(5, pictures=True), pictures=2)
    assert analysis.report.cameras[0].episodes == 2
    assert "pictures_in_part" in _kinds(analysis)


def test_timestamps_that_jump_or_go_back_are_found() -> None:
    (episode,) = toy_episodes(1)
    times = np.arange(30) / 20
    assert not _kinds(_analyse([replace(episode, timestamps=times)]))
    late, back = times.copy(), times.copy()
    late[10:] += 0.5
    back[5] = back[3]
    assert _kinds(_analyse([replace(episode, timestamps=late)])) == {"time_off"}
    assert "time_backwards" in _kinds(_analyse([replace(episode, timestamps=back)]))
    timing = _analyse([replace(episode, timestamps=late)]).report.timing
    assert timing is not None
    assert timing.largest_gap_s == pytest.approx(0.55)


def test_failures_are_grouped_by_what_they_have_in_common() -> None:
    episodes = []
    for index, (length, success) in enumerate([(50, True)] * 4 + [(100, False)] * 3 + [(10, False)] * 2):
        (each,) = toy_episodes(1, seed=index, length=length)
        episodes.append(replace(each, index=index, name=str(index), success=success))
    clusters = _analyse(episodes).report.clusters
    assert [(each.count, each.traits, each.episodes) for each in clusters] == [
        (3, ("runs to the step limit",), ("4", "5", "6")),
        (2, ("ends early",), ("7", "8")),
    ]


def test_only_the_first_episodes_can_be_read_and_the_report_says_so() -> None:
    report = _analyse(toy_episodes(12), episodes=5).report
    assert (report.episodes, report.read) == (5, "the first 5 of 12 episodes")


def test_episodes_that_do_not_fit_together_are_one_sentence() -> None:
    other = replace(_episode(np.zeros((4, 2))), name="odd", state={"state": np.zeros((4, 4))})
    with pytest.raises(UsageError, match="In `odd` the action has 2 numbers, in the episodes before 3"):
        _analyse([*toy_episodes(2), other])


def test_an_episode_without_steps_does_no_harm() -> None:
    (first,) = toy_episodes(1)
    empty = replace(
        first,
        index=1,
        name="empty",
        actions=first.actions[:0],
        state={"state": np.zeros((0, 4))},
        rewards=None,
    )
    analysis = _analyse([first, empty])
    assert analysis.report.rows[1].length == 0
    assert "short" in _kinds(analysis)


def test_the_page_is_one_closed_file_in_which_everything_is_escaped() -> None:
    hostile = '<script>alert("x")</script>'
    (episode,) = toy_episodes(1)
    analysis = _analyse(
        [replace(episode, name=hostile, task=hostile, success=False, state={hostile: episode.state["state"]})]
    )
    page = dataset_page(analysis)
    parser = _Strict()
    parser.feed(page)
    assert parser.open == []
    assert "script" not in parser.tags
    assert "&lt;script&gt;" in page
    assert not parser.links


def test_control_characters_of_a_dataset_do_not_reach_the_terminal() -> None:
    (episode,) = toy_episodes(1)
    shown = "\n".join(lines(_analyse([replace(episode, name="a\x1b[2Jb")]).report))
    assert "\x1b[2J" not in shown


class _Strict(html.parser.HTMLParser):
    """Collects tags and links, and what was not closed."""

    _VOID = frozenset({"meta", "br"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [str(value) for name, value in attrs if name in ("src", "href")]
        if tag not in self._VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_picture_that_drifts_slowly_is_no_frozen_one() -> None:
    time = np.linspace(0, 1, 60)[:, None]
    frames = []
    for step in range(60):
        frame = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
        frame[10:20, step // 3 : step // 3 + 2] = 200  # a thin bar that moves a column every third step
        frames.append(frame)
    episode = _episode(time, state={"q": time}, pictures={"front": lambda: iter(frames)})
    assert "camera_freeze" not in _kinds(_analyse([episode]))


def test_a_picture_may_stay_while_the_robot_hardly_moves() -> None:
    state = np.concatenate([np.linspace(0, 1, 20), 1 + np.linspace(0, 0.04, 20)])[:, None]
    values = [*range(20, 40), *([40] * 20)]
    frames = [np.full((HEIGHT, WIDTH, 3), value, np.uint8) for value in values]
    episode = _episode(state, state={"q": state}, pictures={"front": lambda: iter(frames)})
    assert "camera_freeze" not in _kinds(_analyse([episode]))
