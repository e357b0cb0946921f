"""Writing MuJoCo models of primitive shapes, laid out as the simulator's loaders look them up.

Every solid is written twice: as a collision geom (group 0) and as a picture of itself (group 1), because the loaders
are told not to copy one from the other. Regions are invisible boxes named `reg_…`; where objects go is read from them.
A fixture's frame: x to the right and y away from whoever stands in front of it, z up, the origin in the middle.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Vector = tuple[float, float, float]
Colour = tuple[float, float, float, float]
Shape = Literal["box", "cylinder", "ellipsoid", "capsule"]
Axis = Literal["x", "y", "z"]

DENSITY = 100.0
"""kg/m³ of solids: the value that the simulator gives its own objects."""
_CONTACT = 'friction="0.95 0.3 0.1" solref="0.001 1" solimp="0.998 0.998 0.001"'
_ALONG: dict[str, str] = {"x": ' quat="0.70711 0 0.70711 0"', "y": ' quat="0.70711 0.70711 0 0"', "z": ""}


def numbers(values: Sequence[float]) -> str:
    """Return numbers as MuJoCo reads them, five digits each."""
    return " ".join(f"{float(value) + 0.0:.5g}" for value in values)


class Part:
    """What one body holds, written line by line.

    Args:
        model: The model that the body belongs to; it numbers the unnamed geoms.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.lines: list[str] = []

    def solid(
        self,
        shape: Shape,
        at: Vector,
        size: Sequence[float],
        colour: Colour,
        *,
        name: str | None = None,
        along: Axis = "z",
        density: float = DENSITY,
        quat: Sequence[float] | None = None,
    ) -> None:
        """Add a shape that is touched and seen.

        Args:
            shape: What MuJoCo calls it.
            at: Its centre in metres.
            size: Half sizes; radius and half length of a cylinder or capsule.
            colour: Red, green, blue, opacity, each 0 to 1.
            name: The geom's name, where the simulator or a label asks for it.
            along: The direction of a cylinder's or capsule's length.
            density: kg/m³.
            quat: Its turn (w, x, y, z) instead of `along`.
        """
        name = name or self.model.next_name()
        turn = f' quat="{numbers(quat)}"' if quat is not None else _ALONG[along]
        place = f'type="{shape}" pos="{numbers(at)}" size="{numbers(size)}"{turn}'
        self.lines.append(
            f'<geom name="{name}" {place} group="0" rgba="0.5 0 0 0.5" density="{density:g}" {_CONTACT}/>'
        )
        self._picture(f"{name}_vis", place, colour)

    def box(self, at: Vector, half: Vector, colour: Colour, name: str | None = None) -> None:
        """Add a solid box: its centre and half sizes in metres."""
        self.solid("box", at, half, colour, name=name)

    def cylinder(
        self,
        at: Vector,
        radius: float,
        half: float,
        colour: Colour,
        name: str | None = None,
        *,
        along: Axis = "z",
    ) -> None:
        """Add a solid cylinder: its centre, radius and half length in metres."""
        self.solid("cylinder", at, (radius, half), colour, name=name, along=along)

    def collision(self, shape: Shape, at: Vector, size: Sequence[float], *, along: Axis = "z") -> None:
        """Add a shape that is touched and not seen."""
        place = f'type="{shape}" pos="{numbers(at)}" size="{numbers(size)}"{_ALONG[along]}'
        self.lines.append(
            f'<geom name="{self.model.next_name()}" {place} group="0" rgba="0.5 0 0 0.5" '
            f'density="{DENSITY:g}" {_CONTACT}/>'
        )

    def picture(
        self,
        shape: Shape,
        at: Vector,
        size: Sequence[float],
        colour: Colour,
        *,
        along: Axis = "z",
        name: str | None = None,
    ) -> None:
        """Add a shape that is seen and not touched."""
        place = f'type="{shape}" pos="{numbers(at)}" size="{numbers(size)}"{_ALONG[along]}'
        self._picture(name or f"{self.model.next_name()}_vis", place, colour)

    def region(self, name: str, at: Vector, half: Vector) -> None:
        """Add the region `reg_NAME`: its centre and half sizes in metres."""
        place = f'type="box" pos="{numbers(at)}" size="{numbers(half)}"'
        self._picture(f"reg_{name}", place, (0, 1, 0, 0))

    def site(
        self,
        name: str,
        at: Vector,
        size: Sequence[float] = (0.005,),
        colour: Colour = (1, 0, 0, 0),
        shape: str = "sphere",
    ) -> None:
        """Add a site, by default one that is not seen."""
        self.lines.append(
            f'<site name="{name}" type="{shape}" pos="{numbers(at)}" size="{numbers(size)}" rgba="{numbers(colour)}"/>'
        )

    def _picture(self, name: str, place: str, colour: Colour) -> None:
        self.lines.append(
            f'<geom name="{name}" {place} group="1" contype="0" conaffinity="0" mass="1e-8" rgba="{numbers(colour)}"/>'
        )


class Model(Part):
    """A fixture or an object: what is fixed to it is added to the model itself, moving parts with `moving`.

    Args:
        name: The model's name.
        half: Half sizes of the whole in metres; the sites at its bottom, top and corner are written from them.
    """

    def __init__(self, name: str, half: Vector) -> None:
        super().__init__(self)
        self.name, self.half = name, half
        self.assets: list[str] = []
        self.outer = Part(self)
        self._count = 0
        width, depth, height = half
        self.outer.site("bottom_site", (0, 0, -height))
        self.outer.site("top_site", (0, 0, height))
        self.outer.site("horizontal_radius_site", (width, depth, 0))

    def next_name(self) -> str:
        """Return a name for a geom that needs none."""
        self._count += 1
        return f"g{self._count}"

    @contextmanager
    def moving(self, name: str, *joints: str) -> Iterator[Part]:
        """Add a body that moves on joints; what the `with` block adds is its content."""
        part = Part(self)
        yield part
        inner = "\n".join([*joints, *part.lines])
        self.lines.append(f'<body name="{name}">\n{inner}\n</body>')

    def text(self) -> str:
        """Return the model as XML."""
        parts = [
            f'<mujoco model="{self.name}">',
            '<compiler angle="radian"/>',
            f"<asset>{''.join(self.assets)}</asset>",
            "<worldbody>\n<body>",
            '<body name="object">',
            *self.lines,
            "</body>",
            *self.outer.lines,
            "</body>\n</worldbody>\n</mujoco>\n",
        ]
        return "\n".join(parts)


def hinge(
    name: str,
    axis: Vector,
    limits: tuple[float, float],
    at: Vector,
    *,
    damping: float = 2.0,
    friction: float = 0.0,
    armature: float = 0.01,
) -> str:
    """Return a hinge: limits in radians, damping in N·m·s/rad, friction in N·m."""
    place = f'type="hinge" axis="{numbers(axis)}" pos="{numbers(at)}" range="{numbers(limits)}"'
    return _joint(name, place, damping, friction, armature)


def slide(
    name: str,
    axis: Vector,
    limits: tuple[float, float],
    *,
    damping: float = 8.0,
    friction: float = 0.0,
    stiffness: float = 0.0,
) -> str:
    """Return a slide: limits in metres, damping in N·s/m, friction in N, the stiffness of a spring in N/m."""
    spring = f' stiffness="{stiffness:g}"' if stiffness else ""
    place = f'type="slide" axis="{numbers(axis)}" pos="0 0 0" range="{numbers(limits)}"{spring}'
    return _joint(name, place, damping, friction, 0.01)


def _joint(name: str, place: str, damping: float, friction: float, armature: float) -> str:
    extra = f' frictionloss="{friction:g}"' if friction else ""
    return (
        f'<joint name="{name}" {place} limited="true" damping="{damping:g}" armature="{armature:g}"{extra}/>'
    )
