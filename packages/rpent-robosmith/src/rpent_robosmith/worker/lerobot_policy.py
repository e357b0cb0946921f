"""A LeRobot checkpoint in an episode, through LeRobot's own classes. Its observation is the environment's flat one."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import rpent_torch.vision
import torch
from rpent.errors import PolicyError, clause

from rpent_robosmith.policy.network import flattened
from rpent_robosmith.policy.shapes import check_parameters

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rpent_robosmith.policy.format import PolicyParameters

rpent_torch.vision.install()

STATE, ENVIRONMENT = "observation.state", "observation.environment_state"
"""Both are the whole observation: without pictures LeRobot's ACT wants the second, and looks at the first as well."""
ACTION = "action"


class LerobotFunction:
    """Answers with LeRobot's own queue of actions (`n_action_steps` of each chunk), deterministic."""

    def __init__(self, parameters: PolicyParameters) -> None:
        """Load the checkpoint.

        Raises:
            PolicyError: LeRobot cannot load it.
        """
        check_parameters(parameters)
        self._observation, self._action = parameters.description.observation, parameters.description.action
        with tempfile.TemporaryDirectory() as folder:
            for name, content in parameters.weights.items():
                (Path(folder) / name).write_bytes(content.tobytes())
            self._policy, self._before, self._after = load(Path(folder))

    def reset(self, seed: int) -> None:
        """Begin an episode; the policy is deterministic, so the seed changes nothing."""
        del seed
        self._policy.reset()

    def act(self, observation: Any) -> NDArray[np.generic]:
        """Return one action, within the space's bounds."""
        state = torch.from_numpy(flattened(observation, self._observation))[None]
        with torch.no_grad():
            batch = self._before({STATE: state, ENVIRONMENT: state})
            chosen = self._after(self._policy.select_action(batch))
        action = chosen.squeeze(0).cpu().numpy().reshape(self._action.shape)
        low, high = (
            np.asarray(bound, np.float32).reshape(self._action.shape)
            for bound in (self._action.low, self._action.high)
        )
        clipped: NDArray[np.generic] = np.clip(action, low, high).astype(self._action.dtype or "float32")
        return clipped


def load(folder: Path) -> tuple[Any, Any, Any]:
    """Return a checkpoint's policy, and what comes before and after it; nothing is downloaded.

    Raises:
        PolicyError: LeRobot cannot load it.
    """
    from lerobot.configs.policies import PreTrainedConfig  # noqa: PLC0415
    from lerobot.policies.factory import get_policy_class, make_pre_post_processors  # noqa: PLC0415

    try:
        settings = PreTrainedConfig.from_pretrained(folder)
        settings.device = "cpu"
        policy = get_policy_class(settings.type).from_pretrained(folder, config=settings)
        before, after = make_pre_post_processors(settings, pretrained_path=str(folder))
    except Exception as error:  # LeRobot's own errors have no family
        raise PolicyError(f"LeRobot cannot load the policy: {clause(error)}.") from error
    return policy.eval(), before, after
