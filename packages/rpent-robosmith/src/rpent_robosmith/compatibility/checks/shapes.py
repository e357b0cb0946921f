"""Lengths of vectors, and sizes, channels and aspect of pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent_robosmith.compatibility.pair import size
from rpent_robosmith.compatibility.report import Issue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent_robosmith.compatibility.pair import Pair
    from rpent_robosmith.compatibility.report import ObservationLink
    from rpent_robosmith.inspect.api import Feature

_ASPECT = 0.02
"""Aspect ratios that differ by less than that are one."""


def check(pair: Pair) -> Iterator[Issue]:
    """Yield `observation_size`, `image_size`, `image_aspect`, `image_channels` and `image_layout`."""
    for link, wanted, found in pair.links():
        if found is None:
            if link.sources:
                yield from _joined(pair, link, wanted)
        elif link.kind == "image":
            yield from _picture(pair, link, wanted, found)
        elif size(wanted) != size(found):
            yield _length(pair, link, wanted, size(found))


def _joined(pair: Pair, link: ObservationLink, wanted: Feature) -> Iterator[Issue]:
    together = sum(source_length(pair, link))
    if together != size(wanted):
        yield _length(pair, link, wanted, together)


def source_length(pair: Pair, link: ObservationLink) -> Iterator[int]:
    """Yield how many numbers each source of a link gives."""
    lengths = {"axis_angle": 3, "matrix": 9, "rotation_6d": 6, "euler_xyz": 3, "wxyz": 4}
    for source in link.sources:
        whole = lengths.get(source.convert) or size(pair.target.observation[source.key])
        yield max(0, min(whole, whole if source.stop is None else source.stop) - source.start)


def _length(pair: Pair, link: ObservationLink, wanted: Feature, length: int) -> Issue:
    want = size(wanted)
    cut = length > want and link.cut
    return Issue(
        check="observation_size",
        severity="warning" if cut else pair.severity("critical"),
        policy=link.policy,
        target="+".join(source.key for source in link.sources),
        expected=want,
        found=length,
        remedy="Choose other keys with `--map`, or a policy that was trained with this state.",
        message=f"`{link.policy}` has {want} numbers, the target gives {length}."
        + (" The last ones are dropped, as was asked." if cut else ""),
        handled="repair" if cut else "no",
        repair="cut-observations" if length > want else None,
    )


def _picture(pair: Pair, link: ObservationLink, wanted: Feature, found: Feature) -> Iterator[Issue]:
    keys = {"policy": link.policy, "target": link.sources[0].key}
    yield from _channels(pair, keys, wanted.shape[2], found.shape[2])
    yield from _sizes(keys, wanted, found)
    if wanted.channels_first != found.channels_first:
        yield Issue(
            check="image_layout",
            severity="info",
            **keys,
            expected="CHW" if wanted.channels_first else "HWC",
            found="CHW" if found.channels_first else "HWC",
            message=f"The axes of `{link.policy}` are put in the policy's order.",
            handled="wrapper",
        )


def _channels(pair: Pair, keys: dict[str, str], channels: int, given: int) -> Iterator[Issue]:
    if channels != given:
        convertible = {channels, given} <= {1, 3, 4}
        yield Issue(
            check="image_channels",
            severity="warning" if convertible else pair.severity("critical"),
            **keys,
            expected=channels,
            found=given,
            remedy="" if convertible else "Give the policy the pictures that it was trained with.",
            message=f"`{keys['policy']}` has {channels} channels, the target's picture {given}.",
            handled="wrapper" if convertible else "no",
        )


def _sizes(keys: dict[str, str], wanted: Feature, found: Feature) -> Iterator[Issue]:
    (height, width, _), (rows, columns, _), name = wanted.shape, found.shape, keys["policy"]
    if 0 not in (height, width, rows, columns) and (height, width) != (rows, columns):
        yield Issue(
            check="image_size",
            severity="info" if wanted.resizes else "warning",
            **keys,
            expected=[height, width],
            found=[rows, columns],
            remedy="" if wanted.resizes else "Render or record in the policy's size where that is possible.",
            message=f"`{name}` is {height} x {width}, the target's picture {rows} x {columns}; "
            + ("the policy resizes by itself." if wanted.resizes else "the wrapper resizes."),
            handled="wrapper",
        )
        if abs(height / width - rows / columns) > _ASPECT * (height / width):
            yield Issue(
                check="image_aspect",
                severity="warning",
                **keys,
                expected=round(width / height, 4),
                found=round(columns / rows, 4),
                remedy="Crop or render in the policy's aspect ratio; stretched pictures look different to it.",
                message=f"`{name}` has another aspect ratio than the target's picture, which is stretched.",
                handled="wrapper",
            )
