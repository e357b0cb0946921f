"""What a comparison says: issues with their numbers in fields, and how the one side's arrays become the other's."""

from __future__ import annotations

from typing import Any, Literal

from rpent_robosmith.data import Data

SCHEMA_VERSION = 1
Severity = Literal["critical", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("critical", "warning", "info")
Repair = Literal[
    "pad-actions",
    "cut-actions",
    "rescale-actions",
    "fill-observations",
    "cut-observations",
    "target-statistics",
]
REPAIRS: dict[Repair, str] = {
    "pad-actions": "The target's actions have more numbers than the policy's: zeros are appended.",
    "cut-actions": "The target's actions have fewer numbers than the policy's: the last ones are dropped.",
    "rescale-actions": "The policy's action bounds are stretched linearly to the target's.",
    "fill-observations": "What the policy wants and the target lacks is filled with zeros.",
    "cut-observations": "Vectors of the target that are too long for the policy are cut.",
    "target-statistics": "A policy without normalisation statistics gets those of the target dataset.",
}
"""What is never done unless it is asked for by name: each makes a wrapper run that may well act wrongly."""


class Issue(Data):
    """One thing that the two sides do not agree on, or that somebody should know."""

    check: str
    """`action_size`, `missing_observation`, ...: the functions `check` in `compatibility/checks` list them."""
    severity: Severity
    policy: str = ""
    """The policy's key that it is about; empty where it is about the whole."""
    target: str = ""
    """The target's key."""
    expected: Any = None
    """What the policy's side says, as plain data."""
    found: Any = None
    """What the target's side says."""
    remedy: str = ""
    """What can be done, for people."""
    message: str = ""
    """The same in one sentence, for people; nothing reads it."""
    handled: Literal["no", "wrapper", "repair"] = "no"
    """Whether the generated wrapper deals with it: by itself, or because the repair was asked for."""
    repair: Repair | None = None
    """The repair that would make the wrapper run in spite of it."""


class Source(Data):
    """A part of one of the target's arrays."""

    key: str
    start: int = 0
    stop: int | None = None
    """A slice of the flattened array; None means to its end."""
    convert: Literal["none", "axis_angle", "matrix", "rotation_6d", "euler_xyz", "wxyz"] = "none"
    """What becomes of a quaternion (4,) x y z w, before the slice."""
    scale: float = 1.0
    offset: float = 0.0
    """policy = scale · target + offset."""


class Statistics(Data):
    """How an array is normalised: `mean_std`: (x - mean) / std; `min_max`: from [low, high] to [-1, 1]."""

    mode: Literal["mean_std", "min_max"]
    mean: tuple[float, ...] = ()
    std: tuple[float, ...] = ()
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()


class ObservationLink(Data):
    """Where one of the policy's inputs comes from."""

    policy: str
    kind: Literal["image", "vector", "discrete", "text"]
    sources: tuple[Source, ...] = ()
    """Joined in this order; none: the target has nothing for it."""
    shape: tuple[int, ...]
    """As the policy takes it, pictures as (H, W, C)."""
    dtype: str
    channels_first: bool = False
    unit_range: bool = False
    """Whether bytes of a picture become 0 … 1."""
    source_channels_first: bool = False
    flip: Literal["none", "horizontal", "vertical", "rotate180"] = "none"
    resize: Literal["none", "stretch", "pad"] = "none"
    order: tuple[int, ...] = ()
    """policy[i] = source[order[i]]; empty: as it is."""
    scale: tuple[float, ...] = ()
    """For each number, for units; empty: 1."""
    normalize: Statistics | None = None
    borrowed: bool = False
    """Whether these are the target's statistics, as was asked for."""
    fill: float | None = None
    """What a missing input is filled with, where that was asked for."""
    cut: bool = False
    """Whether a vector that is too long is cut, where that was asked for."""
    score: float = 0.0
    """How sure the suggestion is, 0 … 1."""


class ActionLink(Data):
    """How the policy's answer becomes the target's action."""

    kind: Literal["vector", "discrete"]
    """What the target takes."""
    policy_kind: Literal["vector", "discrete"] = "vector"
    """What the policy gives."""
    sources: tuple[str, ...] = ()
    """The policy's parts, joined in this order."""
    targets: dict[str, int] = {}
    """The target's parts and their lengths, in order; one part is given as a bare array."""
    policy_size: int
    size: int
    """Numbers of the target's action."""
    shape: tuple[int, ...] = ()
    """Of the target's action, where it has one part."""
    dtype: str = "float32"
    order: tuple[int, ...] = ()
    """target[i] = policy[order[i]]."""
    scale: tuple[float, ...] = ()
    offset: tuple[float, ...] = ()
    """target = scale · policy + offset."""
    binary: tuple[bool, ...] = ()
    """Numbers of which the target gets -1 or 1, by the sign."""
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    """The target's bounds, to which the action is clipped; the wrapper counts how often."""
    start: int = 0
    n: int | None = None
    """Choices of the target, of a discrete action."""
    policy_n: int | None = None
    """Choices of the policy."""
    pad: float | None = None
    cut: bool = False
    rescaled: bool = False
    """Whether scale and offset stretch the policy's bounds to the target's, as was asked for."""
    normalize: Statistics | None = None
    """Undone on the policy's answer."""
    borrowed: bool = False
    """Whether these are the target's statistics, as was asked for."""
    chunk_length: int = 1
    execute_steps: int = 1


class Mapping(Data):
    """The suggested mapping; a wrapper is this and a fixed piece of code."""

    observation: tuple[ObservationLink, ...]
    action: ActionLink
    bare_observation: bool = False
    """Whether the target's observation is one array."""
    bare_policy: bool = False
    """Whether the policy takes one array."""
    observation_steps: int = 1
    instruction: bool = False
    """Whether the policy wants one."""
    default_instruction: str | None = None
    """What it is told where nobody says anything else."""
    unused: tuple[str, ...] = ()
    """The target's keys that nobody wants: no fault."""
    repairs: tuple[Repair, ...] = ()
    """Those that were asked for and are in use."""
    layout: str | None = None
    """The robot's layout that says all this, where the target is a robot of RPent."""


class Compatibility(Data):
    """Two artefacts beside each other."""

    version: int = SCHEMA_VERSION
    policy: str
    """What expects: a policy, or of two others the first (a dataset beside an environment)."""
    policy_kind: str
    policy_format: str
    target: str
    target_kind: str
    target_format: str
    compatible: bool
    """Whether nothing critical is left: the wrapper does the rest."""
    issues: tuple[Issue, ...]
    mapping: Mapping

    def count(self, severity: Severity) -> int:
        """Return how many issues are of a severity."""
        return sum(issue.severity == severity for issue in self.issues)
