"""References → candidates: names through `segment`, relations by geometry, the best first."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from rpent_planner_flash import relations
from rpent_planner_flash.lexicon import SURFACES
from rpent_planner_flash.scene import Candidate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rpent_planner_flash.goals import Reference, Relation
    from rpent_planner_flash.scene import Scene
    from rpent_planner_flash.standing import Standing

HOLDS = 0.2
"""A relation that scores less is taken not to hold."""
ROOM_M = 0.025
"""What is on something hardly larger than itself is this near to its middle."""
STACKED_M = 0.04
"""What is this far above a surface stands on something else that is there."""
LEAN_M = 0.015
"""What is in a container reaches above its rim and its own length by less than this."""
_DIRECTED = frozenset({"left_of", "right_of", "front_of", "behind", "side"})


@dataclass(frozen=True, slots=True)
class Match:
    """A candidate and how well it fits the reference, 0 to 1."""

    candidate: Candidate
    score: float


@dataclass(slots=True)
class Grounder:
    """Resolves references in a scene."""

    scene: Scene
    view_of: Callable[[], relations.View]
    """Asks for the viewer's directions; called only when an instruction uses one."""
    standing_of: Callable[[], Standing | None] = lambda: None
    """Where the robot stands, where it moves about: among equals the one before it is meant."""
    _view: relations.View | None = field(default=None, init=False)

    @property
    def view(self) -> relations.View:
        """The instruction's directions in the world."""
        standing = self.standing_of()
        if standing is not None:
            return standing.view
        if self._view is None:
            self._view = self.view_of()
        return self._view

    def resolve(self, reference: Reference, *, recall: bool = False) -> list[Match]:
        """Return the candidates for a reference, best first; empty when its name is nowhere to be seen.

        Args:
            reference: What is looked for.
            recall: Take what was seen last of a thing that is hidden now.
        """
        things = self.scene.find(reference, recall=recall)
        scores = np.array([thing.score for thing in things], dtype=np.float64)
        standing = self.standing_of()
        if standing is not None and len(things) > 1:
            scores *= [standing.nearness(thing) for thing in things]
        if len(things) > 1:  # one candidate needs no relation to be told apart
            for relation in reference.relations:
                scores *= self._scores(relation, things)
        order = np.argsort(-scores, kind="stable")
        return [Match(things[i], float(scores[i])) for i in order]

    def holds(self, relation: Relation, thing: Candidate, target: Candidate, longest_m: float = 0.0) -> bool:
        """Whether a thing is where it should be, judged by its visible extent.

        Args:
            relation: Where it should be.
            thing: The thing, as it is seen now.
            target: What the relation is to.
            longest_m: The longest edge of the thing when it was seen whole; what stands up in a container is this
                high, and what is higher leans on its rim.
        """
        if relation.kind == "in":
            highest = max(target.top, target.bottom + longest_m) + LEAN_M
            inside = relations.outside(thing, target) < 0.01
            return inside and thing.top < highest and thing.bottom < target.top
        if relation.kind == "on":
            # On a plate a bowl stands in the middle; on a cabinet there is room.
            room = np.maximum((target.size[:2] - thing.size[:2]) / 2, ROOM_M)
            centred = bool(np.all(np.abs(thing.xy - target.xy) <= room))
            rests = target.bottom - 0.01 < thing.bottom < target.top + STACKED_M
            return centred and rests and thing.top > target.top
        return self._score(relation, thing, [target]) > HOLDS

    def _scores(self, relation: Relation, things: Sequence[Candidate]) -> np.ndarray:
        standing = self.standing_of()
        if relation.kind == "side" and relation.side is not None and standing is not None:
            found = [standing.on_side(thing, relation.side) for thing in things]
        elif relation.kind == "side" and relation.side is not None:
            found = relations.side_scores(things, relation.side, self.view)
        else:
            anchors = [self._anchor(anchor) for anchor in relation.anchors]
            seen = [anchor for anchor in anchors if anchor is not None]
            if not seen:
                return np.ones(len(things))
            found = [self._score(relation, thing, seen) for thing in things]
        scores = np.asarray(found, dtype=np.float64)
        if relation.negated:
            # The one of which it holds best is not meant; where it holds of none, it tells nothing apart.
            best = float(scores.max())
            scores = 1.0 - 0.999 * scores / best if best > HOLDS else np.ones(len(things))
        return scores

    def _score(self, relation: Relation, thing: Candidate, anchors: Sequence[Candidate]) -> float:
        level = relation.anchors[0].level if relation.anchors else None
        view = self.view if relation.kind in _DIRECTED else relations.View()
        return relations.score(relation.kind, thing, anchors, view, level)

    def _anchor(self, reference: Reference) -> Candidate | None:
        found = self.resolve(reference, recall=True)
        if found:
            return found[0].candidate
        return _origin(reference) if reference.noun in SURFACES else None


def _origin(reference: Reference) -> Candidate:
    """A work surface that the perceptor does not name: its middle is the workspace's origin."""
    return Candidate("", reference.noun, 1.0, np.zeros(3), np.ones(3), 0.0)
