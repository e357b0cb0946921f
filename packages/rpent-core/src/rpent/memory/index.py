"""`MEMORY.md`: one line for each note and recipe, for people and for planners."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from rpent.memory.layout import AUDIT, RECIPE, parse_path
from rpent.memory.note import parse_note
from rpent.memory.recipe import read_published

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_HEAD = "# Memory of the robot `{robot}`\n\nGenerated; every merge and import writes it anew.\n"


@dataclass(frozen=True, slots=True)
class Entry:
    """What the index says of one file."""

    path: str
    title: str
    summary: str
    bytes: int

    @property
    def line(self) -> str:
        """The index's line."""
        return f"- `{self.path}`: {self.title}. {self.summary}"

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)


def entries(files: Mapping[str, bytes]) -> list[Entry]:
    """Return the entries of valid files, by path; an audit is in its recipe's."""
    found = []
    for path, data in sorted(files.items()):
        place = parse_path(path)
        if place.is_note:
            note = parse_note(data)
            found.append(Entry(path, note.title.rstrip("."), note.summary, len(data)))
        elif place.name == RECIPE:
            summary = _recipe_summary(data, files[path.removesuffix(RECIPE) + AUDIT])
            found.append(Entry(path, "Recipe", summary, len(data)))
    return found


def render_index(robot: str, found: Iterable[Entry]) -> str:
    """Return the text of `MEMORY.md`."""
    text, folder = _HEAD.format(robot=robot), ""
    for entry in found:
        own = entry.path.rpartition("/")[0]
        if own != folder:
            folder = own
            text += f"\n## {folder}\n\n"
        text += f"{entry.line}\n"
    return text


def _recipe_summary(recipe: bytes, audit: bytes) -> str:
    published = read_published(recipe, audit)
    record = published.audit
    seen = f", with the privileged perceptor {', '.join(record.privileged)}" if record.privileged else ""
    return (
        f"{len(published.calls)} calls, {record.env_steps} control steps, seed {record.seed}, planner "
        f"{record.planner}{seen}; the benchmark confirmed it (run {record.run})."
        + "".join(f" {caveat}" for caveat in record.caveats)
    )
