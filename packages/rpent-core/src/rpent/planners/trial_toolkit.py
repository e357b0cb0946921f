"""The world of `rpent check planner`: one picture of one coloured shape."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image as PillowImage
from PIL import ImageDraw

from rpent.tools.result import Capture, Image, ToolResult
from rpent.tools.tool import tool
from rpent.tools.toolkit import Toolkit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rpent.robot import ToolContext

COLOURS = {
    "red": (214, 39, 40),
    "green": (44, 160, 44),
    "blue": (31, 80, 220),
    "yellow": (240, 210, 20),
}
SHAPES = ("circle", "square", "triangle")
SIZE = 160


class TrialToolkit(Toolkit):
    """Shows a shape whose colour only the picture tells."""

    def __init__(self, context: ToolContext, *, colour: str | None = None, shape: str | None = None) -> None:
        super().__init__(context)
        self.colour = colour or random.choice(list(COLOURS))  # noqa: S311  (no secret)
        self.shape = shape or random.choice(SHAPES)  # noqa: S311
        self.looks = 0

    @tool(readonly=True)
    def look(self) -> ToolResult:
        """Look at the table. Returns one picture of the shape that lies on it."""
        self.looks += 1
        pixels = draw(self.colour, self.shape)
        return ToolResult(
            data={"ok": True, "seen": "one shape, in the picture"},
            images=[Image(name="table", caption=f"the table, {SIZE}x{SIZE}", pixels=pixels)],
        )

    def capture(self) -> Capture:
        """Return that there is nothing to see without `look`."""
        return Capture(state={"note": "Nothing is seen yet; call `look`."})


def draw(colour: str, shape: str) -> NDArray[np.uint8]:
    """Return (160, 160, 3) uint8: the shape on white."""
    picture = PillowImage.new("RGB", (SIZE, SIZE), "white")
    pen, fill = ImageDraw.Draw(picture), COLOURS[colour]
    low, high, middle = SIZE // 5, SIZE * 4 // 5, SIZE // 2
    if shape == "circle":
        pen.ellipse((low, low, high, high), fill=fill)
    elif shape == "square":
        pen.rectangle((low, low, high, high), fill=fill)
    else:
        pen.polygon(((low, high), (high, high), (middle, low)), fill=fill)
    return np.asarray(picture)
