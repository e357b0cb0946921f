"""What the benchmark's own gymnasium wrapper observes and does: runs in the simulator's interpreter.

Arguments: folder of the assets, `.npz` with the `actions` (T, 12) of a policy, `.npz` to write, task, seed.
"""

import json
import random
import sys
from pathlib import Path

import numpy as np
from rpent_robot_robocasa.server.kitchen import import_simulator


def main() -> None:
    assets, given, written, task, seed = sys.argv[1:]
    import_simulator(Path(assets))
    random.seed(int(seed))
    np.random.seed(int(seed))
    from robocasa.utils.env_utils import convert_action
    from robocasa.wrappers.gym_wrapper import RoboCasaGymEnv

    wrapper = RoboCasaGymEnv(env_name=task, split="target", seed=int(seed))
    seen = {}
    joints = []

    def keep(name):
        """Keep what the wrapper makes of sensors that are read just now: after a step it hands out older readings."""
        raw = wrapper.env._get_observations(force_update=True)
        observation = wrapper.get_observation(raw)
        said = observation.pop("annotation.human.task_description")
        seen.update({f"{name}/{key}": value for key, value in observation.items()})
        return said

    said = keep("start")
    for action in np.load(given)["actions"]:
        wrapper.step(convert_action(action))
        joints.append(np.array(wrapper.env.robots[0]._joint_positions))
    wrapper.env.sim.forward()  # poses as the joints are now, and not one physics step before
    keep("end")
    np.savez(written, joints=joints, **seen)
    print(json.dumps({"said": said, "layout": int(wrapper.env.layout_id)}))


main()
