"""Run inside an environment with LeRobot and the installed `lerobot_policy_counter`: a policy of somebody else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from rpent.testing import PolicyContract
from rpent_policy_lerobot.plugin import rpent_policies
from rpent_policy_lerobot.server import sdk

if TYPE_CHECKING:
    from pathlib import Path

sdk.prepare()  # the only thing that imports the plugin

import torch  # noqa: E402, TID253  (this runs where it is)
from lerobot.configs.types import FeatureType, PolicyFeature  # noqa: E402
from lerobot.policies.factory import (  # noqa: E402
    get_policy_class,
    make_policy_config,
    make_pre_post_processors,
)


class CounterContract(PolicyContract):
    """The contract, for the installed plugin."""

    spec = next(iter(rpent_policies()))
    chunks: ClassVar[bool]

    @classmethod
    def values(cls, folder: Path) -> dict[str, Any]:
        """Save a checkpoint as LeRobot's training does."""
        state = PolicyFeature(FeatureType.STATE, (4,))
        config = make_policy_config(
            "counter",
            chunks=cls.chunks,
            device="cpu",
            input_features={"observation.state": state},
            output_features={"action": PolicyFeature(FeatureType.ACTION, (2,))},
        )
        statistics = {
            "observation.state": {"mean": torch.ones(4), "std": torch.full((4,), 2.0)},
            "action": {"mean": torch.zeros(2), "std": torch.full((2,), 10.0)},
        }
        pre, post = make_pre_post_processors(config, dataset_stats=statistics)
        for part in (get_policy_class("counter")(config), pre, post):
            part.save_pretrained(folder)
        return {"checkpoint": str(folder), "device": "cpu"}


class TestChunks(CounterContract):
    chunks = True

    def test_it_counts_for_each_episode(self, policy: Any) -> None:
        """Another episode's questions are not counted, and numbers are in the checkpoint's units."""
        first = self.ask(policy, "one")
        assert first.shape == (6, 2)
        self.ask(policy, "two")
        self.ask(policy, "two", step=1)
        request = self.request(policy, "one")
        object.__setattr__(request, "step", 1)
        (second,) = policy.infer([request])
        np.testing.assert_allclose(second - first, 10.0, atol=1e-4)


class TestOneByOne(CounterContract):
    chunks = False

    def test_it_gives_one_action_at_a_time(self, policy: Any) -> None:
        """Whatever queue it has of its own."""
        assert self.ask(policy, "one").shape == (1, 2)
        assert self.ask(policy, "one", step=1).shape == (1, 2)
