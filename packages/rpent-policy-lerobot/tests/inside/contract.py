"""Run inside an environment with LeRobot: what every policy backend promises, for tiny policies of each family."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from rpent.testing import PolicyContract
from rpent_policy_lerobot.plugin import rpent_policies
from rpent_policy_lerobot.server import sdk

if TYPE_CHECKING:
    from pathlib import Path

sdk.prepare()

from rpent_policy_lerobot.server.tiny.checkpoint import Sizes, make  # noqa: E402  (after the preparation)

CAMERAS = ("observation.images.image", "observation.images.image2")
SIZES = Sizes(cameras=CAMERAS, picture=256, state=8, action=7, chunk=16, execute=8)


class LerobotContract(PolicyContract):
    """The contract, for one family."""

    spec = next(iter(rpent_policies()))
    family: ClassVar[str]
    options: ClassVar[dict[str, Any]] = {}

    @classmethod
    def values(cls, folder: Path) -> dict[str, Any]:
        """Make a tiny checkpoint."""
        make(cls.family, folder, SIZES)
        return {"checkpoint": str(folder), "device": "cpu", **cls.options}


class TestAct(LerobotContract):
    family = "act"


class TestDiffusion(LerobotContract):
    family = "diffusion"

    def test_it_remembers_what_it_was_asked_about(self, policy: Any) -> None:
        """The second answer depends on the first question."""
        self.ask(policy, "one")
        after = self.ask(policy, "one", step=1)
        policy.reset("one")
        assert abs(self.ask(policy, "one", step=1) - after).max() > 1e-3


class TestDiffusionWithoutMemory(LerobotContract):
    family = "diffusion"
    options: ClassVar[dict[str, Any]] = {"history": "repeat"}

    def test_it_remembers_nothing(self, policy: Any) -> None:
        """The present observation stands for those before it."""
        self.ask(policy, "one")
        after = self.ask(policy, "one", step=1)
        policy.reset("one")
        assert abs(self.ask(policy, "one", step=1) - after).max() < 1e-5


class TestDdpm(LerobotContract):
    """It draws noise in each step, so it answers one request at a time."""

    family = "diffusion"
    options: ClassVar[dict[str, Any]] = {"settings": {"noise_scheduler_type": "DDPM"}, "denoising_steps": 4}


class TestSmolVla(LerobotContract):
    family = "smolvla"
    options: ClassVar[dict[str, Any]] = {"denoising_steps": 3}

    def test_the_seed_decides(self, policy: Any) -> None:
        """Another seed, another chunk."""
        request = self.request(policy, "one")
        (first,) = policy.infer([request])
        object.__setattr__(request, "seed", request.seed + 1)
        (other,) = policy.infer([request])
        assert abs(first - other).max() > 1e-3
