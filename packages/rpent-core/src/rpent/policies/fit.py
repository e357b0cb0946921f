"""Whether a checkpoint fits a robot: the layout that suits it, or what differs from the nearest one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpent.errors import PolicyError, UsageError
from rpent.policies.embodiment import NATIVE, ActionPart, CameraView, Embodiment, Layout, StatePart
from rpent.policies.orientation import CONVERSIONS
from rpent.suggest import did_you_mean, listing

if TYPE_CHECKING:
    from rpent.policies.signature import Signature


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that the checkpoint and the robot do not agree on."""

    what: str
    """`camera observation.images.top`, `state observation.state`, `action`, `robot`."""
    wanted: str
    """The checkpoint's side, as a clause: `wants 9 numbers`."""
    offered: str
    """The robot's side in this layout, likewise."""

    def __str__(self) -> str:
        """Return it as one clause."""
        return f"{self.what}: the checkpoint {self.wanted}, the robot {self.offered}"


@dataclass(frozen=True, slots=True)
class Fit:
    """A checkpoint beside a robot's layout."""

    signature: Signature
    embodiment: Embodiment
    layout: Layout
    differences: tuple[Difference, ...]

    @property
    def ok(self) -> bool:
        """Whether the policy can drive the robot through this layout."""
        return not self.differences


def native_layout(embodiment: Embodiment) -> Layout:
    """Return the layout that every robot has: its own names, nothing converted."""
    return Layout(
        name=NATIVE,
        summary="The robot's own cameras, state fields and actions, unchanged.",
        cameras={camera: CameraView(camera=camera) for camera in embodiment.cameras},
        state={field: (StatePart(field=field),) for field in embodiment.state},
        action=tuple(ActionPart(field=field, source=field) for field in embodiment.action),
    )


def layouts_of(embodiment: Embodiment) -> tuple[Layout, ...]:
    """Return the declared layouts and the native one."""
    return (*embodiment.layouts, native_layout(embodiment))


def fit(signature: Signature, embodiment: Embodiment, layout: str | None = None) -> Fit:
    """Put a checkpoint beside a robot: in the layout that is named, else the first one that fits, else the nearest.

    Raises:
        UsageError: The robot has no layout of that name.
    """
    known = {each.name: each for each in layouts_of(embodiment)}
    wanted = layout or (signature.layout if signature.layout in known else None)
    if wanted is not None:
        if wanted not in known:
            raise UsageError(
                f"The robot `{embodiment.robot}` has no layout `{wanted}`{did_you_mean(wanted, known)}",
                hint=f"Its layouts: {listing(known)}.",
            )
        return _beside(signature, embodiment, known[wanted])
    return min(
        (_beside(signature, embodiment, each) for each in known.values()),
        key=lambda each: len(each.differences),
    )


def refusal(found: Fit) -> PolicyError:
    """Return the error for a checkpoint that does not fit; its hint lists the differences."""
    robot, layout = found.embodiment.robot, found.layout.name
    lines = [f"  {difference}" for difference in found.differences]
    return PolicyError(
        f"The checkpoint ({found.signature.family}) does not fit the robot `{robot}`; "
        f"the nearest of its layouts is `{layout}`.",
        hint="\n".join(["Differences:", *lines]),
    )


def state_length(embodiment: Embodiment, part: StatePart) -> int:
    """Return how many numbers a part contributes to a policy's vector; 0 where the robot has no such field."""
    length = embodiment.state.get(part.field, 0)
    if part.convert != "none":
        length = CONVERSIONS[part.convert][0] if length else 0
    end = length if part.length is None else min(length, part.start + part.length)
    return max(0, end - part.start)


def action_length(embodiment: Embodiment, layout: Layout) -> int:
    """Return the length of a policy's action in a layout."""
    return sum(
        embodiment.action[part.field].length for part in layout.action if part.field in embodiment.action
    )


def action_slices(
    signature: Signature, layout: Layout, embodiment: Embodiment
) -> list[tuple[ActionPart, slice]]:
    """Return which of the checkpoint's columns each part of a layout's action takes, in the layout's order.

    A part takes those of the checkpoint's part that it names (`source`), else those after the part before it. Of a
    layout that does not fit, a name that the checkpoint lacks is passed over.
    """
    starts, position = {}, 0
    for name, length in signature.action.items():
        starts[name], position = position, position + length
    slices, following = [], 0
    for part in layout.action:
        start = following if part.source is None else starts.get(part.source, following)
        following = start + embodiment.action[part.field].length
        slices.append((part, slice(start, following)))
    return slices


def _beside(signature: Signature, embodiment: Embodiment, layout: Layout) -> Fit:
    differences = (
        *_robot(signature, embodiment),
        *_cameras(signature, layout),
        *_states(signature, embodiment, layout),
        *_actions(signature, embodiment, layout),
    )
    return Fit(signature, embodiment, layout, differences)


def _robot(signature: Signature, embodiment: Embodiment) -> list[Difference]:
    if signature.robot in {None, embodiment.robot}:
        return []
    return [Difference("robot", f"is for `{signature.robot}`", f"is `{embodiment.robot}`")]


def _cameras(signature: Signature, layout: Layout) -> list[Difference]:
    return [
        Difference(f"camera `{name}`", "wants it", f"has {listing(layout.cameras)}")
        for name in signature.cameras
        if name not in layout.cameras
    ]


def _states(signature: Signature, embodiment: Embodiment, layout: Layout) -> list[Difference]:
    differences = []
    for name, wanted in signature.state.items():
        parts = layout.state.get(name)
        if parts is None:
            differences.append(Difference(f"state `{name}`", "wants it", f"has {listing(layout.state)}"))
        elif (length := sum(state_length(embodiment, part) for part in parts)) != wanted:
            made_of = " + ".join(converted(part) for part in parts)
            differences.append(
                Difference(f"state `{name}`", f"wants {wanted} numbers", f"gives {length} ({made_of})")
            )
    return differences


def _actions(signature: Signature, embodiment: Embodiment, layout: Layout) -> list[Difference]:
    named = {part.source for part in layout.action if part.source is not None}
    if named and (missing := named - set(signature.action)):
        given = listing(signature.action)
        return [Difference("action", f"gives {given}", f"takes {listing(sorted(missing))}")]
    differences = []
    if (offered := action_length(embodiment, layout)) != signature.action_dim:
        made_of = " + ".join(part.field for part in layout.action)
        differences.append(
            Difference("action", f"gives {signature.action_dim} numbers", f"takes {offered} ({made_of})")
        )
    for part in layout.action:
        if part.source is not None and signature.action[part.source] != embodiment.action[part.field].length:
            differences.append(
                Difference(
                    f"action `{part.source}`",
                    f"gives {signature.action[part.source]} numbers",
                    f"takes {embodiment.action[part.field].length} for `{part.field}`",
                )
            )
    rate = signature.control_rate_hz or layout.control_rate_hz
    if rate is not None and rate != embodiment.control_rate_hz:
        differences.append(
            Difference("control rate", f"acts at {rate:g} Hz", f"at {embodiment.control_rate_hz:g} Hz")
        )
    return differences


def converted(part: StatePart) -> str:
    """Return the field that a part is made of, with what becomes of it: `axis_angle(eef_quaternion)`."""
    return part.field if part.convert == "none" else f"{part.convert}({part.field})"
