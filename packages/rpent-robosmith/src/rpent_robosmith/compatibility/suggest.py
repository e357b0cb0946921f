"""The suggested mapping: which of the target's arrays is which of the policy's, by name, kind and shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.errors import UsageError
from rpent.suggest import did_you_mean, listing

from rpent_robosmith.compatibility.actions import action_link
from rpent_robosmith.compatibility.names import similarity, tokens
from rpent_robosmith.compatibility.normalize import is_lost, observation_statistics
from rpent_robosmith.compatibility.order import order_of, unit_scales
from rpent_robosmith.compatibility.pair import NOTHING, size
from rpent_robosmith.compatibility.report import Mapping, ObservationLink, Source
from rpent_robosmith.compatibility.robots import ROBOT_FORMAT, by_layout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent_robosmith.compatibility.pair import Wishes
    from rpent_robosmith.compatibility.report import Repair
    from rpent_robosmith.inspect.api import ArtefactFacts, Feature

SURE = 0.55
"""Names that are less alike are no suggestion by themselves."""
ONLY = 0.5
"""The score of two that are left over, alike in kind and size."""


def suggest(policy: ArtefactFacts, target: ArtefactFacts, wishes: Wishes = NOTHING) -> Mapping:
    """Return a mapping, complete or not; what has no counterpart has no sources.

    Args:
        policy: What expects.
        target: What has.
        wishes: Links that the user gave, which go before every suggestion; and repairs.

    Raises:
        UsageError: A link names a key that one of the sides does not have.
    """
    _check_wishes(policy, target, wishes)
    chosen = _chosen(policy, target, wishes)
    used = {key for keys, _ in chosen.values() for key in keys}
    found = Mapping(
        observation=tuple(
            _link(name, chosen.get(name, ((), 0.0)), policy, target, wishes) for name in policy.observation
        ),
        action=action_link(policy, target, wishes),
        bare_observation=target.bare,
        bare_policy=policy.bare,
        observation_steps=policy.observation_steps,
        instruction=bool(policy.language),
        default_instruction=wishes.instruction,
        unused=tuple(key for key in target.observation if key not in used),
    )
    if target.format == ROBOT_FORMAT and not wishes.links:
        found = by_layout(found, policy, target)
    return found.model_copy(update={"repairs": _in_use(found)})


def _in_use(mapping: Mapping) -> tuple[Repair, ...]:
    """Return the repairs that the mapping really makes."""
    action, links = mapping.action, mapping.observation
    used: dict[Repair, bool] = {
        "pad-actions": action.pad is not None,
        "cut-actions": action.cut,
        "rescale-actions": action.rescaled,
        "fill-observations": any(link.fill is not None for link in links),
        "cut-observations": any(link.cut for link in links),
        "target-statistics": action.borrowed or any(link.borrowed for link in links),
    }
    return tuple(name for name, each in used.items() if each)


def _check_wishes(policy: ArtefactFacts, target: ArtefactFacts, wishes: Wishes) -> None:
    for name, keys in wishes.links.items():
        if name not in policy.observation:
            raise UsageError(
                f"The policy takes no `{name}`{did_you_mean(name, policy.observation)}",
                hint=f"It takes {listing(policy.observation)}.",
            )
        for key in keys:
            if key not in target.observation:
                raise UsageError(
                    f"The target has no `{key}`{did_you_mean(key, target.observation)}",
                    hint=f"It has {listing(target.observation)}.",
                )


def _chosen(
    policy: ArtefactFacts, target: ArtefactFacts, wishes: Wishes
) -> dict[str, tuple[tuple[str, ...], float]]:
    """Return the policy's key → the target's keys and how sure that is."""
    again = {name: first for name, first in _repeated(policy).items() if name not in wishes.links}
    once = {name: each for name, each in policy.observation.items() if name not in again}
    found = _chosen_once(policy.model_copy(update={"observation": once}), target, wishes)
    return found | {name: found[first] for name, first in again.items() if first in found}


def _repeated(policy: ArtefactFacts) -> dict[str, str]:
    """Return inputs that are another one once more → that one.

    LeRobot's ACT without pictures takes its state as `observation.environment_state` besides `observation.state`: equal
    statistics show that both were the same array. Of two, the one with fewer words in its name comes first.
    """
    names = sorted(policy.observation, key=lambda name: len(tokens(name)))
    found: dict[str, str] = {}
    for index, name in enumerate(names):
        one = policy.observation[name]
        for first in names[:index]:
            other = policy.observation[first]
            same = (one.kind, one.shape, one.mean, one.std) == (
                other.kind,
                other.shape,
                other.mean,
                other.std,
            )
            if one.kind == "vector" and one.mean and one.std and same:
                found[name] = found.get(first, first)
                break
    return found


def _chosen_once(
    policy: ArtefactFacts, target: ArtefactFacts, wishes: Wishes
) -> dict[str, tuple[tuple[str, ...], float]]:
    chosen: dict[str, tuple[tuple[str, ...], float]] = {
        name: (keys, 1.0) for name, keys in wishes.links.items()
    }
    for score, name, key in sorted(_scores(policy, target), key=lambda each: -each[0]):
        taken = {each for keys, _ in chosen.values() for each in keys}
        if score >= SURE and name not in chosen and key not in taken:
            chosen[name] = ((key,), round(score, 3))
    chosen |= _left_over(policy, target, chosen)
    chosen |= _joined(policy, target, chosen)
    return chosen


def _scores(policy: ArtefactFacts, target: ArtefactFacts) -> Iterator[tuple[float, str, str]]:
    for name, wanted in policy.observation.items():
        for key, found in target.observation.items():
            if wanted.kind == found.kind:
                alike = max(similarity(name, key), _only_state(policy, target, name, key))
                bonus = 0.05 if _same_size(wanted, found) else 0.0
                yield min(1.0, alike * 0.95 + bonus), name, key


def _only_state(policy: ArtefactFacts, target: ArtefactFacts, name: str, key: str) -> float:
    """Return how sure it is that one side's only array is what the other calls its state, of the same length."""
    wanted, found = policy.observation[name], target.observation[key]
    other = key if policy.bare else name
    if policy.bare == target.bare or wanted.kind != "vector" or not _same_size(wanted, found):
        return 0.0
    return 0.85 if tokens(other) == frozenset({"state"}) else 0.0


def _left_over(
    policy: ArtefactFacts, target: ArtefactFacts, chosen: dict[str, tuple[tuple[str, ...], float]]
) -> dict[str, tuple[tuple[str, ...], float]]:
    """Pair what is the only one left of its kind on both sides: vectors only where their lengths are the same."""
    taken = {key for keys, _ in chosen.values() for key in keys}
    found: dict[str, tuple[tuple[str, ...], float]] = {}
    for kind in ("image", "vector", "discrete"):
        names = [
            name for name, each in policy.observation.items() if each.kind == kind and name not in chosen
        ]
        keys = [key for key, each in target.observation.items() if each.kind == kind and key not in taken]
        if len(names) == 1 and kind == "vector":
            keys = [key for key in keys if _same_size(policy.observation[names[0]], target.observation[key])]
        if len(names) == len(keys) == 1:
            found[names[0]] = ((keys[0],), ONLY)
    return found


def _joined(
    policy: ArtefactFacts, target: ArtefactFacts, chosen: dict[str, tuple[tuple[str, ...], float]]
) -> dict[str, tuple[tuple[str, ...], float]]:
    """Join all vectors of a target for a policy that takes one array of their common length.

    In the order of their keys, as Gymnasium's `FlattenObservation` does.
    """
    vectors = [name for name, each in policy.observation.items() if each.kind == "vector"]
    if len(vectors) != 1 or vectors[0] in chosen or target.bare:
        return {}
    keys = tuple(sorted(key for key, each in target.observation.items() if each.kind == "vector"))
    together = sum(size(target.observation[key]) for key in keys)
    if len(keys) > 1 and together == size(policy.observation[vectors[0]]):
        return {vectors[0]: (keys, ONLY)}
    return {}


def _same_size(one: Feature, other: Feature) -> bool:
    return one.shape == other.shape if one.kind == "image" else size(one) == size(other)


def _link(
    name: str,
    chosen: tuple[tuple[str, ...], float],
    policy: ArtefactFacts,
    target: ArtefactFacts,
    wishes: Wishes,
) -> ObservationLink:
    (keys, score), wanted = chosen, policy.observation[name]
    found = [target.observation[key] for key in keys]
    single = found[0] if len(found) == 1 else None
    too_long = wanted.kind == "vector" and sum(map(size, found)) > size(wanted)
    statistics = observation_statistics(policy, target, name, keys, wishes)
    return ObservationLink(
        policy=name,
        kind=wanted.kind,
        sources=tuple(Source(key=key) for key in keys),
        shape=wanted.shape,
        dtype=wanted.dtype or ("uint8" if wanted.kind == "image" else "float32"),
        channels_first=wanted.channels_first,
        unit_range=wanted.kind == "image" and wanted.dtype.startswith("float"),
        source_channels_first=single.channels_first if single else False,
        resize="stretch" if single and wanted.kind == "image" and _resized(wanted, single) else "none",
        order=order_of(wanted.names, single.names) if single else (),
        scale=unit_scales(wanted, single) if single else (),
        normalize=statistics,
        borrowed=statistics is not None and "target-statistics" in wishes.repairs and is_lost(policy, name),
        fill=0.0 if not keys and "fill-observations" in wishes.repairs else None,
        cut=too_long and "cut-observations" in wishes.repairs,
        score=score,
    )


def _resized(wanted: Feature, found: Feature) -> bool:
    return not wanted.resizes and wanted.shape[:2] != found.shape[:2]
