"""What `segment` sees: candidates, kept until the world changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from rpent_planner_flash.lexicon import PART_NOUNS
from rpent_planner_flash.parts import is_control

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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

    def __init__(self, tools: Tools, *, camera: str | None = None, others: Sequence[str] = ()) -> None:
        self.tools = tools
        self.camera = camera
        self.others = others
        """Cameras to look through when the usual ones see nothing of a name."""
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
            self._known[prompt] = self._through(self.camera, prompt)
        return self._known[prompt]

    def look_further(self, reference: Reference) -> list[Candidate]:
        """Look for a thing through the other cameras; what they see counts until the world changes."""
        for camera in self.others:
            for prompt in prompts(reference):
                found = self._through(camera, prompt)
                if found:
                    self._known[prompt] = self._last_seen[prompt] = found
                    return found
        return []

    def _through(self, camera: str | None, prompt: str) -> list[Candidate]:
        arguments = {"prompt": prompt} if camera is None else {"prompt": prompt, "camera": camera}
        reply = self.tools.call("segment", arguments)
        return candidates(reply.data) if reply.ok else []


def candidates(data: Mapping[str, Any]) -> list[Candidate]:
    """Read the candidates of a `segment` answer that have a place in the world."""
    entries = data.get("candidates") or []
    return [Candidate.from_data(entry) for entry in entries if entry.get("center_xyz") is not None]


def prompts(reference: Reference) -> list[str]:
    """Return what to ask the perceptor for, most specific first; of a part also what it belongs to."""
    noun, owner = reference.noun, reference.owner
    if owner is not None and is_control(reference):
        return [f"{name} of the {whose}" for whose in prompts(owner) for name in _part_names(noun)]
    if noun not in PART_NOUNS:
        return _shortened(noun)
    whole = [noun] if owner is None else prompts(owner)
    if noun == "drawer" and CHEST not in whole:
        whole.append(CHEST)
    if reference.level is None:
        return whole
    return [f"{reference.level} {noun} of the {CHEST if owner is None else owner.noun}", *whole]


def _shortened(noun: str) -> list[str]:
    words = noun.split()
    return [" ".join(words[start:]) for start in range(len(words))]


def _part_names(noun: str) -> list[str]:
    """Return what a part may be called: `back left knob` is also a `rear left knob`, and a `knob`."""
    noun = noun.replace("doors", "door")
    names = [noun, noun.replace("back", "rear")] if "back" in noun.split() else [noun]
    return [*names, *(name for name in _shortened(noun)[1:] if name not in names)]
