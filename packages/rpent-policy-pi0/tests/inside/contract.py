"""Run inside an environment with transformers: what every policy backend promises, and what PI0 looks at."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from rpent.testing import PolicyContract
from rpent_policy_pi0.plugin import rpent_policies
from rpent_policy_pi0.server import tiny

if TYPE_CHECKING:
    from pathlib import Path


class TestPi0(PolicyContract):
    spec = next(iter(rpent_policies()))
    options: ClassVar[dict[str, Any]] = {}

    @classmethod
    def values(cls, folder: Path) -> dict[str, Any]:
        """Make a tiny checkpoint."""
        tiny.make(folder)
        return {"checkpoint": str(folder), "device": "cpu", **cls.options}

    def change(self, policy: Any, **changes: Any) -> float:
        """Return how far the answer moves when the question is changed."""
        request = self.request(policy, "one")
        changed = replace(request, **changes)
        one, other = policy.infer([request]) + policy.infer([changed])
        return float(np.abs(one - other).max())

    def test_everything_that_is_asked_counts(self, policy: Any) -> None:
        """The seed, each picture, the state and the words change the answer."""
        request = self.request(policy, "one")
        assert self.change(policy, seed=request.seed + 1) > 1e-2
        assert self.change(policy, state={name: vector + 1 for name, vector in request.state.items()}) > 1e-6
        assert self.change(policy, instruction="throw it away") > 1e-7
        for camera, picture in request.images.items():
            assert self.change(policy, images={**request.images, camera: 255 - picture}) > 1e-7

    def test_the_order_of_the_pictures_is_that_of_training(self, policy: Any) -> None:
        """Names are looked up, whatever the order of the mapping; swapped pictures are another question."""
        images = self.request(policy, "one").images
        assert self.change(policy, images=dict(reversed(images.items()))) == 0.0
        front, wrist = images
        assert self.change(policy, images={front: images[wrist], wrist: images[front]}) > 1e-7

    def test_any_words_are_read(self, policy: Any) -> None:
        """None, very many, and those that look like the model's own marks."""
        for words in ("", "<image><image>", "ß ∂ 皿\n\n", "again and " * 500):
            (chunk,) = policy.infer([replace(self.request(policy, "one"), instruction=words)])
            assert np.isfinite(chunk).all()
        long = "again and " * 500
        assert self.change(policy, instruction="<image>" + self.request(policy, "one").instruction) == 0.0
        one, other = (
            policy.infer([replace(self.request(policy, "one"), instruction=words)])[0]
            for words in (long, long + "x")
        )
        assert (one == other).all()

    def test_actions_are_in_the_units_of_the_data(self, policy: Any) -> None:
        """Mean and standard deviation of the statistics are those of the answers of random weights, about."""
        chunks = np.concatenate(
            [policy.infer([replace(self.request(policy, "one"), seed=seed)])[0] for seed in range(20)]
        )
        assert 0.1 < chunks.std() < 0.4  # the tiny checkpoint's is 0.2
        assert chunks.shape[1] == tiny.ACTION


class TestPi0InHalfPrecision(TestPi0):
    options: ClassVar[dict[str, Any]] = {"dtype": "bfloat16"}
    tolerance = 2e-2

    def change(self, policy: Any, **changes: Any) -> float:
        """Return how far the answer moves; small differences drown in rounding."""
        return super().change(policy, **changes)

    def test_everything_that_is_asked_counts(self, policy: Any) -> None:
        """The seed does."""
        assert self.change(policy, seed=self.request(policy, "one").seed + 1) > 1e-2

    def test_the_order_of_the_pictures_is_that_of_training(self, policy: Any) -> None:
        """Names are looked up."""
        images = self.request(policy, "one").images
        assert self.change(policy, images=dict(reversed(images.items()))) == 0.0


class TestPi0OfLerobot(PolicyContract):
    """The same weights under the names that LeRobot gives them, with its statistics."""

    spec = next(iter(rpent_policies()))

    @classmethod
    def values(cls, folder: Path) -> dict[str, Any]:
        """Make both, and compare them below."""
        tiny.make(folder / "transformers")
        tiny.make_lerobot(folder / "lerobot")
        cls.twin = {"checkpoint": str(folder / "transformers"), "device": "cpu"}
        return {
            "checkpoint": str(folder / "lerobot"),
            "tokenizer": str(folder / "transformers"),
            "device": "cpu",
        }

    def test_it_answers_as_the_one_of_transformers(self, policy: Any) -> None:
        """The weights are renamed, not lost."""
        from rpent_policy_pi0.config import Pi0Config
        from rpent_policy_pi0.server.load import load

        twin = load(Pi0Config(**self.twin), lambda stage, fraction=None: None)
        request = self.request(policy, "one")
        np.testing.assert_allclose(policy.infer([request])[0], twin.infer([request])[0], atol=1e-6)
