"""Parts of machines that hands work: of whose they are, and what they are called to the perceptor."""

from __future__ import annotations

from dataclasses import replace

from rpent_planner_flash.goals import Reference
from rpent_planner_flash.lexicon import CONTROL_NOUNS, QUALIFIERS


def is_control(reference: Reference) -> bool:
    """Whether it names a part that hands work: `start button`, `lid`, `toaster oven door`."""
    return head(reference) in CONTROL_NOUNS


def head(reference: Reference) -> str:
    """Return the last word of a name."""
    return reference.noun.rpartition(" ")[2]


def as_part(reference: Reference) -> Reference:
    """Return a part with its place in its name, and with what it belongs to as its owner.

    `front left burner [on stove]` becomes `front left burner of stove`, `toaster oven door` `door of toaster oven`.
    """
    if not is_control(reference):
        return reference
    words = reference.noun.split()
    first = len(words) - 1
    while first > 0 and words[first - 1] in QUALIFIERS:
        first -= 1
    whose, name = words[:first], words[first:]
    while whose and whose[0] in QUALIFIERS:  # `top dishwasher rack`
        name = [whose[0], *name]
        whose = whose[1:]
    places = [side for side in reference.sides if side not in name]
    owner = reference.owner
    rest = tuple(relation for relation in reference.relations if relation.kind != "side")
    if owner is None and whose:
        owner = Reference(" ".join(whose))
    elif owner is None and rest and rest[0].kind in ("on", "in") and rest[0].anchors:
        owner, rest = rest[0].anchors[0], rest[1:]
    elif owner is not None and is_control(owner):  # `the button of the lid of the kettle`
        owner = as_part(owner)
    return replace(reference, noun=" ".join([*places, *name]), relations=rest, owner=owner)


def with_owner(reference: Reference, owner: Reference | None) -> Reference:
    """Return a part that belongs to something, where the instruction did not say of what otherwise."""
    part = as_part(reference)
    if owner is None or part.owner is not None or not is_control(part):
        return part
    return replace(part, owner=whole(owner))


def whole(reference: Reference) -> Reference:
    """Return the thing of which something is a part, of whatever depth."""
    part = as_part(reference)
    if part.owner is not None and is_control(part):
        return whole(part.owner)
    words = part.noun.split()
    while len(words) > 1 and words[0] in CONTROL_NOUNS:  # `the lid blender`
        words = words[1:]
    return replace(part, noun=" ".join(words))
