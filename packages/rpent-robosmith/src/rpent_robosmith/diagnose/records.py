"""What an analysis of a dataset finds, as plain data: one shape for the tables, `--json` and the HTML report."""

from __future__ import annotations

from typing import Literal

from rpent_robosmith.data import Data
from rpent_robosmith.reports import Interval

SCHEMA_VERSION = 1


class Spread(Data):
    """A quantity over episodes."""

    mean: float
    std: float
    low: float
    median: float
    high: float


class NumberSummary(Data):
    """One number of the action or the state, over all steps. Numbers that are not finite are counted and left out."""

    name: str
    mean: float
    std: float
    low: float
    high: float
    q01: float
    median: float
    q99: float
    nan: int = 0
    infinite: int = 0
    constant: bool = False
    switch: bool = False
    """Whether it only takes two values, as the command of a gripper does: being at a bound means nothing there."""
    at_low: float | None = None
    at_high: float | None = None
    """Share of steps at (within 0.1 % of the range of) or beyond a bound; None where the bounds are unknown."""
    outside: float | None = None
    """Share of steps beyond the bounds."""


class Bounds(Data):
    """Bounds of the action, and who says so."""

    low: tuple[float, ...]
    high: tuple[float, ...]
    source: str


class EpisodeRow(Data):
    """One episode."""

    index: int
    name: str
    length: int
    success: bool | None
    total: float | None = None
    """Sum of the recorded rewards."""
    saturation: float | None = None
    """Share of steps in which some number of the action is at a bound, switches left out."""
    jerk: float | None = None
    """Root mean square of the third difference of the action per step, each number divided by its range."""
    idle: float | None = None
    """Share of steps in which nothing changes."""
    longest_idle: int = 0
    """Steps."""
    not_finite: int = 0
    duplicate_of: str | None = None
    """An earlier episode with the same actions and state."""
    same_actions_as: str | None = None
    """An earlier episode with the same actions, and another state."""
    frozen: dict[str, int] = {}
    """Camera → longest stretch of frames that do not change while the robot moves."""
    task: str | None = None


class CameraSummary(Data):
    """One camera, over the episodes whose pictures were looked at."""

    name: str
    height: int
    width: int
    episodes: int
    frames: int
    missing_frames: int = 0
    frozen_episodes: int = 0
    longest_freeze: int = 0
    dark_frames: int = 0
    """Frames that are black all over."""
    other_size: int = 0
    """Frames that are not of the declared size."""
    problem: str = ""
    """Why pictures could not be read."""


class Timing(Data):
    """The recorded timestamps against the declared rate."""

    steps: int
    off: int
    """Intervals that differ from 1/fps by more than a tenth of it."""
    backwards: int
    largest_gap_s: float
    mean_interval_s: float


class Cluster(Data):
    """Failures that have something in common."""

    traits: tuple[str, ...]
    count: int
    episodes: tuple[str, ...]
    """Names, the first twenty."""


class TaskRow(Data):
    """The episodes of one instruction."""

    task: str
    episodes: int
    successes: int
    failures: int


class Finding(Data):
    """Something that whoever uses the dataset should know."""

    severity: Literal["error", "warning", "info"]
    kind: str
    """For programs: `not_finite`, `duplicates`, `constant`, ..."""
    text: str
    count: int | None = None


class DatasetReport(Data):
    """A dataset, analysed in one pass."""

    version: int = SCHEMA_VERSION
    source: str
    format: str
    read: str = "all"
    """Or which part: `the first 50 of 200 episodes`."""
    episodes: int
    frames: int
    fps: float | None
    robot: str | None = None
    environment: str | None = None
    success_source: str | None
    successes: int
    failures: int
    unknown: int
    success_rate: float | None
    """Of the episodes whose success is known; None where none is."""
    success_interval: Interval | None = None
    lengths: Spread
    returns: Spread | None = None
    saturation: Spread | None = None
    jerk: Spread | None = None
    idle: Spread | None = None
    idle_from: Literal["state and action", "action"] = "action"
    bounds: Bounds | None
    """None: unknown, and no saturation is stated."""
    actions: tuple[NumberSummary, ...]
    state: dict[str, tuple[NumberSummary, ...]] = {}
    cameras: tuple[CameraSummary, ...] = ()
    timing: Timing | None = None
    tasks: tuple[TaskRow, ...] = ()
    clusters: tuple[Cluster, ...] = ()
    findings: tuple[Finding, ...] = ()
    rows: tuple[EpisodeRow, ...] = ()
