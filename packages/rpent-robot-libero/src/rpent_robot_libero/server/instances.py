"""Ground truth for a privileged perceptor: which object each pixel shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rpent_robot_libero.server.renderer import Renderer
    from rpent_robot_libero.server.scene import Scene

NOTHING, ROBOT, SCENERY = "", "robot", "scenery"


class Instances:
    """Maps geoms to labels: `akita_black_bowl_1`, and `wooden_cabinet_1/cabinet_top` for a moving part."""

    def __init__(self, scene: Scene) -> None:
        self.labels: list[str] = [NOTHING, ROBOT, SCENERY]
        model = scene.model
        label_of_body = self._body_labels(scene)
        index = {label: position for position, label in enumerate(self.labels)}
        self._index_of_geom = np.zeros(model.ngeom + 1, np.uint16)  # the last entry answers for geom -1
        for geom in range(model.ngeom):
            self._index_of_geom[geom] = index[label_of_body[int(model.geom_bodyid[geom])]]

    def view(self, renderer: Renderer, camera: str, size: tuple[int, int]) -> dict[str, Any]:
        """Return `labels` and the (H, W) uint16 index into them, upright; index 0 is nothing."""
        index: NDArray[np.uint16] = self._index_of_geom[renderer.geom_ids(camera, size)]
        return {"labels": list(self.labels), "index": index}

    def _body_labels(self, scene: Scene) -> dict[int, str]:
        model, env = scene.model, scene.env
        roots = {int(model.body(item.root_body).id): item.name for item in (*env.objects, *env.fixtures)}
        roots[int(model.body(scene.robot.robot_model.root_body).id)] = ROBOT
        labels: dict[int, str] = {0: SCENERY}
        for body in range(1, model.nbody):  # parents come before their children
            parent = labels[int(model.body_parentid[body])]
            label = roots.get(body, parent)
            if body not in roots and label not in (ROBOT, SCENERY) and model.body_jntnum[body]:
                root = label.split("/", 1)[0]
                label = f"{root}/{model.body(body).name.removeprefix(f'{root}_')}"
            labels[body] = label
        self.labels += sorted(set(labels.values()) - set(self.labels))
        return labels
