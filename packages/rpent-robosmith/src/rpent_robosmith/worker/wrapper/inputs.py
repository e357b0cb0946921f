"""A policy's inputs, made of the target's observation."""

from __future__ import annotations

from typing import Any

import numpy as np

from rpent_robosmith.worker.wrapper.error import WrapperError
from rpent_robosmith.worker.wrapper.orientation import CONVERSIONS
from rpent_robosmith.worker.wrapper.pictures import policy_picture
from rpent_robosmith.worker.wrapper.scaling import normalized


def policy_input(link: dict[str, Any], given: Any) -> Any:
    """Return one of the policy's inputs.

    Args:
        link: Of `mapping.json`.
        given: The target's observation, a dict of arrays.
    """
    if not link["sources"]:
        return np.full(_layout(link), link["fill"], link["dtype"])
    if link["kind"] == "image":
        return policy_picture(link, _part(given, link["sources"][0]["key"]))
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
        vector = normalized(vector, link["normalize"])
    return vector.astype(link["dtype"]).reshape(link["shape"])


def _source(source: dict[str, Any], value: Any) -> Any:
    vector = np.asarray(value, np.float64).reshape(-1)
    if source["convert"] != "none":
        vector = CONVERSIONS[source["convert"]](vector)
    return source["scale"] * vector[source["start"] : source["stop"]] + source["offset"]
