"""Pictures in a policy's size, layout, channels, type and range."""

from __future__ import annotations

from typing import Any

import numpy as np

from rpent_robosmith.worker.wrapper.error import WrapperError
from rpent_robosmith.worker.wrapper.scaling import normalized


def policy_picture(link: dict[str, Any], value: Any) -> Any:
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
        values = normalized(values, link["normalize"]).astype(link["dtype"])
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
