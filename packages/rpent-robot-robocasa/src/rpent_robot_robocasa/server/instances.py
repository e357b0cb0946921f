"""Ground truth for a privileged perceptor: which fixture, part or object each pixel shows."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
from rpent_manipulation.labels import NOTHING, ROBOT, SCENERY

from rpent_robot_robocasa.server.hidden_parts import HiddenParts
from rpent_robot_robocasa.server.parts import part_of_geom, part_of_joint

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rpent_manipulation.mujoco.renderer import Renderer

KINDS = {
    "Wall": SCENERY,
    "Floor": SCENERY,
    "Box": SCENERY,
    "PanelCabinet": SCENERY,
    "HousingCabinet": SCENERY,
    "SingleCabinet": "cabinet",
    "HingeCabinet": "cabinet",
    "OpenCabinet": "shelf",
    "Drawer": "drawer",
    "Stovetop": "stovetop",
    "Stove": "stove",
    "Oven": "oven",
    "Fridge": "fridge",
    "Dishwasher": "dishwasher",
    "Microwave": "microwave",
    "CoffeeMachine": "coffee_machine",
    "ToasterOven": "toaster_oven",
    "Toaster": "toaster",
    "Blender": "blender",
    "StandMixer": "stand_mixer",
    "ElectricKettle": "electric_kettle",
    "Sink": "sink",
    "Hood": "hood",
    "DishRack": "dish_rack",
    "Window": "window",
    "WindowProc": "window",
}
"""RoboCasa's fixture class → kind. Counters and accessories are told apart by their names."""

_SPELLINGS = {
    "papertowel": "paper_towel",
    "knifeblock": "knife_block",
    "lightswitch": "light_switch",
    "wallaccessory": "wall_accessory",
}
"""What some layouts call accessories → what others call them."""

_GROUP = re.compile(r"(?:_\d+)?_(?:[a-z0-9]+_group|room)(?:_\d+)?$")


class Instances:
    """Maps geoms to labels: `mug_1`, `microwave_1`, and `microwave_1/start_button` for a part."""

    def __init__(self, env: Any) -> None:
        """Name every geom of a kitchen that has been reset (a robosuite environment of RoboCasa)."""
        of_geom = geom_labels(env)
        self._hidden = HiddenParts(env, of_geom, instance_names(env))
        named = {*of_geom, *self._hidden.labels} - {NOTHING, ROBOT, SCENERY}
        self.labels = [NOTHING, ROBOT, SCENERY, *sorted(named)]
        self._numbers = {label: number for number, label in enumerate(self.labels)}
        # The last entry answers for geom -1, a pixel of nothing.
        self._index_of_geom = np.array([*(self._numbers[label] for label in of_geom), 0], np.uint16)

    def view(self, renderer: Renderer, camera: str, size: tuple[int, int]) -> dict[str, Any]:
        """Return `labels` and the (H, W) uint16 index into them, upright; index 0 is nothing."""
        index: NDArray[np.uint16] = self._index_of_geom[renderer.geom_ids(camera, size)]
        self._hidden.show(index, self._numbers, renderer, camera)
        return {"labels": list(self.labels), "index": index}


def geom_labels(env: Any) -> list[str]:
    """Return the label of each geom of a kitchen, in the order of their ids."""
    model = env.sim.model._model
    of_body = _Bodies(model)
    labels = [NOTHING] * model.ngeom
    for geom in of_body.geoms_below(env.robots[0].robot_model.root_body):
        labels[geom] = ROBOT
    for root, (instance, prefix) in instance_names(env).items():
        for geom in of_body.geoms_below(root):
            labels[geom] = _fixture_label(of_body, geom, instance, prefix)
    return labels


def instance_names(env: Any) -> dict[str, tuple[str, str]]:
    """Return each fixture's and object's root body with its instance label and the prefix of its names."""
    numbers: Counter[str] = Counter()

    def numbered(kind: str) -> str:
        numbers[kind] += 1
        return f"{kind}_{numbers[kind]}"

    found: dict[str, tuple[str, str]] = {}
    lids: dict[str, str] = {}
    for fixture in env.fixtures.values():
        kind = fixture_kind(fixture)
        label = kind if kind == SCENERY else lids.get(fixture.name) or numbered(kind)
        if lid := getattr(fixture, "blender_lid", None):
            lids[lid.name] = f"{label}/lid"
        found[fixture.root_body] = (label, fixture.naming_prefix)
    for fixture in env.fixtures.values():
        if fixture.name in lids:
            found[fixture.root_body] = (lids[fixture.name], fixture.naming_prefix)
    categories = {cfg["name"]: str(cfg["info"]["cat"]) for cfg in env.object_cfgs if "info" in cfg}
    for name, item in env.objects.items():
        found[item.root_body] = (numbered(categories.get(name, name)), item.naming_prefix)
    return found


def fixture_kind(fixture: Any) -> str:
    """Return the kind of a fixture from its class, or from its name: `paper_towel_main_group` is a `paper_towel`."""
    classes = [cls.__name__ for cls in type(fixture).__mro__]
    for name in classes:
        if name in KINDS:
            return KINDS[name]
    name = str(fixture.name)
    if "Counter" in classes:
        return next((kind for kind in ("island", "dining_counter") if name.startswith(kind[:6])), "counter")
    own = re.sub(r"(?:\.\d+|_\d+)$", "", _GROUP.sub("", name))
    return _SPELLINGS.get(own, own)


def _fixture_label(bodies: _Bodies, geom: int, instance: str, prefix: str) -> str:
    """Return `microwave_1/start_button`: the instance, and the part that the geom belongs to."""
    if instance == SCENERY or "/" in instance:
        return instance
    kind = re.sub(r"_\d+$", "", instance)
    chain, joints = bodies.chain(geom, prefix)
    if kind == "drawer" and not joints:
        return SCENERY  # the casing that the drawer slides in
    part = part_of_joint(joints[0], bodies.joints_with(prefix)) if joints else ""
    part = part_of_geom(bodies.geom_name(geom).removeprefix(prefix), chain, part, kind)
    return f"{instance}/{part}" if part else instance


class _Bodies:
    """The tree of a model's bodies, with names."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._names = [model.body(body).name for body in range(model.nbody)]
        self._joints = [model.joint(joint).name for joint in range(model.njnt)]
        self._root_of_geom = [self._names[root] for root in model.body_rootid[model.geom_bodyid]]

    def geom_name(self, geom: int) -> str:
        """Return the name of a geom, which may be empty."""
        return str(self._model.geom(geom).name)

    def geoms_below(self, root: str) -> list[int]:
        """Return the geoms of the tree that starts at a body of the world."""
        return [geom for geom, name in enumerate(self._root_of_geom) if name == root]

    def joints_with(self, prefix: str) -> list[str]:
        """Return the names of a fixture's joints, without the prefix."""
        return [name.removeprefix(prefix) for name in self._joints if name.startswith(prefix)]

    def chain(self, geom: int, prefix: str) -> tuple[list[str], list[str]]:
        """Return the bodies from a geom up to below its root, and the joints of the nearest one that moves."""
        names: list[str] = []
        joints: list[str] = []
        body = int(self._model.geom_bodyid[geom])
        while body != self._model.body_rootid[body]:
            names.append(self._names[body].removeprefix(prefix))
            first, count = int(self._model.body_jntadr[body]), int(self._model.body_jntnum[body])
            if count and not joints:
                joints = [self._joints[first + offset].removeprefix(prefix) for offset in range(count)]
            body = int(self._model.body_parentid[body])
        return names, joints
