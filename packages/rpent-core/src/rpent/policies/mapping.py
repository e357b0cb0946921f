"""What becomes of a robot's pictures, state and actions in a layout, in words: for who checks that it is right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rpent.policies.fit import action_slices, converted, state_length

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent.policies.embodiment import ActionPart, CameraView, StatePart
    from rpent.policies.fit import Fit

_FLIPS = {
    "none": "",
    "horizontal": "mirrored left to right",
    "vertical": "mirrored top to bottom",
    "rotate180": "turned by 180°",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class MappingRow:
    """One picture, or one part of a vector."""

    kind: Literal["camera", "state", "action"]
    policy: str
    """What it is to the checkpoint: `observation.state[0:3]`."""
    robot: str
    """What it is to the robot: `eef_position`."""
    how: str = ""
    """What is done to it; empty where nothing is."""


def mapping(found: Fit) -> tuple[MappingRow, ...]:
    """Return the rows of a fit, as far as the layout goes: what has no counterpart is among its differences."""
    return (*_cameras(found), *_states(found), *_actions(found))


def _cameras(found: Fit) -> Iterator[MappingRow]:
    for name, wanted in found.signature.cameras.items():
        if (view := found.layout.cameras.get(name)) is not None:
            height, width = wanted.height or view.height, wanted.width or view.width
            yield MappingRow(kind="camera", policy=name, robot=view.camera, how=_seen(view, height, width))


def _seen(view: CameraView, height: int | None, width: int | None) -> str:
    size = f"{height} x {width}" if height and width else "any size"
    padded = "edges filled with black" if view.resize == "pad" else ""
    return ", ".join(part for part in (_FLIPS[view.flip], size, padded) if part)


def _states(found: Fit) -> Iterator[MappingRow]:
    for name in found.signature.state:
        start = 0
        for part in found.layout.state.get(name, ()):
            end = start + state_length(found.embodiment, part)
            yield MappingRow(
                kind="state", policy=f"{name}[{start}:{end}]", robot=_taken(part), how=_scaled(part)
            )
            start = end


def _taken(part: StatePart) -> str:
    name = converted(part)
    if part.start == 0 and part.length is None:
        return name
    return f"{name}[{part.start}:{'' if part.length is None else part.start + part.length}]"


def _actions(found: Fit) -> Iterator[MappingRow]:
    for part, taken in action_slices(found.signature, found.layout, found.embodiment):
        field = found.embodiment.action[part.field]
        columns = f"action[{taken.start}:{taken.stop}]"
        yield MappingRow(
            kind="action",
            policy=columns if part.source is None else f"{part.source} = {columns}",
            robot=part.field,
            how="; ".join(text for text in (_scaled(part), field.summary) if text),
        )


def _scaled(part: StatePart | ActionPart) -> str:
    scale = "" if part.scale == 1 else f"times {part.scale:g}"
    offset = "" if part.offset == 0 else f"plus {part.offset:g}"
    binary = "rounded to -1 or 1" if getattr(part, "binary", False) else ""
    return ", ".join(text for text in (scale, offset, binary) if text)
