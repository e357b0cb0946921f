"""Checkpoints of Stable-Baselines3 and sb3-contrib (`model.save(...)`), read as data."""

from __future__ import annotations

import json
import math
import zipfile
from pathlib import Path
from typing import Any

from rpent.errors import UsageError, clause

from rpent_robosmith.inspect.api import ArtefactFacts, Fault, Inspector, local
from rpent_robosmith.inspect.policies.sb3_spaces import space_of
from rpent_robosmith.inspect.policies.torch_shapes import shapes
from rpent_robosmith.inspect.spaces import ACTION, features

_DATA, _WEIGHTS, _VERSION, _SYSTEM = "data", "policy.pth", "_stable_baselines3_version", "system_info.txt"
_MAX_JSON_BYTES = 512 * 2**20
"""A replay buffer's numbers are in the JSON as text where somebody saved them with the policy."""
_ALGORITHMS = {
    "sac": ("ent_coef", "target_entropy"),
    "td3": ("policy_delay", "target_policy_noise"),
    "ppo": ("clip_range", "n_epochs"),
    "trpo": ("cg_max_steps",),
    "a2c": ("vf_coef", "gae_lambda"),
    "dqn": ("exploration_fraction", "max_grad_norm"),
    "ars": ("delta_std",),
}
"""Algorithm → settings that it has, the first that has all of them wins; the module of the policy says it otherwise."""


class Sb3PolicyInspector(Inspector):
    """Reads `data`, the shapes in `policy.pth`, and the versions; no pickle is opened."""

    def recognises(self, artefact: str) -> bool:
        """Whether it is a zip as `BaseAlgorithm.save` writes it."""
        path = local(artefact)
        if path is None or not path.is_file() or not zipfile.is_zipfile(path):
            return False
        with zipfile.ZipFile(path) as archive:
            return {_DATA, _WEIGHTS} <= set(archive.namelist())

    def inspect(self, artefact: str, *, samples: int = 0) -> ArtefactFacts:  # noqa: ARG002 (a policy holds no steps)
        """Return what the policy takes and gives."""
        path = Path(artefact).expanduser()
        try:
            with zipfile.ZipFile(path) as archive:
                saved, tensors, versions = _data(archive), _tensors(archive), _versions(archive)
        except (OSError, zipfile.BadZipFile, KeyError, ValueError) as error:
            raise UsageError(
                f"`{artefact}` cannot be read as a policy of Stable-Baselines3 ({clause(error)}).",
                hint="Save it again with `model.save(...)`.",
            ) from error
        return _facts(artefact, saved, tensors, versions, _beside(path))


def _facts(
    artefact: str,
    saved: dict[str, Any],
    tensors: dict[str, tuple[int, ...]],
    versions: dict[str, str],
    faults: tuple[Fault, ...],
) -> ArtefactFacts:
    for name in ("observation_space", "action_space"):
        if not isinstance(saved.get(name), dict):
            raise UsageError(
                f"`{artefact}` does not say its `{name}`.", hint="Save it again with `model.save(...)`."
            )
    observation, bare = features(space_of(saved["observation_space"], "observation_space"))
    action, _ = features(space_of(saved["action_space"], "action_space"), bare_name=ACTION)
    policy_class = saved.get("policy_class")
    module = str(policy_class.get("__module__", "")) if isinstance(policy_class, dict) else ""
    return ArtefactFacts(
        kind="policy",
        id=artefact,
        format="sb3",
        observation={
            name: each.model_copy(update={"low": (), "high": ()}) if each.kind == "image" else each
            for name, each in observation.items()
        },
        bare=bare,
        action=action,
        chunk_length=1,
        language=False,
        algorithm=_algorithm(module, saved),
        parameters=sum(math.prod(shape) for shape in tensors.values()),
        versions=versions,
        faults=faults,
        problems=tuple(fault.text for fault in faults),
        notes=(
            "A Stable-Baselines3 zip never holds the statistics of `VecNormalize`; whether it was trained with one is "
            "not in the file.",
        ),
        details=_details(saved, module, tensors),
    )


def _details(saved: dict[str, Any], module: str, tensors: dict[str, tuple[int, ...]]) -> dict[str, Any]:
    kept = {
        name: saved[name]
        for name in ("num_timesteps", "_total_timesteps", "seed", "gamma", "use_sde", "n_envs")
        if isinstance(saved.get(name), int | float)
    }
    return {
        "policy_module": module,
        **kept,
        "tensors": {name: list(shape) for name, shape in tensors.items()},
    }


def _data(archive: zipfile.ZipFile) -> dict[str, Any]:
    if archive.getinfo(_DATA).file_size > _MAX_JSON_BYTES:
        raise ValueError(f"`{_DATA}` is larger than {_MAX_JSON_BYTES >> 20} MB")
    saved = json.loads(archive.read(_DATA))
    if not isinstance(saved, dict):
        raise ValueError(f"`{_DATA}` is no JSON object")
    return saved


def _tensors(archive: zipfile.ZipFile) -> dict[str, tuple[int, ...]]:
    return shapes(archive.read(_WEIGHTS))


def _versions(archive: zipfile.ZipFile) -> dict[str, str]:
    """Return the versions that it was saved with; the file says them as `- Name: value`."""
    found = {}
    if _SYSTEM in archive.namelist():
        for line in archive.read(_SYSTEM)[:10_000].decode(errors="replace").splitlines():
            name, colon, value = line.removeprefix("- ").partition(":")
            if colon and name in {"Python", "PyTorch", "Numpy", "Gymnasium"}:
                found[name.lower()] = value.strip()
    if _VERSION in archive.namelist():
        found["stable-baselines3"] = archive.read(_VERSION)[:100].decode(errors="replace").strip()
    return found


def _algorithm(module: str, saved: dict[str, Any]) -> str | None:
    """Return the algorithm: the folder that its policy class is in, or what its settings tell."""
    folder = module.split(".")[1] if module.count(".") > 1 else ""
    if folder and folder not in {"common"}:
        found = folder.replace("ppo_mask", "maskable-ppo").replace("ppo_recurrent", "recurrent-ppo")
        return "ddpg" if found == "td3" and saved.get("policy_delay") == 1 else found
    return next((name for name, marks in _ALGORITHMS.items() if all(mark in saved for mark in marks)), None)


def _beside(path: Path) -> tuple[Fault, ...]:
    """Say where statistics of `VecNormalize` lie beside the zip: they are a pickle, and part of the policy."""
    folders = [path.parent, path.parent / path.stem]
    found = [
        each
        for folder in folders
        if folder.is_dir()
        for each in sorted(folder.iterdir())
        if each.suffix == ".pkl" and each.stem.lower().replace("_", "").startswith("vecnormalize")
    ]
    return tuple(
        Fault(
            kind="separate_normalization",
            key=each.name,
            severity="warning",
            text=f"`{each.name}` beside the zip holds statistics that the policy's observations are normalised with; "
            "it is a pickle, which is not opened.",
        )
        for each in found
    )
