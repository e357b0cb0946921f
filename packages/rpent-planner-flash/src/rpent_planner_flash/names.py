"""From the words of a name to the thing that it refers to: selectors in front, levels, the plural, the owner."""

from __future__ import annotations

from rpent_planner_flash.goals import Direction, Reference, Relation
from rpent_planner_flash.lexicon import DIRECTIONS, DRAWER_NOUNS, LEVELS, SURFACES


def reference(words: list[str], owner: Reference | None = None, count: int = 1) -> Reference:
    """Return a reference from the words of a name: selectors in front, a part's level, the plural."""
    if count > 1 and words[-1].endswith("s") and not words[-1].endswith("ss"):
        words = [*words[:-1], words[-1][:-1]]
    head = words[-1]
    if head in DRAWER_NOUNS:
        return _drawer(words, owner, count)
    selectors: list[Direction] = []
    while len(words) > 1 and words[0] in DIRECTIONS:
        selectors.append(DIRECTIONS[words[0]])
        words = words[1:]
    if len(words) > 1 and words[-1] in DIRECTIONS and words[-2] in SURFACES:  # `table center`
        selectors.append(DIRECTIONS[words[-1]])
        words = words[:-1]
    relations = tuple(Relation("side", side=side) for side in selectors)
    return Reference(" ".join(words), relations, owner=owner, count=count)


def _drawer(words: list[str], owner: Reference | None, count: int) -> Reference:
    """`top layer of the wooden cabinet`, `middle layer of the drawer`, `cabinet top drawer`, `the drawer`."""
    levels = [LEVELS[word] for word in words if word in LEVELS]
    names = [word for word in words[:-1] if word not in LEVELS and word not in DIRECTIONS]
    sides = [DIRECTIONS[word] for word in words[:-1] if word in DIRECTIONS and word not in LEVELS]
    if owner is None and names:
        owner = Reference(" ".join(names))
    if owner is not None and owner.noun == "drawer" and owner.level is None:
        owner = owner.owner  # a chest of drawers is itself called `the drawer`
    level = levels[0] if levels else None
    return Reference("drawer", tuple(Relation("side", side=side) for side in sides), level, owner, count)
