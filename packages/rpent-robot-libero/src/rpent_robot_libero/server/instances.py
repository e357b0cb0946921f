"""Ground truth for a privileged perceptor: which object each pixel shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from rpent_manipulation.labels import NOTHING, ROBOT, SCENERY

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rpent_manipulation.mujoco.renderer import Renderer

    from rpent_robot_libero.server.scene import Scene


class Instances:
    """Maps geoms to labels: `akita_black_bowl_1`, and `wooden_cabinet_1/cabinet_top` for a moving part."""

    def __init__(self, scene: Scene) -> None:
        of_body = _body_labels(scene)
        self.labels = [NOTHING, ROBOT, SCENERY, *sorted(set(of_body) - {ROBOT, SCENERY})]
        index_of_body = np.array([self.labels.index(label) for label in of_body], np.uint16)
        # The last entry answers for geom -1, a pixel of nothing.
        self._index_of_geom = np.append(index_of_body[scene.model.geom_bodyid], np.uint16(0))

    def view(self, renderer: Renderer, camera: str, size: tuple[int, int]) -> dict[str, Any]:
        """Return `labels` and the (H, W) uint16 index into them, upright; index 0 is nothing."""
        index: NDArray[np.uint16] = self._index_of_geom[renderer.geom_ids(camera, size)]
        return {"labels": list(self.labels), "index": index}


def _body_labels(scene: Scene) -> list[str]:
    """Return the label of each body, in the order of their ids."""
    model, env = scene.model, scene.env
    roots = {int(model.body(item.root_body).id): item.name for item in (*env.objects, *env.fixtures)}
    roots[int(model.body(scene.robot.robot_model.root_body).id)] = ROBOT
    labels = [SCENERY]
    for body in range(1, model.nbody):  # parents come before their children
        label = roots.get(body, labels[int(model.body_parentid[body])])
        if body not in roots and label not in (ROBOT, SCENERY) and model.body_jntnum[body]:
            root = label.split("/", 1)[0]
            label = f"{root}/{model.body(body).name.removeprefix(f'{root}_')}"
        labels.append(label)
    return labels
