"""What an LLM planner is told about RoboCasa: one Markdown file a section, in the order of `SECTIONS`.

Braces in the files are template variables of the run.
"""

from __future__ import annotations

from importlib.resources import files

from rpent.robot import Prompts, PromptSection

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
    return Prompts(
        system=_text("role"),
        user=_text("task"),
        sections=tuple(_section(stem, needs) for stem, needs in SECTIONS),
    )


def _section(stem: str, needs: tuple[str, ...]) -> PromptSection:
    title, _, text = _text(stem).partition("\n")
    return PromptSection(title=title.removeprefix("# "), text=text.strip(), needs=needs)


def _text(stem: str) -> str:
    return (files(__name__) / f"{stem}.md").read_text("utf-8")
