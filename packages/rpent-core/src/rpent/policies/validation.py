"""What a policy server accepts as a question, and from the policy as an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rpent.errors import PolicyError
from rpent.suggest import listing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rpent.policies.signature import Signature

Size = tuple[int | None, int | None]
"""Height and width in pixels; None accepts any."""

MAX_TEXT = 2000
MAX_NAME = 200


def check_text(instruction: Any, episode: Any) -> None:
    """Refuse an instruction that is no text and an episode that is no name.

    Raises:
        PolicyError: One of them is not what it should be.
    """
    if not isinstance(instruction, str) or len(instruction) > MAX_TEXT:
        raise PolicyError(f"The instruction is not a text of at most {MAX_TEXT} characters.")
    if not isinstance(episode, str) or not 0 < len(episode) <= MAX_NAME:
        raise PolicyError(f"The episode is not a name of 1 to {MAX_NAME} characters.")


def check_seed(seed: Any) -> None:
    """Refuse a seed that is no whole number.

    Raises:
        PolicyError: It is something else.
    """
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise PolicyError(f"The seed is a `{type(seed).__name__}`; it is a whole number.")


def check_pictures(images: Any, wanted: Mapping[str, Size]) -> None:
    """Refuse pictures that are not those that are wanted: names, (H, W, 3), uint8, size.

    Raises:
        PolicyError: It names what is wrong.
    """
    _check_names("cameras", "images", images, wanted)
    for name, (height, width) in wanted.items():
        picture = images[name]
        if not isinstance(picture, np.ndarray):
            raise PolicyError(f"The picture of `{name}` is a `{type(picture).__name__}`, not an array.")
        shape = picture.shape
        if (
            picture.dtype != np.uint8
            or len(shape) != 3
            or shape[2] != 3
            or shape[0] != (height or max(1, shape[0]))
            or shape[1] != (width or max(1, shape[1]))
        ):
            accepted = f"({height or 'H'}, {width or 'W'}, 3)"
            raise PolicyError(
                f"The picture of `{name}` is {picture.dtype} of shape {shape}; it should be uint8 of shape {accepted}."
            )


def check_past(history: Any, wanted: Sequence[int]) -> list[tuple[int, Mapping[str, Any]]]:
    """Return the frames of before with their steps relative to now; their pictures and vectors are not looked at.

    Raises:
        PolicyError: They are no such list, more than are wanted, or not oldest first.
    """
    if not isinstance(history, list | tuple) or len(history) > len(wanted):
        takes = f"at most {len(wanted)} frames" if wanted else "no frames"
        raise PolicyError(f"`history` is not what the policy takes: a list of {takes} of before.")
    frames = []
    for frame in history:
        step = frame.get("step") if isinstance(frame, Mapping) else None
        if not isinstance(step, int) or isinstance(step, bool) or set(frame) - {"step", "images", "state"}:
            raise PolicyError("A frame of `history` is not a mapping with `step`, `images` and `state`.")
        frames.append((step, frame))
    steps = [step for step, _ in frames]
    if steps != sorted(set(steps)) or any(step >= 0 for step in steps):
        raise PolicyError(f"The steps of `history` are {steps}; they are below 0, the oldest first.")
    return frames


def check_vectors(state: Any, wanted: Mapping[str, int]) -> dict[str, NDArray[np.float64]]:
    """Return the state as vectors, each a copy.

    Raises:
        PolicyError: A name, a length or a number is wrong; it names which.
    """
    _check_names("state fields", "state", state, wanted)
    return {name: _vector(name, state[name], length) for name, length in wanted.items()}


def check_finite(state: Mapping[str, NDArray[Any]]) -> None:
    """Refuse vectors with NaN or infinity, which a conversion may bring in (a quaternion of zeros).

    Raises:
        PolicyError: It names the vector.
    """
    for name, vector in state.items():
        if not np.isfinite(vector).all():
            raise PolicyError(f"The state `{name}` has NaN or infinity in it.")


def checked_chunk(chunk: Any, signature: Signature, *, backend: str) -> NDArray[np.float64]:
    """Return a policy's answer as (T, D) float64, a copy.

    Raises:
        PolicyError: It is no such array, of another length, or has NaN or infinity in it.
    """
    actions = _numbers(chunk)
    if actions is None:
        raise PolicyError(f"The policy `{backend}` answered with what is no array of numbers.")
    length, dimension = signature.chunk_length, signature.action_dim
    shape = actions.shape
    if (
        len(shape) != 2
        or 0 in shape
        or shape[0] != (length or shape[0])
        or shape[1] != (dimension or shape[1])
    ):
        raise PolicyError(
            f"The policy `{backend}` answered with an array of shape {shape}; its checkpoint says "
            f"({length or 'T'}, {dimension or 'D'})."
        )
    if not (finite := np.isfinite(actions)).all():
        bad = int(actions.size - finite.sum())
        raise PolicyError(
            f"The policy `{backend}` answered with NaN or infinity in {bad} of {actions.size} numbers.",
            hint="Its weights or its statistics may be broken, or the observation is far from its data.",
        )
    return actions


def _check_names(what: str, where: str, given: Any, wanted: Mapping[str, Any]) -> None:
    if not isinstance(given, Mapping):
        raise PolicyError(f"`{where}` is a `{type(given).__name__}`, not a mapping of names to arrays.")
    missing = [name for name in wanted if name not in given]
    extra = [str(name)[:MAX_NAME] for name in given if name not in wanted]
    if not missing and not extra:
        return
    faults = [f"lacks {listing(missing)}"] if missing else []
    faults += [f"has {listing(extra[:5])}, which the policy does not take"] if extra else []
    raise PolicyError(f"`{where}` {' and '.join(faults)}; its {what}: {listing(wanted) or 'none'}.")


def _vector(name: str, value: Any, length: int) -> NDArray[np.float64]:
    vector = _numbers(value)
    if vector is None:
        raise PolicyError(f"The state `{name}` is not a vector of numbers.")
    if vector.shape != (length,):
        raise PolicyError(f"The state `{name}` has shape {vector.shape}; it should have ({length},).")
    if not np.isfinite(vector).all():
        raise PolicyError(f"The state `{name}` has NaN or infinity in it.")
    return vector


def _numbers(value: Any) -> NDArray[np.float64] | None:
    """Return a copy as float64; None for what is not numbers."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        return None
    return np.array(array, np.float64) if array.dtype.kind in "fiub" else None
