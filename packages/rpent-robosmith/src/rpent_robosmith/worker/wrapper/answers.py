"""A policy's answer as rows of numbers, or as whole numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from rpent_robosmith.worker.wrapper.error import WrapperError


def answer_rows(answer: Any, size: int | None) -> Any:
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


def fitted(rows: Any, link: dict[str, Any]) -> Any:
    """Append zeros or drop numbers, where that was asked for."""
    missing = link["size"] - rows.shape[1]
    if missing > 0 and link["pad"] is not None:
        return np.concatenate([rows, np.full((len(rows), missing), link["pad"])], axis=1)
    if missing < 0 and link["cut"]:
        return rows[:, : link["size"]]
    if missing:
        raise WrapperError(f"The policy gives {rows.shape[1]} numbers, the target takes {link['size']}.")
    return rows


def chosen(link: dict[str, Any], answer: Any) -> Any:
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
