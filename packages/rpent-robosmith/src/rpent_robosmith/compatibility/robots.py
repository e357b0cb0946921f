"""The mapping to a robot of RPent: by the layout that fits, where one does (see `rpent.policies.fit`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpent.policies.embodiment import Embodiment
from rpent.policies.fit import Fit, action_length, action_slices, fit
from rpent.policies.signature import CameraInput, Signature

from rpent_robosmith.compatibility.pair import size
from rpent_robosmith.compatibility.report import Source

if TYPE_CHECKING:
    from rpent.policies.embodiment import StatePart

    from rpent_robosmith.compatibility.report import ActionLink, Mapping, ObservationLink
    from rpent_robosmith.inspect.api import ArtefactFacts

ROBOT_FORMAT = "rpent-robot"


def by_layout(mapping: Mapping, policy: ArtefactFacts, target: ArtefactFacts) -> Mapping:
    """Return a mapping in which the robot's layout says what it knows; the rest stays as it was suggested.

    Args:
        mapping: The suggestion by names and shapes.
        policy: The policy.
        target: A robot.
    """
    found = fit(signature_of(policy), Embodiment.model_validate(target.details["embodiment"]))
    if found.layout.name == "native":
        return mapping
    links = tuple(_link(link, found) for link in mapping.observation)
    used = {source.key for link in links for source in link.sources}
    return mapping.model_copy(
        update={
            "observation": links,
            "action": _action(mapping.action, found) if _acts(found) else mapping.action,
            "unused": tuple(key for key in target.observation if key not in used),
            "layout": found.layout.name,
        }
    )


def signature_of(policy: ArtefactFacts) -> Signature:
    """Return a policy as core's comparison with robots takes it."""
    pictures = {name: each for name, each in policy.observation.items() if each.kind == "image"}
    return Signature(
        family=policy.algorithm or policy.format,
        cameras={
            name: CameraInput(height=each.shape[0] or None, width=each.shape[1] or None)
            for name, each in pictures.items()
        },
        state={name: size(each) for name, each in policy.observation.items() if each.kind == "vector"},
        action={name: size(each) for name, each in policy.action.items()},
        chunk_length=policy.chunk_length,
        control_rate_hz=policy.control_rate_hz,
    )


def _link(link: ObservationLink, found: Fit) -> ObservationLink:
    layout = found.layout
    if link.kind == "image" and (view := layout.cameras.get(link.policy)) is not None:
        return link.model_copy(
            update={
                "sources": (Source(key=view.camera),),
                "flip": view.flip,
                "resize": "pad" if view.resize == "pad" else "stretch",
                "source_channels_first": False,
                "score": 1.0,
            }
        )
    if link.kind == "vector" and (parts := layout.state.get(link.policy)) is not None:
        return link.model_copy(
            update={"sources": tuple(_source(part) for part in parts), "score": 1.0, "order": (), "scale": ()}
        )
    return link


def _source(part: StatePart) -> Source:
    return Source(
        key=part.field,
        start=part.start,
        stop=None if part.length is None else part.start + part.length,
        convert=part.convert,
        scale=part.scale,
        offset=part.offset,
    )


def _acts(found: Fit) -> bool:
    """Whether the layout takes all of the policy's action, part by part."""
    named = {part.source for part in found.layout.action if part.source is not None}
    same = action_length(found.embodiment, found.layout) == found.signature.action_dim
    return same and named <= set(found.signature.action)


def _action(link: ActionLink, found: Fit) -> ActionLink:
    """Return the columns, scale and offset of each number of the robot's action, in its own order."""
    slices = action_slices(found.signature, found.layout, found.embodiment)
    parts = {part.field: (part, taken) for part, taken in slices}
    order: list[int] = []
    scale: list[float] = []
    offset: list[float] = []
    binary: list[bool] = []
    for name, field in found.embodiment.action.items():
        part, taken = parts[name]
        order.extend(range(taken.start, taken.stop))
        scale.extend([part.scale] * field.length)
        offset.extend([part.offset] * field.length)
        binary.extend([part.binary] * field.length)
    plain = order == list(range(len(order)))
    return link.model_copy(
        update={
            "order": () if plain else tuple(order),
            "scale": tuple(scale) if any(each != 1 for each in scale) else (),
            "offset": tuple(offset) if any(offset) else (),
            "binary": tuple(binary) if any(binary) else (),
            "execute_steps": _execute(link, found),
        }
    )


def _execute(link: ActionLink, found: Fit) -> int:
    """Return how many actions are carried out: what the layout's checkpoints are meant for, unless it was said."""
    meant = found.layout.execute_steps
    return (
        min(meant, link.chunk_length)
        if meant and link.execute_steps == link.chunk_length
        else link.execute_steps
    )
