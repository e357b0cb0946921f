"""Delivered policies behind the policy server: the contract of every backend, and what is particular to this one."""

import json

import numpy as np
import pytest
from rpent.errors import PolicyError
from rpent.policies.api import PolicyRequest
from rpent.testing.policies.contract import PolicyContract
from rpent_robosmith.catalog.entry import EnvEntry
from rpent_robosmith.facts import SpaceFacts
from rpent_robosmith.plugin import rpent_policies
from rpent_robosmith.policy.backend import load
from rpent_robosmith.policy.config import SmithPolicyConfig, policy_folder, signature
from rpent_robosmith.policy.files import write_policy
from rpent_robosmith.policy.format import PolicyDescription, PolicyParameters

(SPEC,) = rpent_policies()
POSITION = SpaceFacts(kind="box", shape=(3,), dtype="float32", low=(-np.inf,) * 3, high=(np.inf,) * 3)
FINGERS = SpaceFacts(kind="box", shape=(2,), dtype="float32", low=(-np.inf,) * 2, high=(np.inf,) * 2)
ACTION = SpaceFacts(kind="box", shape=(4,), dtype="float32", low=(-1.0,) * 4, high=(1.0,) * 4)
ENTRY = EnvEntry(
    id="arm-reach", name="Reach", adapter="rpent", env_id="my-arm", robot="arm", tags=("reach",),
    description="Reaches.", success={"signal": "is_success"}, progress="return",
)  # fmt: skip


def policy(observation, *, action=ACTION, output="clip", parts=None, entry=ENTRY, chunk_length=1):
    size = sum(part.size for part in observation.parts.values()) or observation.size
    outputs = action.n if output == "argmax" else action.size * chunk_length
    rng = np.random.default_rng(0)
    return PolicyParameters(
        description=PolicyDescription(
            algorithm="sac", trainer="sb3", observation=observation, action=action,
            action_parts=parts or {}, activation="tanh", layers=1, output=output, entry=entry,
            control_rate_hz=20.0, chunk_length=chunk_length, facts={"seed": 0},
        ),
        weights={
            "layers.0.weight": rng.normal(size=(outputs, size)).astype(np.float32),
            "layers.0.bias": np.zeros(outputs, np.float32),
        },
    )  # fmt: skip


NAMED = SpaceFacts(kind="dict", parts={"eef_position": POSITION, "gripper_qpos": FINGERS})


class TestContract(PolicyContract):
    spec = SPEC

    @classmethod
    def values(cls, folder):
        write_policy(folder, policy(NAMED, parts={"delta": 3, "gripper": 1}, chunk_length=2))
        return {"checkpoint": str(folder)}


def config(folder):
    return SmithPolicyConfig(checkpoint=str(folder))


def request(**state):
    return PolicyRequest(
        images={}, state={name: np.asarray(value, np.float32) for name, value in state.items()},
        instruction="reach", episode="e", step=0, seed=0,
    )  # fmt: skip


def test_it_has_the_names_of_the_robot_that_it_was_trained_on(tmp_path):
    write_policy(tmp_path, policy(NAMED, parts={"delta": 3, "gripper": 1}))
    found = signature(config(tmp_path))
    assert found.state == {"eef_position": 3, "gripper_qpos": 2}
    assert found.action == {"delta": 3, "gripper": 1}
    assert (found.robot, found.control_rate_hz, found.chunk_length) == ("my-arm", 20.0, 1)


def test_a_run_directory_stands_for_the_policy_in_it(tmp_path):
    write_policy(tmp_path / "policy", policy(NAMED))
    assert policy_folder(str(tmp_path)) == tmp_path / "policy"
    assert signature(config(tmp_path)).family == "sac"


def test_parts_are_put_together_in_the_order_that_was_trained(tmp_path):
    trained = policy(NAMED)
    write_policy(tmp_path, trained)
    position, fingers = np.array([0.01, 0.02, -0.01]), np.array([0.04, -0.04])
    (answer,) = load(config(tmp_path), lambda *_: None).infer(
        [request(gripper_qpos=fingers, eef_position=position)]
    )
    expected = np.concatenate([position, fingers]) @ trained.weights["layers.0.weight"].T
    np.testing.assert_allclose(answer, expected[None], atol=1e-6)


def test_one_vector_has_a_name_too(tmp_path):
    write_policy(tmp_path, policy(POSITION, entry=None))
    found = signature(config(tmp_path))
    assert (found.state, found.action, found.robot) == ({"observation": 3}, {"action": 4}, None)
    (answer,) = load(config(tmp_path), lambda *_: None).infer([request(observation=[0, 0, 0])])
    np.testing.assert_array_equal(answer, np.zeros((1, 4)))


def test_a_policy_that_chooses_among_actions_is_for_no_robot(tmp_path):
    write_policy(
        tmp_path, policy(POSITION, action=SpaceFacts(kind="discrete", n=2, dtype="int64"), output="argmax")
    )
    with pytest.raises(PolicyError, match="chooses among 2 actions; robots take vectors"):
        signature(config(tmp_path))


def test_a_foreign_folder_is_refused(tmp_path):
    with pytest.raises(PolicyError, match=r"policy\.json"):
        signature(config(tmp_path))
    (tmp_path / "policy.json").write_text(json.dumps({"version": 99}))
    with pytest.raises(PolicyError):
        signature(config(tmp_path))
