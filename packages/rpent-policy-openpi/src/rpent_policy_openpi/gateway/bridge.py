"""From an openpi client's observation to a policy's inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.errors import PolicyError
from rpent.policies.pictures import resized
from rpent.suggest import listing

from rpent_policy_openpi.gateway.keys import PROMPT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray
    from rpent.policies.signature import Signature

    from rpent_policy_openpi.gateway.keys import KeyMap, Piece

_MAX_DEPTH = 4
_CHANNELS = 3


class Bridge:
    """Translates for one policy.

    Args:
        signature: What the policy takes.
        keys: What clients call it.
        default_prompt: For clients that send none.
    """

    def __init__(self, signature: Signature, keys: KeyMap, *, default_prompt: str | None = None) -> None:
        self._signature, self._keys, self._default_prompt = signature, keys, default_prompt

    def inputs(
        self, observation: Any
    ) -> tuple[dict[str, NDArray[np.uint8]], dict[str, NDArray[np.float64]], str]:
        """Return pictures, vectors and instruction.

        Raises:
            PolicyError: A key is missing or unknown, or a value has another type or shape.
        """
        if not isinstance(observation, dict):
            raise PolicyError("An observation is a map of keys to values.")
        values = dict(_flat(observation))
        known = {*self._keys.keys, PROMPT}
        wanted = f"the policy takes {listing(known)}"
        if unknown := [str(key)[:80] for key in values if key not in known | self._keys.ignored]:
            raise PolicyError(
                f"The observation has the unknown {listing(unknown[:5])}; {wanted}. "
                f"`rpent policy serve-openpi --ignore {unknown[0]}` lets it pass."
            )
        if missing := [key for key in self._keys.keys if key not in values]:
            raise PolicyError(f"The observation lacks {listing(missing)}; {wanted}.")
        images = {piece.name: self._picture(piece, values) for piece in self._keys.cameras}
        state = {name: self._vector(name, length, values) for name, length in self._signature.state.items()}
        return images, state, self._prompt(values)

    def _prompt(self, values: Mapping[str, Any]) -> str:
        prompt = values.get(PROMPT, self._default_prompt)
        if isinstance(prompt, np.ndarray) and prompt.dtype.kind == "U" and prompt.ndim == 0:
            prompt = prompt.item()
        if not isinstance(prompt, str):
            raise PolicyError(f"The observation lacks a text under `{PROMPT}`.")
        return prompt

    def _picture(self, piece: Piece, values: Mapping[str, Any]) -> NDArray[np.uint8]:
        picture = values[piece.key]
        if not isinstance(picture, np.ndarray) or picture.ndim != 3 or picture.dtype.kind not in "uf":
            raise PolicyError(
                f"`{piece.key}` is {_described(picture)}; a picture of shape (H, W, 3) is wanted."
            )
        if picture.shape[2] != _CHANNELS and picture.shape[0] == _CHANNELS:
            picture = picture.transpose(1, 2, 0)
        wide = picture.dtype.kind == "u" and picture.dtype.itemsize > 1
        if picture.shape[2] != _CHANNELS or 0 in picture.shape or wide:
            raise PolicyError(
                f"`{piece.key}` is {_described(picture)}; uint8 or float of shape (H, W, 3) is wanted."
            )
        if picture.dtype.kind == "f":
            if not np.isfinite(picture).all():
                raise PolicyError(f"`{piece.key}` has NaN or infinity in it.")
            picture = np.clip(picture * 255, 0, 255)
        size = self._signature.cameras[piece.name]
        height, width = size.height or picture.shape[0], size.width or picture.shape[1]
        picture = np.ascontiguousarray(picture, np.uint8)
        return picture if picture.shape[:2] == (height, width) else resized(picture, height, width, pad=True)

    def _vector(self, name: str, length: int, values: Mapping[str, Any]) -> NDArray[np.float64]:
        pieces = [piece for piece in self._keys.state if piece.name == name]
        vector = np.concatenate([_part(piece, values[piece.key]) for piece in pieces])
        if len(vector) != length:
            sent = listing(dict.fromkeys(piece.key for piece in pieces))
            raise PolicyError(f"{sent} has {len(vector)} numbers; the policy takes {length}.")
        return vector


def _part(piece: Piece, value: Any) -> NDArray[np.float64]:
    if isinstance(value, list | int | float | np.generic):
        try:
            value = np.asarray(value)
        except (ValueError, OverflowError):
            raise PolicyError(f"`{piece.key}` is a list of lists; a vector of numbers is wanted.") from None
    if not isinstance(value, np.ndarray) or value.ndim > 1 or value.dtype.kind not in "fiu":
        raise PolicyError(f"`{piece.key}` is {_described(value)}; a vector of numbers is wanted.")
    vector = np.atleast_1d(value).astype(np.float64)
    if not np.isfinite(vector).all():
        raise PolicyError(f"`{piece.key}` has NaN or infinity in it.")
    if piece.stop is not None and len(vector) < piece.stop:
        raise PolicyError(f"`{piece.key}` has {len(vector)} numbers; {piece.stop} at least are wanted.")
    return vector[piece.start : piece.stop]


def _flat(observation: Mapping[Any, Any], prefix: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield `images.cam_high` for a nested map."""
    for key, value in observation.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict) and depth < _MAX_DEPTH:
            yield from _flat(value, f"{name}.", depth + 1)
        else:
            yield name, value


def _described(value: Any) -> str:
    return f"{value.dtype} {value.shape}" if isinstance(value, np.ndarray) else f"a `{type(value).__name__}`"
