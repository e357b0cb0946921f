"""Two artefacts that are compared, and what the checks look at."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent_robosmith.compatibility.report import Mapping, ObservationLink, Repair, Severity
    from rpent_robosmith.inspect.api import ArtefactFacts, Feature


@dataclass(frozen=True, kw_only=True, slots=True)
class Wishes:
    """What the user decided."""

    repairs: frozenset[Repair] = frozenset()
    links: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Policy's key → the target's keys that it is joined from."""
    instruction: str | None = None
    execute_steps: int | None = None


NOTHING = Wishes()


@dataclass(frozen=True, kw_only=True, slots=True)
class Pair:
    """A policy (or a dataset) beside what it shall work with, and the mapping between them."""

    policy: ArtefactFacts
    target: ArtefactFacts
    mapping: Mapping
    wishes: Wishes = NOTHING

    @property
    def strict(self) -> bool:
        """Whether the first is a policy, which cannot do without what it wants; else it is a dataset."""
        return self.policy.kind == "policy"

    def severity(self, severity: Severity) -> Severity:
        """Return a severity as it is for this kind of pair: what a dataset has besides an environment is no fault."""
        return "warning" if severity == "critical" and not self.strict else severity

    def links(self) -> Iterator[tuple[ObservationLink, Feature, Feature | None]]:
        """Yield each link with the policy's feature and the target's, where it has exactly one source."""
        for link in self.mapping.observation:
            single = len(link.sources) == 1
            found = self.target.observation.get(link.sources[0].key) if single else None
            yield link, self.policy.observation[link.policy], found


def size(feature: Feature) -> int:
    """Return how many numbers a feature has in a step."""
    return math.prod(feature.shape)


def total(features: dict[str, Feature]) -> int:
    """Return how many numbers all of them have together."""
    return sum(size(feature) for feature in features.values())
