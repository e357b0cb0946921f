"""Which of openpi's keys is which input of the policy: given, from the robot's layout, or plain to see."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpent.errors import UsageError
from rpent.suggest import did_you_mean, listing

from rpent_policy_openpi.presets import PRESETS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rpent.policies.signature import Signature

PROMPT = "prompt"
_FORM = re.compile(r"(?P<key>[^=\[\]\s]+)(\[(?P<start>\d{1,4}):(?P<stop>\d{1,4})\])?=(?P<name>\S+)")
_ON_THE_HAND = re.compile(r"wrist|hand|gripper|image2$", re.IGNORECASE)
_LIBERO = PRESETS["libero"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A client's key, or a part of its vector, for one input of the policy."""

    key: str
    name: str
    start: int | None = None
    stop: int | None = None

    def __str__(self) -> str:
        """Return it as the user would type it."""
        part = "" if self.start is None else f"[{self.start}:{self.stop}]"
        return f"{self.key}{part}={self.name}"


@dataclass(frozen=True, slots=True)
class KeyMap:
    """All inputs of a policy in a client's keys. Several pieces make one vector, in order."""

    cameras: tuple[Piece, ...]
    state: tuple[Piece, ...]
    ignored: frozenset[str] = frozenset()

    @property
    def keys(self) -> tuple[str, ...]:
        """The client's keys, without the prompt's."""
        return tuple(dict.fromkeys(piece.key for piece in (*self.cameras, *self.state)))


def parse_piece(text: str) -> Piece:
    """Read `KEY=NAME` or `KEY[START:STOP]=NAME`.

    Raises:
        UsageError: It is neither.
    """
    match = _FORM.fullmatch(text)
    if match is None or (match["start"] and int(match["start"]) >= int(match["stop"])):
        raise UsageError(
            f"`{text}` is not accepted by `--key`.", hint="Accepted: `KEY=NAME` and `KEY[START:STOP]=NAME`."
        )
    bounds = (int(match["start"]), int(match["stop"])) if match["start"] else (None, None)
    return Piece(match["key"], match["name"], *bounds)


def key_map(
    signature: Signature,
    *,
    given: Sequence[Piece] = (),
    layout: Mapping[str, str] | None = None,
    ignored: Iterable[str] = (),
) -> KeyMap:
    """Find a key for each input: those that are given, then the layout's, then equal names, then LIBERO's.

    Args:
        signature: What the policy takes.
        given: What the user said.
        layout: openpi's key → the policy's name, from the robot's layout.
        ignored: Keys that clients may send and nobody reads.

    Raises:
        UsageError: An input is left without a key, or a piece is for no input.
    """
    names = [*signature.cameras, *signature.state]
    for piece in given:
        if piece.name not in names:
            raise UsageError(
                f"The policy has no input `{piece.name}`{did_you_mean(piece.name, names)}",
                hint=f"Its inputs: {listing(names)}.",
            )
    pieces = {name: [piece for piece in given if piece.name == name] for name in names}
    for key, name in (layout or {}).items():
        if name in pieces and not pieces[name]:
            pieces[name] = [Piece(key, name)]
    for piece in _plain_to_see(signature):
        if not pieces[piece.name]:
            pieces[piece.name] = [piece]
    if missing := [name for name in names if not pieces[name]]:
        raise UsageError(
            f"No key of openpi's is known for the policy's {listing(missing)}.",
            hint=f"Say which one clients send: `--key KEY={missing[0]}`.",
        )
    return KeyMap(
        tuple(piece for name in signature.cameras for piece in pieces[name][:1]),
        tuple(piece for name in signature.state for piece in pieces[name]),
        frozenset(ignored),
    )


def _plain_to_see(signature: Signature) -> list[Piece]:
    """Return the names themselves where they are openpi's, else LIBERO's keys where no doubt is left."""
    names = [*signature.cameras, *signature.state]
    if set(names) <= {key for preset in PRESETS.values() for key in (*preset.cameras, *preset.state)}:
        return [Piece(name, name) for name in names]
    found = []
    hand = [name for name in signature.cameras if _ON_THE_HAND.search(name)]
    scene = [name for name in signature.cameras if name not in hand]
    if len(hand) <= 1 and len(scene) <= 1:
        keys = zip(_LIBERO.cameras, (scene, hand), strict=True)
        found += [Piece(key, name) for key, cameras in keys for name in cameras]
    if len(signature.state) == 1:
        found += [Piece(key, name) for key, name in zip(_LIBERO.state, signature.state, strict=True)]
    return found
