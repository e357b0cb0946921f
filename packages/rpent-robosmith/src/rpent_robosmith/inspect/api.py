"""What every inspector finds out, in one shape, so that any two artefacts can be compared."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Literal

from rpent_robosmith.data import Data

if TYPE_CHECKING:
    from pathlib import Path

    from rpent_robosmith.work.api import Bench


class Fault(Data):
    """Something that is wrong with an artefact itself, for programs; `ArtefactFacts.problems` says it in words."""

    kind: Literal[
        "not_finite",
        "constant",
        "missing_file",
        "missing_statistics",
        "missing_part",
        "count_mismatch",
        "statistics_mismatch",
        "separate_normalization",
        "unreadable",
    ]
    key: str = ""
    """The feature or file that it is about."""
    count: int = 0
    """How many numbers, steps or files."""
    severity: Literal["critical", "warning", "info"] = "warning"
    text: str


class Feature(Data):
    """One array that goes in or out at each control step."""

    kind: Literal["image", "vector", "discrete", "text"]
    shape: tuple[int, ...]
    """Of one step, without chunk or batch axes; pictures as (H, W, C) whatever the artefact's own layout is."""
    dtype: str = ""
    channels_first: bool = False
    """Whether the artefact itself keeps pictures as (C, H, W)."""
    names: tuple[str, ...] = ()
    """Of the numbers, in order, where the artefact says so."""
    unit: str = ""
    """Of all numbers; see `units` where they differ."""
    units: tuple[str, ...] = ()
    """Of each number; an empty string where it is not said."""
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    """Bounds of a space, or the extremes of a dataset."""
    mean: tuple[float, ...] = ()
    std: tuple[float, ...] = ()
    n: int | None = None
    """Of a discrete action: how many there are."""
    resizes: bool = False
    """Of a policy's picture: the policy resizes by itself."""


class ArtefactFacts(Data):
    """A policy, a dataset or an environment, from its own files or from making it."""

    kind: Literal["policy", "dataset", "environment"]
    id: str
    """As the user named it."""
    format: str
    """`lerobot-v3`, `robomimic`, `sb3`, `gymnasium`, ...: also which inspector read it."""
    observation: dict[str, Feature]
    """By the artefact's own key. A policy's are what it wants, the others' what they have."""
    bare: bool = False
    """Whether an observation is one array instead of parts by key; its only feature is then called `observation`."""
    action: dict[str, Feature]
    control_rate_hz: float | None = None
    chunk_length: int | None = None
    execute_steps: int | None = None
    observation_steps: int = 1
    language: bool | None = None
    """Whether a policy wants an instruction, a dataset or environment has some; None where it is not said."""
    normalization: dict[str, str] = {}
    """A policy's: feature → `mean_std`, `min_max`, `quantiles`, `identity`, ...; statistics are the features' own."""
    normalization_statistics: bool | None = None
    """Whether a policy carries the statistics that its normalisation needs."""
    robot: str | None = None
    tasks: tuple[str, ...] = ()
    episodes: int | None = None
    frames: int | None = None
    read: str = "all"
    """Which part the numbers come from: `all`, or `the first 2 of 5 files`."""
    max_episode_steps: int | None = None
    success_field: str | None = None
    """Where a dataset or environment says that an episode succeeded."""
    algorithm: str | None = None
    parameters: int | None = None
    versions: dict[str, str] = {}
    problems: tuple[str, ...] = ()
    """Faults of the artefact itself: NaN, constant columns, missing files."""
    faults: tuple[Fault, ...] = ()
    """The same with their numbers in fields."""
    notes: tuple[str, ...] = ()
    details: dict[str, Any] = {}


class Inspector(ABC):
    """Reads one kind of artefact. Nothing here uses the network: an id that is no local thing is not this kind."""

    bench: Bench | None = None
    """Runs jobs in workers, for those that need some; set by who asks, else an inspector makes its own."""

    @abstractmethod
    def recognises(self, artefact: str) -> bool:
        """Whether this is of its kind; cheap, and never raises for a foreign thing."""

    @abstractmethod
    def inspect(self, artefact: str, *, samples: int = 0) -> ArtefactFacts:
        """Return what it takes, gives or holds.

        Args:
            artefact: A path, a catalog entry, a Gymnasium id, or `robot:NAME`.
            samples: So many steps are put into `details["samples"]`.

        Raises:
            UsageError: It is damaged, or lacks what its kind must have.
        """


def local(artefact: str) -> Path | None:
    """Return the path of an artefact that is a local file or folder."""
    from pathlib import Path  # noqa: PLC0415

    path = Path(artefact).expanduser()
    return path if path.exists() else None
