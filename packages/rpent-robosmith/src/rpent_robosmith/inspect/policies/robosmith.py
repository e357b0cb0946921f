"""Policies that RoboSmith delivered: `policy.json` and `policy.safetensors`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rpent.errors import RpentError, UsageError

from rpent_robosmith.inspect.api import ArtefactFacts, Inspector, local
from rpent_robosmith.inspect.spaces import ACTION, features
from rpent_robosmith.policy.format import DESCRIPTION_FILE, WEIGHTS_FILE

if TYPE_CHECKING:
    from rpent_robosmith.policy.format import PolicyParameters


class RobosmithPolicyInspector(Inspector):
    """Reads both files, and checks that they fit together."""

    def recognises(self, artefact: str) -> bool:
        """Whether it is a folder with both files, or one of them."""
        path = local(artefact)
        folder = path.parent if path is not None and path.name in {DESCRIPTION_FILE, WEIGHTS_FILE} else path
        return (
            folder is not None and (folder / DESCRIPTION_FILE).is_file() and (folder / WEIGHTS_FILE).is_file()
        )

    def inspect(self, artefact: str, *, samples: int = 0) -> ArtefactFacts:  # noqa: ARG002 (a policy holds no steps)
        """Return what the policy takes and gives."""
        from rpent_robosmith.policy.files import read_policy  # noqa: PLC0415

        path = Path(artefact).expanduser()
        try:
            parameters = read_policy(path.parent if path.is_file() else path)
        except RpentError as error:
            raise UsageError(error.message, hint=error.hint) from error
        return _facts(artefact, parameters)


def _facts(artefact: str, parameters: PolicyParameters) -> ArtefactFacts:
    about = parameters.description
    observation, bare = features(about.observation)
    action, _ = features(about.action, bare_name=ACTION)
    normalized = about.normalization is not None
    return ArtefactFacts(
        kind="policy",
        id=artefact,
        format="robosmith",
        observation=observation,
        bare=bare,
        action=action,
        control_rate_hz=about.control_rate_hz,
        chunk_length=about.chunk_length,
        execute_steps=about.chunk_length,
        language=False,
        normalization=dict.fromkeys(observation, "mean_std") if normalized else {},
        normalization_statistics=True if normalized else None,
        robot=None if about.entry is None else about.entry.robot_model,
        max_episode_steps=None if about.entry is None else about.entry.max_episode_steps,
        algorithm=about.algorithm,
        parameters=sum(int(weight.size) for weight in parameters.weights.values()),
        versions={"policy": str(about.version)},
        details={
            "trainer": about.trainer,
            "environment": None if about.entry is None else about.entry.env_id,
            "entry": None if about.entry is None else about.entry.id,
            "output": about.output,
            "layers": about.layers,
            "facts": dict(about.facts),
        },
    )
