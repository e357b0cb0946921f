"""What an LLM planner is told about RoboCasa: one Markdown file a section, in the order of `SECTIONS`.

Braces in the files are template variables of the run.
"""

from __future__ import annotations

from rpent.robot import Prompts

SECTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("scene", ()),
    ("frames", ()),
    ("looking", ()),
    ("naming", ("perceptor",)),
    ("navigation", ()),
    ("intent", ("perceptor",)),
    ("motion", ()),
    ("policy", ("vla",)),
    ("strategy", ()),
    ("failures", ()),
    ("rules", ()),
)
"""File stem → what its tools need; the section is left out where that is absent."""


def prompts() -> Prompts:
    """Return the templates."""
    return Prompts.from_files(__name__, SECTIONS)
