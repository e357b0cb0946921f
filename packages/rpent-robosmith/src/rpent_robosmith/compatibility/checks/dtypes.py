"""Types of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent_robosmith.compatibility.report import Issue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent_robosmith.compatibility.pair import Pair


def check(pair: Pair) -> Iterator[Issue]:
    """Yield `dtype` where the wrapper converts, and `image_range` where pictures are bytes here and floats there."""
    for link, wanted, found in pair.links():
        if found is None or not wanted.dtype or not found.dtype or wanted.dtype == found.dtype:
            continue
        keys = {"policy": link.policy, "target": link.sources[0].key}
        if link.kind == "image" and "uint8" in (wanted.dtype, found.dtype):
            yield Issue(
                check="image_range",
                severity="info",
                **keys,
                expected=wanted.dtype,
                found=found.dtype,
                message=f"`{link.policy}` is {wanted.dtype}, the target's picture {found.dtype}: 0 … 255 and 0 … 1 are "
                "converted.",
                handled="wrapper",
            )
        else:
            loses = found.dtype == "float64" and wanted.dtype == "float16"
            yield Issue(
                check="dtype",
                severity="warning" if loses else "info",
                **keys,
                expected=wanted.dtype,
                found=found.dtype,
                message=f"`{link.policy}` is {wanted.dtype}, the target's {found.dtype}.",
                handled="wrapper",
            )
