"""Which kitchens and objects a split, a layout and a style stand for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpent.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpent_robot_robocasa.catalog import Task
    from rpent_robot_robocasa.config import Split

_NUMBERS: dict[str, range] = {"target": range(1, 11), "pretrain": range(11, 61), "all": range(1, 61)}
"""Layouts of a split; its styles have the same numbers (`robocasa.utils.env_utils.create_env`)."""

_PLACES: dict[str, tuple[str, str]] = {"layout": ("floor plan", "layouts"), "style": ("style", "styles")}


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """What an episode's kitchen is drawn from."""

    split: Split
    layout: int | None = None
    style: int | None = None

    @property
    def object_split(self) -> str | None:
        """The simulator's `obj_instance_split`."""
        return None if self.split == "all" else self.split

    def pairs(self, task: Task) -> list[tuple[int, int]]:
        """Return the pairs of layout and style that the seed draws from.

        In the split `target` a layout comes with the style of the same number, unless both are named.

        Raises:
            UsageError: The split has no such layout or style, or the task leaves it out.
        """
        layouts = self._numbers("layout", self.layout, task.excluded_layouts, task.name)
        styles = self._numbers("style", self.style, task.excluded_styles, task.name)
        if self.split == "target" and None in (self.layout, self.style):
            found = [(number, number) for number in layouts if number in styles]
            if found:
                return found
        return [(layout, style) for layout in layouts for style in styles]

    def _numbers(self, what: str, wanted: int | None, excluded: frozenset[int], task: str) -> Sequence[int]:
        name, plural = _PLACES[what]
        numbers = _NUMBERS[self.split]
        if wanted is not None and wanted not in numbers:
            raise UsageError(
                f"The {name} {wanted} is not of the split `{self.split}`, which has {numbers[0]} to {numbers[-1]}.",
                hint=f"Use a `--{what}` of the split, or `--split all`.",
            )
        accepted = [number for number in numbers if number not in excluded]
        if wanted is None and accepted:
            return accepted
        if wanted in accepted:
            return [wanted]
        which = f"every {name} of the split `{self.split}`" if wanted is None else f"the {name} {wanted}"
        other = [number for number in _NUMBERS["all"] if number not in excluded]
        raise UsageError(
            f"Task `{task}` leaves out {which}.",
            hint=f"Its {plural}: {', '.join(map(str, accepted or other))}"
            + ("." if accepted else " (`--split all`)."),
        )
