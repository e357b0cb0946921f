"""What `rpent smith integrate` leaves behind: `wrapper.py`, `mapping.json`, `compatibility.json`, `report.md`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rpent.errors import UsageError
from rpent.runs.files import write_atomic

from rpent_robosmith.integrate.report import report_text

if TYPE_CHECKING:
    from pathlib import Path

    from rpent_robosmith.compatibility.report import Compatibility
    from rpent_robosmith.inspect.api import ArtefactFacts
    from rpent_robosmith.integrate.validation import Validation

WRAPPER, MAPPING, COMPATIBILITY, REPORT = "wrapper.py", "mapping.json", "compatibility.json", "report.md"


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """What an integration found out."""

    report: Compatibility
    seen: Validation | None
    """None where the wrapper was not executed."""
    outcome: str
    target: ArtefactFacts

    def to_json(self) -> dict[str, Any]:
        """Return the comparison and what the wrapper did as plain data."""
        seen = None if self.seen is None else self.seen.model_dump(mode="json")
        return {**self.report.model_dump(mode="json"), "outcome": self.outcome, "validation": seen}


def write_files(folder: Path, source: str, checked: Checked) -> tuple[str, ...]:
    """Write the four files, each whole; those of an earlier integration are replaced.

    Args:
        folder: Made where it is not there.
        source: The text of the wrapper.
        checked: All else.

    Returns:
        Their names.

    Raises:
        UsageError: The folder cannot be made.
        RunDirectoryError: A file cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"The folder `{folder}` cannot be made: {error.strerror or error}.") from error
    contents = {
        WRAPPER: source,
        MAPPING: _json(checked.report.mapping.model_dump(mode="json")),
        COMPATIBILITY: _json(checked.to_json()),
        REPORT: report_text(checked.report, checked.seen, checked.outcome, checked.target),
    }
    for name, text in contents.items():
        write_atomic(folder / name, text.encode())
    return tuple(contents)


def _json(plain: dict[str, Any]) -> str:
    return json.dumps(plain, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
