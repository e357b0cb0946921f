"""Google-style docstrings, read for what a planner needs: the description and what each argument means."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, field

_SECTION = re.compile(r"^(Args|Arguments|Parameters|Returns|Raises|Yields|Note|Notes|Example|Examples):\s*$")
_ARGUMENT = re.compile(r"^(\*{0,2}\w+)(?:\s*\([^)]*\))?:\s*(.*)$")


@dataclass(frozen=True, slots=True)
class Docstring:
    """The parts of a docstring that reach a planner."""

    description: str
    """Summary and body, before the first section."""
    arguments: dict[str, str] = field(default_factory=dict)
    """Argument → what it means."""
    returns: str = ""


def parse_docstring(text: str | None) -> Docstring:
    """Parse a Google-style docstring; text outside known sections is the description."""
    sections = _sections(inspect.cleandoc(text or ""))
    return Docstring(
        description=_paragraphs(sections.get("", [])),
        arguments=_arguments(sections.get("Args", [])),
        returns=_joined(sections.get("Returns", [])),
    )


def _sections(text: str) -> dict[str, list[str]]:
    sections: dict[str, list[str]] = {"": []}
    name = ""
    for line in text.splitlines():
        heading = _SECTION.match(line)
        if heading:
            name = "Args" if heading[1] in {"Arguments", "Parameters"} else heading[1]
            sections.setdefault(name, [])
        elif name and line and not line[0].isspace():
            name = ""
            sections[""].append(line)
        else:
            sections[name].append(line)
    return sections


def _arguments(lines: list[str]) -> dict[str, str]:
    block = inspect.cleandoc("\n" + "\n".join(lines)).splitlines()
    found: dict[str, list[str]] = {}
    current: list[str] = []
    for line in block:
        heading = _ARGUMENT.match(line)
        if heading:
            current = found.setdefault(heading[1].lstrip("*"), [])
            current.append(heading[2])
        elif line.strip():
            current.append(line.strip())
    return {name: _joined(parts) for name, parts in found.items()}


def _joined(lines: list[str]) -> str:
    return " ".join(part for part in (line.strip() for line in lines) if part)


def _paragraphs(lines: list[str]) -> str:
    blocks = re.split(r"\n\s*\n", "\n".join(lines).strip())
    return "\n\n".join(_joined(block.splitlines()) for block in blocks if block.strip())
