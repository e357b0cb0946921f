"""What a kitchen's labels and floor plan are: runs in the simulator's interpreter.

Arguments: folder of the assets, task, seeds with commas between. Prints for each seed what the tests look at.
"""

import json
import sys
from pathlib import Path

import numpy as np
from rpent_robot_robocasa.catalog import find_task
from rpent_robot_robocasa.kitchens import Choice
from rpent_robot_robocasa.server.floor_plan import floor_plan
from rpent_robot_robocasa.server.instances import Instances, geom_labels
from rpent_robot_robocasa.server.kitchen import Kitchen, import_simulator

SIZE = (256, 256)
CAMERAS = ("robot0_agentview_left", "robot0_agentview_right")


def pixels(kitchen, renderer, label):
    """Return how many pixels of both agent views show a label."""
    instances = Instances(kitchen.env)
    views = [instances.view(renderer, camera, SIZE)["index"] for camera in CAMERAS]
    return sum(int((view == instances.labels.index(label)).sum()) for view in views)


def hidden_pixels(kitchen, renderer, label):
    """Return how many show it by its shape alone, once its own geoms are not drawn."""
    model = kitchen.model
    for geom, name in enumerate(geom_labels(kitchen.env)):
        if name == label and model.geom_group[geom] != 0:
            model.geom_rgba[geom, 3] = 0.0
    return pixels(kitchen, renderer, label)


def plan(kitchen):
    """Return how much of the floor under the base is free, and where the task's own target is."""
    found = floor_plan(kitchen.env)
    occupied, origin, cell = found["occupied"], found["origin"], found["cell_m"]
    base = kitchen.data.body("mobilebase0_base")
    ahead, aside = np.meshgrid(np.linspace(-0.5, 0.1, 25), np.linspace(-0.2, 0.2, 17))
    local = np.stack([ahead.ravel(), aside.ravel(), np.zeros(ahead.size)], axis=1)
    places = local @ base.xmat.reshape(3, 3).T + base.xpos
    cells = np.floor((places[:, :2] - origin) / cell).astype(int)
    return {
        "free": float((~occupied[cells[:, 1], cells[:, 0]]).mean()),
        "share": float((~occupied).mean()),
        "plan": {"origin": origin.tolist(), "cell_m": cell, "occupied": occupied.tolist()},
        "base": [*base.xpos[:2].tolist(), float(np.arctan2(base.xmat[3], base.xmat[0]))],
        "target": [float(v) for v in (*kitchen.env.target_pos[:2], kitchen.env.target_ori[2])]
        if hasattr(kitchen.env, "target_pos")
        else None,
    }


def main() -> None:
    assets, task, seeds, *label = sys.argv[1:]
    import_simulator(Path(assets))
    from rpent_manipulation.mujoco.renderer import Renderer

    answers = []
    for seed in map(int, seeds.split(",")):
        kitchen = Kitchen(find_task(task), Choice(split="target"), seed, Path(assets))
        model = kitchen.model
        labels = geom_labels(kitchen.env)
        drawn = (model.geom_group == 1) & (model.geom_rgba[:, 3] > 0)
        answer = {
            "labels": sorted(set(labels)),
            "nameless": [model.geom(g).name for g in np.flatnonzero(drawn) if labels[g] == ""],
            **plan(kitchen),
        }
        if label:
            renderer = Renderer(model)
            renderer.follow(model, kitchen.data)
            answer["drawn"] = pixels(kitchen, renderer, label[0])
            answer["hidden"] = hidden_pixels(kitchen, renderer, label[0])
            renderer.close()
        answers.append(answer)
        kitchen.close()
    print(json.dumps(answers))


main()
