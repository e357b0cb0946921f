"""The record of what a model was asked and said: one line each, written before the answer is used, without keys.

A resumed run asks nothing anew that stands here for the same node, iteration and question. Answers of a node that gave
up on them (`abandoned`) are not used again.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import ValidationError
from rpent.errors import RunDirectoryError
from rpent.masking import without_keys

from rpent_robosmith.data import Data
from rpent_robosmith.reports import Usage

if TYPE_CHECKING:
    from collections.abc import Sequence

FILE = "model.jsonl"


class SaidCall(Data):
    """The form, filled in by the model."""

    id: str
    name: str
    arguments: str
    """JSON text, as the model wrote it."""


class Said(Data):
    """One reply."""

    text: str = ""
    calls: tuple[SaidCall, ...] = ()
    finish: str | None = None
    """`stop`, `tool_call`, `length`, `content_filter`."""


class Exchange(Data):
    """One line of the record."""

    kind: Literal["exchange", "fault", "abandoned"]
    node: str
    iteration: int
    key: str = ""
    """Hash of the question: the model, its instructions, the conversation so far, the form."""
    model: str = ""
    system: str = ""
    """The instructions, where a conversation begins."""
    asked: str = ""
    said: Said = Said()
    input_tokens: int = 0
    output_tokens: int = 0
    estimated: bool = False
    """Whether the tokens are a guess from the lengths of the texts: the server reports none."""
    cost_usd: float | None = None
    detail: str = ""
    """Of a fault or an abandonment."""


class ExchangeLog:
    """The record of a run, on disk or (without a path) in memory."""

    def __init__(self, path: str | None) -> None:
        self._path = Path(path) if path else None
        self._lines: list[Exchange] = self._read()
        self._replayable = _replayable(self._lines)

    @property
    def lines(self) -> Sequence[Exchange]:
        """Everything so far, of earlier processes too."""
        return tuple(self._lines)

    def replayed(self, node: str, iteration: int, key: str) -> Exchange | None:
        """Return what an earlier process was answered to the same question; each answer once, in their order."""
        for position, line in enumerate(self._replayable):
            if (line.node, line.iteration, line.key) == (node, iteration, key):
                return self._replayable.pop(position)
        return None

    def add(self, line: Exchange) -> None:
        """Write a line; it is on the disk when this returns.

        Raises:
            RunDirectoryError: It cannot be written.
        """
        self._lines.append(line)
        if self._path is None:
            return
        text = json.dumps(_masked(line.model_dump(mode="json", exclude_defaults=True)), ensure_ascii=False)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("ab") as file:
                file.write(text.encode("utf-8", "replace") + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise RunDirectoryError(f"`{self._path.name}` of the run cannot be written: {error}.") from error

    def usage(self, node: str | None = None) -> Usage:
        """Return what the exchanges (of one node) cost."""
        lines = [
            line for line in self._lines if line.kind == "exchange" and (node is None or line.node == node)
        ]
        costs = [line.cost_usd for line in lines if line.cost_usd is not None]
        return Usage(
            requests=len(lines),
            input_tokens=sum(line.input_tokens for line in lines),
            output_tokens=sum(line.output_tokens for line in lines),
            cost_usd=round(sum(costs), 9) if costs else None,
        )

    def _read(self) -> list[Exchange]:
        """Read what is there; a line that a kill cut off is taken away, one that cannot be read is passed over."""
        if self._path is None or not self._path.is_file():
            return []
        try:
            data = self._path.read_bytes()
            whole = data[: data.rfind(b"\n") + 1]
            if len(whole) < len(data):
                with self._path.open("r+b") as file:
                    file.truncate(len(whole))
        except OSError as error:
            raise RunDirectoryError(f"`{self._path.name}` of the run cannot be read: {error}.") from error
        lines = (_line(line) for line in whole.splitlines())
        return [line for line in lines if line is not None]


def question_key(*parts: Any) -> str:
    """Return the hash of a question."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _line(data: bytes) -> Exchange | None:
    try:
        return Exchange.model_validate_json(data)
    except ValidationError:
        return None


def _replayable(lines: Sequence[Exchange]) -> list[Exchange]:
    kept: list[Exchange] = []
    for line in lines:
        if line.kind == "exchange":
            kept.append(line)
        elif line.kind == "abandoned":
            kept = [one for one in kept if (one.node, one.iteration) != (line.node, line.iteration)]
    return kept


def _masked(value: Any) -> Any:
    """Return plain data with what looks like a key of the environment masked in every text."""
    if isinstance(value, str):
        return without_keys(value)
    if isinstance(value, dict):
        return {name: _masked(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_masked(item) for item in value]
    return value
