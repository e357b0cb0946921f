"""Policies that RoboSmith delivered: `policy.json` and `policy.safetensors`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rpent.errors import RpentError, UsageError

from rpent_robosmith.inspect.api import ArtefactFacts, Inspector, local
from rpent_robosmith.inspect.spaces import ACTION, features
from rpent_robosmith.policy.format import DESCRIPTION_FILE, POLICY_FOLDER, WEIGHTS_FILE

if TYPE_CHECKING:
    from rpent_robosmith.policy.format import PolicyParameters


class RobosmithPolicyInspector(Inspector):
    """Reads both files, and checks that they fit together."""

    def recognises(self, artefact: str) -> bool:
        """Whether it is a folder with both files, one of them, or the directory of a run that delivered some."""
        path = local(artefact)
        return path is not None and _has_both(folder_of(path))

    def inspect(self, artefact: str, *, samples: int = 0) -> ArtefactFacts:  # noqa: ARG002 (a policy holds no steps)
        """Return what the policy takes and gives."""
        from rpent_robosmith.policy.files import read_policy  # noqa: PLC0415

        try:
            parameters = read_policy(folder_of(Path(artefact).expanduser()))
        except RpentError as error:
            raise UsageError(error.message, hint=error.hint) from error
        return _facts(artefact, parameters)


def folder_of(path: Path) -> Path:
    """Return the folder of a policy: of one of its files, itself, or the one in a run's directory."""
    if path.name in {DESCRIPTION_FILE, WEIGHTS_FILE} and path.is_file():
        return path.parent
    return path / POLICY_FOLDER if not _has_both(path) and _has_both(path / POLICY_FOLDER) else path


def _has_both(folder: Path) -> bool:
    return (folder / DESCRIPTION_FILE).is_file() and (folder / WEIGHTS_FILE).is_file()


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
