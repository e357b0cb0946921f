"""The order and meaning of a state's numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent_robosmith.compatibility.pair import size
from rpent_robosmith.compatibility.report import Issue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent_robosmith.compatibility.pair import Pair


def check(pair: Pair) -> Iterator[Issue]:
    """Yield `state_order`, `state_names` and `joined`."""
    for link, wanted, found in pair.links():
        if link.kind != "vector":
            continue
        if found is None and len(link.sources) > 1:
            yield Issue(
                check="joined",
                severity="info",
                policy=link.policy,
                target="+".join(source.key for source in link.sources),
                expected=size(wanted),
                found=[source.key for source in link.sources],
                message=f"`{link.policy}` is joined from {len(link.sources)} arrays, in this order.",
                handled="wrapper",
            )
        if found is None or not wanted.names or not found.names or wanted.names == found.names:
            continue
        keys = {"policy": link.policy, "target": link.sources[0].key}
        names = {"expected": list(wanted.names), "found": list(found.names)}
        if link.order:
            yield Issue(
                check="state_order",
                severity="warning",
                **keys,
                **names,
                message=f"The numbers of `{link.policy}` are in another order; the wrapper sorts them by name.",
                handled="wrapper",
            )
        elif size(wanted) == size(found):
            yield Issue(
                check="state_names",
                severity="warning",
                **keys,
                **names,
                remedy="Make sure that they mean the same: only their number is.",
                message=f"The numbers of `{link.policy}` have other names on the two sides.",
            )
