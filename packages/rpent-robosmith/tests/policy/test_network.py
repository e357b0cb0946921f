"""The numpy network against the same arithmetic by hand."""

from __future__ import annotations

import numpy as np
import pytest
from rpent.errors import PolicyError
from rpent_robosmith.facts import SpaceFacts
from rpent_robosmith.policy.format import Normalization, PolicyDescription, PolicyParameters
from rpent_robosmith.policy.network import NetworkPolicy

BOX = SpaceFacts(kind="box", shape=(2,), dtype="float32", low=(-9.0,), high=(9.0,))
PAIR = SpaceFacts(kind="box", shape=(2,), dtype="float32", low=(-1.0, -3.0), high=(1.0, 5.0))


def policy(weight: object, bias: object, **fields: object) -> NetworkPolicy:
    """Return a policy of one layer."""
    described = {
        "algorithm": "ppo",
        "trainer": "sb3",
        "observation": BOX,
        "action": PAIR,
        "activation": "relu",
        "layers": 1,
        "output": "clip",
        **fields,
    }
    weights = {
        "layers.0.weight": np.asarray(weight, np.float32),
        "layers.0.bias": np.asarray(bias, np.float32),
    }
    if fields.get("normalization"):
        weights |= {"observation.mean": np.array([1.0, 2.0]), "observation.var": np.array([4.0, 0.25])}
    return NetworkPolicy(
        PolicyParameters(description=PolicyDescription.model_validate(described), weights=weights)
    )


def test_clip_keeps_to_the_bounds() -> None:
    action = policy(np.eye(2), [0, 0]).act(np.array([4.0, 4.0]))
    np.testing.assert_array_equal(action, np.array([1.0, 4.0], np.float32))
    assert action.dtype == np.float32


def test_tanh_is_scaled_to_the_bounds() -> None:
    action = policy(np.zeros((2, 2)), [0.0, 100.0], output="tanh_scaled").act(np.zeros(2))
    np.testing.assert_allclose(action, [0.0, 5.0])


def test_normalisation_is_clipped() -> None:
    network = policy(np.eye(2), [0, 0], normalization=Normalization(clip=1.5))
    np.testing.assert_allclose(network.act(np.array([2.0, 9.0])), [0.5, 1.5], rtol=1e-6)


def test_discrete_actions_begin_at_the_start() -> None:
    action = SpaceFacts(kind="discrete", n=3, start=5)
    network = policy([[0, 0], [1, 0], [0, 1]], [0, 0, 0], action=action, output="argmax")
    assert network.act(np.array([0.0, 1.0])) == 7
    assert network.act(np.array([2.0, 1.0])) == 6


def test_parts_are_taken_in_sorted_order() -> None:
    one = SpaceFacts(kind="box", shape=(1,), dtype="float64", low=(-1.0,), high=(1.0,))
    observation = SpaceFacts(kind="dict", parts={"b": one, "a": SpaceFacts(kind="discrete", n=2, start=1)})
    network = policy([[1, 2, 3]], [0], observation=observation, action=BOX.model_copy(update={"shape": (1,)}))
    np.testing.assert_array_equal(network.flatten({"b": [0.5], "a": 2}), np.array([0, 1, 0.5], np.float32))
    np.testing.assert_allclose(network.act({"b": [0.5], "a": 2}), [3.5])


def test_chunks_are_played_and_forgotten_at_a_reset() -> None:
    network = policy(np.zeros((4, 2)), [0.1, 0.2, 0.3, 0.4], chunk_length=2)
    np.testing.assert_allclose(network.chunk(np.zeros(2)), [[0.1, 0.2], [0.3, 0.4]], rtol=1e-6)
    np.testing.assert_allclose(network.act(np.zeros(2)), [0.1, 0.2], rtol=1e-6)
    network.reset(1)
    np.testing.assert_allclose(network.act(np.zeros(2)), [0.1, 0.2], rtol=1e-6)
    np.testing.assert_allclose(network.act(np.zeros(2)), [0.3, 0.4], rtol=1e-6)


def test_other_observations_are_refused() -> None:
    with pytest.raises(PolicyError, match="takes 2 numbers, and the observation has 3"):
        policy(np.eye(2), [0, 0]).act(np.zeros(3))
