"""What `segment` sees: candidates, kept until the world changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from rpent_planner_flash.lexicon import PART_NOUNS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from rpent_planner_flash.goals import Reference

CHEST = "cabinet"
"""What a drawer is taken to belong to where nothing of its owner's name is seen."""


class Tools(Protocol):
    """Where looks are made: the executor, or a session itself."""

    def call(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """Call a tool; answers with a `ToolReply`."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One thing that a prompt may mean, in the world frame, metres."""

    id: str
    label: str
    score: float
    position: NDArray[np.float64]
    """(3,) middle of the visible extent."""
    size: NDArray[np.float64]
    """(3,) extent of the visible surface."""
    top: float
    pixel: tuple[float, float] = (0.0, 0.0)
    """[row, col] in the picture that it was found in."""

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Candidate:
        """Read one entry of `segment`'s `candidates`."""
        center = np.asarray(data["center_xyz"], dtype=np.float64)
        size = np.asarray(data.get("size_xyz_m") or (0.0, 0.0, 0.0), dtype=np.float64)
        box_middle = data.get("middle_xyz")
        return cls(
            id=str(data.get("id", "")),
            label=str(data.get("label", "")),
            score=float(data.get("score", 1.0)),
            position=center if box_middle is None else np.asarray(box_middle, dtype=np.float64),
            size=size,
            top=float(data.get("top_z_m", center[2] + size[2] / 2)),
            pixel=tuple(data.get("pixel") or (0.0, 0.0)),
        )

    @property
    def xy(self) -> NDArray[np.float64]:
        """(2,) horizontal position."""
        return self.position[:2]

    @property
    def bottom(self) -> float:
        """Height of the lowest visible point."""
        return self.top - float(self.size[2])


class Scene:
    """Named things in the present world, and where they were seen last when something now hides them."""

    def __init__(self, tools: Tools, *, camera: str | None = None) -> None:
        self.tools = tools
        self.camera = camera
        self._known: dict[str, list[Candidate]] = {}
        self._last_seen: dict[str, list[Candidate]] = {}

    def changed(self) -> None:
        """Note that an action may have moved things: the next question looks anew."""
        self._known.clear()

    def forget(self, reference: Reference) -> None:
        """Forget where a thing was seen last: it was moved."""
        for prompt in prompts(reference):
            self._last_seen.pop(prompt, None)

    def find(self, reference: Reference, *, recall: bool = False) -> list[Candidate]:
        """Return what a reference's name may mean, relations apart; best first, empty when nothing fits.

        Args:
            reference: What is looked for.
            recall: Where the arm hides it, answer with where it was seen last.
        """
        for prompt in prompts(reference):
            found = self.look(prompt) or (self._last_seen.get(prompt, []) if recall else [])
            if found:
                self._last_seen[prompt] = found
                return found
        return []

    def look(self, prompt: str) -> list[Candidate]:
        """Segment one prompt, or answer from the same picture's earlier segmentation."""
        if prompt not in self._known:
            arguments: dict[str, Any] = {"prompt": prompt}
            if self.camera is not None:
                arguments["camera"] = self.camera
            reply = self.tools.call("segment", arguments)
            self._known[prompt] = candidates(reply.data) if reply.ok else []
        return self._known[prompt]


def candidates(data: Mapping[str, Any]) -> list[Candidate]:
    """Read the candidates of a `segment` answer that have a place in the world."""
    entries = data.get("candidates") or []
    return [Candidate.from_data(entry) for entry in entries if entry.get("center_xyz") is not None]


def prompts(reference: Reference) -> list[str]:
    """Return what to ask the perceptor for, most specific first; of a part also what it belongs to."""
    noun, owner = reference.noun, reference.owner
    if noun not in PART_NOUNS:
        words = noun.split()
        return [" ".join(words[start:]) for start in range(len(words))]
    whole = [noun] if owner is None else prompts(owner)
    if noun == "drawer" and CHEST not in whole:
        whole.append(CHEST)
    if reference.level is None:
        return whole
    return [f"{reference.level} {noun} of the {CHEST if owner is None else owner.noun}", *whole]
