"""Load plugins in another process, so that one that hangs or ends the process becomes a record too."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rpent.plugins.failure import LoadFailure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rpent.plugins.records import PluginRecord


MEASURED = frozenset({"import_ms", "modules_added"})


def check(
    records: Sequence[PluginRecord], *, timeout_s: float = 30.0, alone: bool = False
) -> list[PluginRecord]:
    """Return the records with what loading each plugin showed.

    Args:
        records: What to load; those that are disabled or incompatible stay as they are.
        timeout_s: What one plugin may take.
        alone: Give each plugin a fresh process, so that its time and modules are its own.
    """
    pending = [record for record in records if record.status in {"unloaded", "conflict"}]
    checked: dict[tuple[str, str], PluginRecord] = {}
    while pending:
        batch = pending[:1] if alone else pending
        done = 0
        for record, found in zip(batch, _probe(batch, timeout_s), strict=False):
            # In a shared process, times depend on what was imported before.
            facts = found if alone else {key: value for key, value in found.items() if key not in MEASURED}
            checked[record.kind, record.qualified_name] = _with(record, facts)
            done += 1
        pending = pending[done:]
    return [checked.get((record.kind, record.qualified_name), record) for record in records]


def _probe(batch: Sequence[PluginRecord], timeout_s: float) -> Iterator[dict[str, Any]]:
    """Yield what the probe says about each record; the last one may be the reason why it ended early."""
    addresses = [f"{record.kind}/{record.qualified_name}" for record in batch]
    command = [sys.executable, "-m", "rpent.plugins.probe", *addresses]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as probe:
        assert probe.stdout is not None
        try:
            received = 0
            for line in _lines(probe.stdout.fileno(), timeout_s):
                if line is None:
                    yield _ended("it takes longer than " + f"{timeout_s:g} s to import.")
                    return
                yield json.loads(line)
                received += 1
            if received < len(batch):
                yield _ended(f"it ends the process when it is imported (exit code {probe.wait()}).")
        finally:
            probe.kill()


def _lines(descriptor: int, timeout_s: float) -> Iterator[bytes | None]:
    """Yield lines as they come, None when the next one takes too long; ends with the pipe."""
    buffer = b""
    while True:
        ready, _, _ = select.select([descriptor], [], [], timeout_s)
        chunk = os.read(descriptor, 65536) if ready else None
        if chunk is None:
            yield None
            return
        if not chunk:
            return
        *lines, buffer = (buffer + chunk).split(b"\n")
        yield from lines


def _ended(reason: str) -> dict[str, Any]:
    return {"error": {"phase": "import", "reason": reason}}


def _with(record: PluginRecord, facts: dict[str, Any]) -> PluginRecord:
    """Add what the probe reported. A name that is taken stays the record's error unless loading failed."""
    found = dict(facts)
    error = found.pop("error", None)
    if "hooks" in found:
        found["hooks"] = tuple(found["hooks"])
    if error is None:
        status = record.status if record.status == "conflict" else "available"
        return replace(record, status=status, **found)
    own = {"kind": record.kind, "name": record.name, "distribution": record.distribution}
    failure = LoadFailure(
        **{**own, "version": record.version, "module": record.module, **_remedied(record, error)}
    )
    return replace(record, status=failure.status, error=failure, remedy=failure.remedy, **found)


def _remedied(record: PluginRecord, error: dict[str, Any]) -> dict[str, Any]:
    remedy = error.get("remedy") or f"Report it to its authors, or leave it out: `--no-plugin {record.name}`."
    return {**error, "remedy": remedy}
