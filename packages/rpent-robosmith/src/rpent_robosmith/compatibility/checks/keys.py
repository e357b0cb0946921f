"""Keys: what the policy wants and nobody gives, what has another name, what was only guessed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent_robosmith.compatibility.report import Issue
from rpent_robosmith.compatibility.suggest import ONLY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent_robosmith.compatibility.pair import Pair
    from rpent_robosmith.compatibility.report import ObservationLink


def check(pair: Pair) -> Iterator[Issue]:
    """Yield `missing_observation`, `missing_camera`, `renamed` and `guessed`; the target's other keys are no issue."""
    for link in pair.mapping.observation:
        if not link.sources:
            yield _missing(pair, link)
        elif link.score <= ONLY:
            yield _guessed(link)
        elif [link.policy] != (keys := [source.key for source in link.sources]):
            yield Issue(
                check="renamed",
                severity="info",
                policy=link.policy,
                target=", ".join(dict.fromkeys(keys)),
                expected=link.policy,
                found=keys,
                handled="wrapper",
                message=f"`{link.policy}` is taken from {_listed(keys)}.",
            )


def _missing(pair: Pair, link: ObservationLink) -> Issue:
    offered = [key for key in pair.mapping.unused if pair.target.observation[key].kind == link.kind]
    filled = link.fill is not None
    what = "camera" if link.kind == "image" else "observation"
    return Issue(
        check=f"missing_{what}",
        severity="warning" if filled else pair.severity("critical"),
        policy=link.policy,
        expected={"kind": link.kind, "shape": list(link.shape)},
        found=offered,
        remedy=f"Say which it is: `--map {link.policy}=KEY`."
        if offered
        else "The target has nothing of the kind.",
        message=f"`{link.policy}` has no counterpart"
        + (f"; unused are {_listed(offered)}" if offered else "")
        + (". It is filled with zeros, as was asked." if filled else "."),
        handled="repair" if filled else "no",
        repair="fill-observations",
    )


def _guessed(link: ObservationLink) -> Issue:
    keys = [source.key for source in link.sources]
    return Issue(
        check="guessed",
        severity="warning",
        policy=link.policy,
        target=", ".join(keys),
        expected=link.policy,
        found=keys,
        remedy=f"Confirm it: `--map {link.policy}={'+'.join(keys)}`.",
        message=f"`{link.policy}` is taken from {_listed(keys)}: what is left over and alike in size, by no name.",
        handled="wrapper",
    )


def _listed(keys: list[str]) -> str:
    return " + ".join(f"`{key}`" for key in keys)
