"""Where a policy of a format can be loaded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rpent.errors import EnvironmentSetupError, UsageError

from rpent_robosmith.environments import ROBOSMITH, lerobot_environments

if TYPE_CHECKING:
    from rpent.specs import EnvironmentSpec

    from rpent_robosmith.inspect.api import ArtefactFacts

_CONTRIB = frozenset({"tqc", "crossq", "trpo", "ars", "qrdqn", "maskable-ppo", "recurrent-ppo"})


@dataclass(frozen=True, kw_only=True, slots=True)
class PolicyRequirements:
    """What a job that loads a policy needs."""

    environments: tuple[EnvironmentSpec, ...] = ()
    needs: tuple[str, ...] = ()
    sharing: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()
    contrib: bool = False

    def fields(self) -> dict[str, Any]:
        """Return them for `Job(...)`."""
        return {
            "environments": self.environments,
            "needs": self.needs,
            "sharing": self.sharing,
            "variables": dict(self.variables),
        }


def requirements_of(policy: ArtefactFacts) -> PolicyRequirements:
    """Return where a policy can be loaded.

    Raises:
        UsageError: Nobody here loads its format.
        EnvironmentSetupError: It is one of LeRobot's, and no installed plugin declares an environment for it.
    """
    contrib = policy.algorithm in _CONTRIB
    if policy.format == "sb3":
        needs = ("stable_baselines3", "torch", *(("sb3_contrib",) if contrib else ()))
        return PolicyRequirements(environments=(ROBOSMITH,), needs=needs, contrib=contrib)
    if policy.format == "onnx":
        return PolicyRequirements(environments=(ROBOSMITH,), needs=("onnxruntime",))
    if policy.format == "robosmith":
        return PolicyRequirements(needs=("numpy", "safetensors"))
    if policy.format == "lerobot":
        return _lerobot()
    raise UsageError(
        f"Nobody here loads policies of the format `{policy.format}`, so the wrapper cannot be executed.",
        hint="Leave the validation out with `--no-validate`.",
    )


def _lerobot() -> PolicyRequirements:
    from importlib.util import find_spec  # noqa: PLC0415

    found = lerobot_environments()
    if not found and find_spec("lerobot") is None:
        raise EnvironmentSetupError(
            "To execute the wrapper, LeRobot is needed, and no installed plugin declares an environment with it.",
            hint="pip install rpent-policy-lerobot && rpent env sync lerobot",
        )
    return PolicyRequirements(
        environments=found,
        needs=("lerobot", "torch"),
        sharing=("rpent-torch",) if found else (),
        variables=(("HF_HUB_OFFLINE", "1"), ("TRANSFORMERS_OFFLINE", "1"), ("HF_DATASETS_OFFLINE", "1")),
    )
