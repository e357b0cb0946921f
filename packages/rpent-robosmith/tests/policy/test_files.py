"""Policies on disk: the same after reading, the same bytes, and strict."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from rpent.errors import PolicyError
from rpent_robosmith.facts import SpaceFacts
from rpent_robosmith.policy.files import read_description, read_policy, write_policy
from rpent_robosmith.policy.format import Normalization, PolicyDescription, PolicyParameters
from rpent_robosmith.policy.network import NetworkPolicy
from safetensors.numpy import save_file

if TYPE_CHECKING:
    from pathlib import Path

INFINITE = float("inf")


def parameters(**changes: object) -> PolicyParameters:
    """Return 3 numbers → 4 hidden → 2 actions, normalised."""
    random = np.random.default_rng(0)
    description = PolicyDescription(
        algorithm="ppo",
        trainer="sb3",
        observation=SpaceFacts(kind="box", shape=(3,), dtype="float32", low=(-INFINITE,), high=(INFINITE,)),
        action=SpaceFacts(kind="box", shape=(2,), dtype="float32", low=(-2.0, -1.0), high=(2.0, 1.0)),
        activation="tanh",
        layers=2,
        output="tanh_scaled",
        normalization=Normalization(),
    ).model_copy(update=changes)
    weights = {
        "layers.0.weight": random.normal(size=(4, 3)).astype(np.float32),
        "layers.0.bias": random.normal(size=4).astype(np.float32),
        "layers.1.weight": random.normal(size=(2, 4)).astype(np.float32),
        "layers.1.bias": random.normal(size=2).astype(np.float32),
        "observation.mean": np.array([0.0, 1.0, 2.0]),
        "observation.var": np.array([1.0, 4.0, 9.0]),
    }
    return PolicyParameters(description=description, weights=weights)


def test_read_is_what_was_written(tmp_path: Path) -> None:
    policy = parameters()
    write_policy(tmp_path / "a", policy)
    read = read_policy(tmp_path / "a")
    assert read.description == policy.description
    assert read.description.observation.low == (-INFINITE,)
    for name, weight in policy.weights.items():
        assert read.weights[name].dtype == weight.dtype
        np.testing.assert_array_equal(read.weights[name], weight)


def test_the_description_is_strict_json(tmp_path: Path) -> None:
    written, _ = write_policy(tmp_path, parameters())
    plain = json.loads(written.read_text(), parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert (plain["observation"]["low"], plain["observation"]["high"]) == (["-Infinity"], ["Infinity"])


def test_the_same_policy_gives_the_same_bytes(tmp_path: Path) -> None:
    first = [path.read_bytes() for path in write_policy(tmp_path / "a", parameters())]
    again = [path.read_bytes() for path in write_policy(tmp_path / "b", parameters())]
    assert first == again
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == ["policy.json", "policy.safetensors"]


def test_a_missing_policy_is_said_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match=r"policy\.json` cannot be read"):
        read_description(tmp_path)


def test_another_version_is_refused(tmp_path: Path) -> None:
    path, _ = write_policy(tmp_path, parameters())
    path.write_text(json.dumps({**json.loads(path.read_text()), "version": 2}))
    with pytest.raises(PolicyError, match="version 2; this release reads version 1"):
        read_policy(tmp_path)


def test_unknown_fields_are_refused(tmp_path: Path) -> None:
    path, _ = write_policy(tmp_path, parameters())
    path.write_text(json.dumps({**json.loads(path.read_text()), "code": "import os"}))
    with pytest.raises(PolicyError, match="damaged at `code`"):
        read_policy(tmp_path)


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("layers.0.weight", np.zeros((4, 2), np.float32), "Layer 0 of the policy takes 3 numbers"),
        ("layers.1.weight", np.zeros((3, 4), np.float32), "Layer 1"),
        ("layers.0.bias", np.zeros(4, np.float64), "is float64, not float32"),
        ("layers.0.bias", np.full(4, np.nan, np.float32), "not finite"),
        ("observation.mean", np.zeros(2), r"the shape \(2,\), not \(3,\)"),
        ("observation.var", np.array([1.0, -1.0, 1.0]), "negative"),
        ("layers.2.weight", np.zeros((4, 2), np.float32), "disagree about `layers.2.weight`"),
    ],
)
def test_weights_that_do_not_fit_are_refused(
    tmp_path: Path, name: str, array: np.ndarray, message: str
) -> None:
    policy = parameters()
    _, path = write_policy(tmp_path, policy)
    save_file({**policy.weights, name: array}, path)
    with pytest.raises(PolicyError, match=message):
        read_policy(tmp_path)


def test_a_cut_file_is_refused(tmp_path: Path) -> None:
    _, path = write_policy(tmp_path, parameters())
    path.write_bytes(path.read_bytes()[:-7])
    with pytest.raises(PolicyError, match="no safetensors file"):
        read_policy(tmp_path)


def test_infinite_bounds_have_no_scaling() -> None:
    action = SpaceFacts(kind="box", shape=(2,), dtype="float32", low=(-INFINITE, -1.0), high=(INFINITE, 1.0))
    with pytest.raises(PolicyError, match="finite action bounds"):
        NetworkPolicy(parameters(action=action))
