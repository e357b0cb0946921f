"""Maps a target's observations to a policy's inputs and its answers to the target's actions, as `mapping.json` says."""

from __future__ import annotations

import json
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np

_KINDS = {"vector": "continuous", "discrete": "discrete"}


class WrapperError(Exception):
    """The wrapper cannot do what it is asked: something has no counterpart, or has another shape than was inspected."""


class Wrapper:
    """A policy in the target's terms.

    Args:
        policy: `policy(inputs, instruction)` returns one action (D,), a chunk (T, D), or a dict of parts. Its
            `reset()`, where it has one, is called at the beginning of an episode.
        mapping: The content of `mapping.json`, or its path; None takes the one beside this file.

    Raises:
        WrapperError: The mapping leaves something open that the policy cannot do without.
    """

    def __init__(self, policy: Any, mapping: dict[str, Any] | str | Path | None = None) -> None:
        self.policy, self.mapping = policy, _read(mapping)
        self._action = self.mapping["action"]
        self._queue: deque[Any] = deque()
        self.clipped = 0
        """Numbers of actions so far that went beyond the target's bounds, and were clipped."""
        self.asked = 0
        """Questions to the policy so far."""
        open_ends = list(_open_ends(self.mapping))
        if open_ends:
            raise WrapperError("The mapping is not complete: " + "; ".join(open_ends) + ".")

    def reset(self) -> None:
        """Begin an episode: forget the rest of a chunk, and what the policy remembers."""
        self._queue.clear()
        reset = getattr(self.policy, "reset", None)
        if callable(reset):
            reset()

    def act(self, observation: Any, instruction: str = "") -> Any:
        """Return one action for the target; a new question is asked when the last answer is used up.

        Args:
            observation: As the target gives it: a dict of arrays, or one array.
            instruction: What to do, for a policy that wants to be told.
        """
        if not self._queue:
            rows = self.chunk(observation, instruction)
            self._queue.extend(rows[: max(1, int(self._action["execute_steps"]))])
        return self._as_action(self._queue.popleft())

    def chunk(self, observation: Any, instruction: str = "") -> Any:
        """Return all actions of one answer in the target's terms: (T, D), or (T,) whole numbers of discrete ones."""
        self.asked += 1
        said = instruction or str(self.mapping.get("default_instruction") or "")
        return self.rows(self.policy(self.inputs(observation), said))

    def inputs(self, observation: Any) -> Any:
        """Return the policy's inputs: a dict of arrays in its own names, or one array where it takes one."""
        given = {"observation": observation} if self.mapping["bare_observation"] else observation
        found = {link["policy"]: _input(link, given) for link in self.mapping["observation"]}
        return next(iter(found.values())) if self.mapping["bare_policy"] else found

    def rows(self, answer: Any) -> Any:
        """Return a policy's answer, (D,), (T, D), (1, T, D) or a dict of parts, as the target's actions."""
        link = self._action
        if isinstance(answer, dict):
            answer = np.concatenate([_rows(answer[name], None) for name in link["sources"]], axis=1)
        if link["kind"] == "discrete":
            return _discrete(link, answer)
        rows = _rows(answer, link["policy_size"]).astype(np.float64)
        if link["normalize"]:
            rows = _denormalized(rows, link["normalize"])
        if link["order"]:
            rows = rows[:, link["order"]]
        rows = _fitted(rows, link)
        if link["scale"]:
            rows = rows * np.asarray(link["scale"])
        if link["offset"]:
            rows = rows + np.asarray(link["offset"])
        if link["binary"]:
            rows = np.where(np.asarray(link["binary"]), np.where(rows >= 0, 1.0, -1.0), rows)
        if not np.isfinite(rows).all():
            raise WrapperError("The policy's answer is not finite.")
        return self._clipped(rows)

    def _clipped(self, rows: Any) -> Any:
        low, high = _numbers(self._action["low"]), _numbers(self._action["high"])
        if low.size and high.size:
            within = np.clip(rows, low, high)
            self.clipped += int((np.abs(within - rows) > 1e-6 * (1 + np.abs(rows))).sum())
            return within
        return rows

    def _as_action(self, row: Any) -> Any:
        link = self._action
        if link["kind"] == "discrete":
            return int(row) if not link["shape"] else np.asarray(row, link["dtype"]).reshape(link["shape"])
        if len(link["targets"]) == 1:
            return np.asarray(row, link["dtype"]).reshape(link["shape"])
        ends = np.cumsum(list(link["targets"].values()))[:-1]
        parts = np.split(np.asarray(row, link["dtype"]), ends)
        return dict(zip(link["targets"], parts, strict=True))


def _read(mapping: dict[str, Any] | str | Path | None) -> dict[str, Any]:
    if isinstance(mapping, dict):
        return mapping
    path = Path(__file__).with_name("mapping.json") if mapping is None else Path(mapping)
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _open_ends(mapping: dict[str, Any]) -> Any:
    """Yield what the policy wants and nothing gives, and what the target takes and nobody says."""
    for link in mapping["observation"]:
        if not link["sources"] and link["fill"] is None:
            yield f"`{link['policy']}` has no source"
    action = mapping["action"]
    given, taken = action["policy_size"], action["size"]
    if action["kind"] != action["policy_kind"]:
        given, taken = _KINDS[action["policy_kind"]], _KINDS[action["kind"]]
        yield f"the policy gives {given} actions, the target takes {taken} ones"
    elif action["n"] and action["policy_n"] and action["n"] != action["policy_n"]:
        yield f"the policy chooses among {action['policy_n']} actions, the target has {action['n']}"
    elif not action["order"] and given < taken and action["pad"] is None:
        yield f"the policy gives {given} numbers and the target takes {taken}, and nothing pads them"
    elif not action["order"] and given > taken and not action["cut"]:
        yield f"the policy gives {given} numbers and the target takes {taken}, and nothing cuts them"


def _input(link: dict[str, Any], given: Any) -> Any:
    if not link["sources"]:
        return np.full(_layout(link), link["fill"], link["dtype"])
    if link["kind"] == "image":
        return _picture(link, _part(given, link["sources"][0]["key"]))
    if link["kind"] == "text":
        return str(_part(given, link["sources"][0]["key"]))
    if link["kind"] == "discrete":
        return (
            np.asarray(_part(given, link["sources"][0]["key"])).astype(link["dtype"]).reshape(link["shape"])
        )
    return _vector(link, given)


def _layout(link: dict[str, Any]) -> tuple[int, ...]:
    if link["kind"] == "image" and link["channels_first"]:
        height, width, channels = link["shape"]
        return channels, height, width
    return tuple(link["shape"])


def _part(given: Any, key: str) -> Any:
    """Return a part of an observation; a key with slashes may lead into dicts."""
    if key in given:
        return given[key]
    for name in key.split("/"):
        if not isinstance(given, dict) or name not in given:
            raise WrapperError(f"The observation lacks `{key}`; it has {sorted(map(str, given))}.")
        given = given[name]
    return given


def _vector(link: dict[str, Any], given: Any) -> Any:
    parts = [_source(source, _part(given, source["key"])) for source in link["sources"]]
    vector = np.concatenate(parts)
    if link["order"]:
        vector = vector[link["order"]]
    count = int(np.prod(link["shape"])) if link["shape"] else 1
    if link["cut"]:
        vector = vector[:count]
    if vector.size != count:
        raise WrapperError(f"`{link['policy']}` has {count} numbers, the observation gives {vector.size}.")
    if link["scale"]:
        vector = vector * np.asarray(link["scale"])
    if link["normalize"]:
        vector = _normalized(vector, link["normalize"])
    return vector.astype(link["dtype"]).reshape(link["shape"])


def _source(source: dict[str, Any], value: Any) -> Any:
    vector = np.asarray(value, np.float64).reshape(-1)
    if source["convert"] != "none":
        vector = CONVERSIONS[source["convert"]](vector)
    return source["scale"] * vector[source["start"] : source["stop"]] + source["offset"]


def _normalized(vector: Any, statistics: dict[str, Any]) -> Any:
    if statistics["mode"] == "mean_std":
        return (vector - np.asarray(statistics["mean"])) / (np.asarray(statistics["std"]) + 1e-8)
    low, high = np.asarray(statistics["low"]), np.asarray(statistics["high"])
    return 2 * (vector - low) / np.where(high == low, 1e-8, high - low) - 1


def _denormalized(rows: Any, statistics: dict[str, Any]) -> Any:
    if statistics["mode"] == "mean_std":
        return rows * (np.asarray(statistics["std"]) + 1e-8) + np.asarray(statistics["mean"])
    low, high = np.asarray(statistics["low"]), np.asarray(statistics["high"])
    return (rows + 1) / 2 * (high - low) + low


def _picture(link: dict[str, Any], value: Any) -> Any:
    """Return a picture in the policy's size, layout, channels, type and range."""
    picture = np.asarray(value)
    if picture.ndim != 3:
        raise WrapperError(
            f"`{link['policy']}` is a picture, the observation gives the shape {picture.shape}."
        )
    if link["source_channels_first"]:
        picture = picture.transpose(1, 2, 0)
    if picture.dtype != np.uint8:
        picture = np.clip(np.asarray(picture, np.float64) * 255.0, 0, 255).round().astype(np.uint8)
    picture = _flipped(picture, link["flip"])
    height, width, channels = link["shape"]
    picture = _channels(picture, channels)
    if link["resize"] != "none" and picture.shape[:2] != (height, width):
        picture = (
            _padded(picture, height, width) if link["resize"] == "pad" else resized(picture, height, width)
        )
    values = picture.astype(link["dtype"])
    if link["unit_range"]:
        values = values / np.asarray(255, link["dtype"])
    if link["normalize"]:
        values = _normalized(values, link["normalize"]).astype(link["dtype"])
    return np.ascontiguousarray(values.transpose(2, 0, 1) if link["channels_first"] else values)


def _flipped(picture: Any, flip: str) -> Any:
    rows = -1 if flip in {"vertical", "rotate180"} else 1
    columns = -1 if flip in {"horizontal", "rotate180"} else 1
    return picture[::rows, ::columns]


def _channels(picture: Any, wanted: int) -> Any:
    """Return a picture with so many channels: grey is repeated, alpha dropped, colours are weighed (BT.601)."""
    given = picture.shape[2]
    if given == wanted or not wanted:
        return picture
    if given == 4:
        return _channels(picture[..., :3], wanted)
    if given == 1:
        return np.repeat(picture, wanted, axis=2)
    if given == 3 and wanted == 1:
        grey = picture.astype(np.float64) @ np.array([0.299, 0.587, 0.114])
        return grey.round().astype(np.uint8)[..., None]
    if given == 3 and wanted == 4:
        return np.concatenate([picture, np.full((*picture.shape[:2], 1), 255, np.uint8)], axis=2)
    raise WrapperError(f"A picture with {given} channels cannot become one with {wanted}.")


def resized(picture: Any, height: int, width: int) -> Any:
    """Return a (H, W, C) uint8 picture in another size, bilinear; made smaller, all pixels count (as Pillow has it)."""
    rows = _weights(picture.shape[0], height)
    columns = _weights(picture.shape[1], width)
    across = np.tensordot(rows, picture.astype(np.float64), axes=(1, 0))
    down = np.tensordot(across, columns, axes=(1, 1)).transpose(0, 2, 1)
    return np.clip(np.floor(down + 0.5), 0, 255).astype(np.uint8)


def _weights(given: int, wanted: int) -> Any:
    """Return (wanted, given) weights of a triangle filter, which is as wide as the reduction."""
    ratio = given / wanted
    support = max(ratio, 1.0)
    centres = (np.arange(wanted) + 0.5) * ratio
    distance = np.abs(np.arange(given)[None, :] + 0.5 - centres[:, None]) / support
    weights = np.clip(1.0 - distance, 0.0, None)
    return weights / weights.sum(axis=1, keepdims=True)


def _padded(picture: Any, height: int, width: int) -> Any:
    """Return the picture in another size with its aspect ratio kept, and black around it."""
    rows, columns = picture.shape[:2]
    ratio = max(rows / height, columns / width)
    inner_height, inner_width = max(1, int(rows / ratio)), max(1, int(columns / ratio))
    top, left = (height - inner_height) // 2, (width - inner_width) // 2
    whole = np.zeros((height, width, picture.shape[2]), np.uint8)
    whole[top : top + inner_height, left : left + inner_width] = resized(picture, inner_height, inner_width)
    return whole


def _numbers(values: Any) -> Any:
    """Return numbers of a JSON file, in which infinite ones are strings."""
    return np.asarray([float(value) for value in values], np.float64)


def _rows(answer: Any, size: int | None) -> Any:
    """Return an answer as (T, D)."""
    array = np.asarray(answer)
    if array.ndim == 3 and array.shape[0] == 1:
        array = array[0]
    if array.ndim == 0:
        array = array.reshape(1, 1)
    if array.ndim == 1:
        array = array[None, :]
    if size is not None and array.ndim > 2:
        array = array.reshape(array.shape[0], -1)
    if array.ndim != 2 or (size is not None and array.shape[1] != size) or not len(array):
        raise WrapperError(
            f"The policy's answer has the shape {np.shape(answer)}; (T, {size}) or ({size},) is expected."
        )
    return array


def _fitted(rows: Any, link: dict[str, Any]) -> Any:
    """Append zeros or drop numbers, where that was asked for."""
    missing = link["size"] - rows.shape[1]
    if missing > 0 and link["pad"] is not None:
        return np.concatenate([rows, np.full((len(rows), missing), link["pad"])], axis=1)
    if missing < 0 and link["cut"]:
        return rows[:, : link["size"]]
    if missing:
        raise WrapperError(f"The policy gives {rows.shape[1]} numbers, the target takes {link['size']}.")
    return rows


def _discrete(link: dict[str, Any], answer: Any) -> Any:
    """Return whole numbers: as they are, or which of (T, n) scores is the largest."""
    array = np.asarray(answer)
    if (
        array.dtype.kind == "f"
        and link["n"]
        and array.ndim
        and array.shape[-1] == link["n"]
        and link["n"] > 1
    ):
        array = array.argmax(axis=-1) + link["start"]
    array = np.rint(array).astype(np.int64)
    shape = tuple(link["shape"])
    rows = array.reshape(-1, *shape) if shape else array.reshape(-1)
    if link["n"] and ((rows < link["start"]) | (rows >= link["start"] + link["n"])).any():
        raise WrapperError(
            f"The policy chose {rows.tolist()}, and the target has {link['n']} actions from {link['start']}."
        )
    return rows


def _unit(quaternion: Any) -> Any:
    return quaternion / np.linalg.norm(quaternion)


def _matrix(quaternion: Any) -> Any:
    x, y, z, w = _unit(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def _axis_angle(quaternion: Any) -> Any:
    x, y, z, w = _unit(quaternion)
    sine = float(np.sqrt(max(0.0, 1.0 - w * w)))
    if sine < 1e-9:
        return np.zeros(3)
    return np.array([x, y, z]) * (2.0 * np.arccos(np.clip(w, -1.0, 1.0)) / sine)


def _euler_xyz(quaternion: Any) -> Any:
    m = _matrix(quaternion)
    return np.array(
        [np.arctan2(m[2, 1], m[2, 2]), np.arcsin(np.clip(-m[2, 0], -1.0, 1.0)), np.arctan2(m[1, 0], m[0, 0])]
    )


CONVERSIONS: dict[str, Any] = {
    "axis_angle": _axis_angle,
    "matrix": lambda quaternion: _matrix(quaternion).reshape(9),
    "rotation_6d": lambda quaternion: _matrix(quaternion)[:, :2].T.reshape(6),
    "euler_xyz": _euler_xyz,
    "wxyz": lambda quaternion: quaternion[[3, 0, 1, 2]],
}
"""What becomes of a quaternion (4,) x y z w; the same formulas as `rpent.policies.orientation`."""
