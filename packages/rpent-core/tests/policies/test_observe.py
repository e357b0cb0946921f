"""From an env server's observation to the state that a policy server wants."""

import numpy as np
import pytest
from rpent.errors import PolicyError
from rpent.policies.observe import state_fields
from rpent.testing.policies.scripted import observed


def test_state_and_what_a_robot_adds():
    seen = observed(
        (0.1, 0.2, 0.3), opening=0.05, extra={"gripper_qpos": [0.02, -0.02], "eef_position": [9, 9, 9]}
    )
    found = state_fields(seen, ["eef_position", "gripper_opening_m", "gripper_qpos"])
    assert {name: vector.tolist() for name, vector in found.items()} == {
        "eef_position": [0.1, 0.2, 0.3],
        "gripper_opening_m": [0.05],
        "gripper_qpos": [0.02, -0.02],
    }
    assert {vector.dtype for vector in found.values()} == {np.dtype(np.float64)}


@pytest.mark.parametrize("name", ["images", "extra", "success", "__class__", "pictures", "track", "words"])
def test_nothing_but_vectors_of_numbers(name):
    seen = observed(extra={"track": np.zeros((3, 4)), "words": "left"})
    with pytest.raises(PolicyError, match=f"no state field `{name}`"):
        state_fields(seen, [name])
