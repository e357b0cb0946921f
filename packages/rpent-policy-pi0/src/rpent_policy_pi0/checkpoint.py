"""What lies in a PI0 checkpoint's folder, judged from its JSON files and the header of its weights.

Two kinds are read. The one that transformers saves: `config.json` (`"model_type": "pi0"`), `model.safetensors`,
`processor_config.json` with the statistics of state and actions, and the tokenizer's files. And the one that LeRobot
saves: `config.json` (`"type": "pi0"`), `model.safetensors`, and the statistics in the safetensors of its normaliser
(`policy_preprocessor_step_N_normalizer_processor.safetensors`); transformers renames those weights as it loads them,
the tokenizer is somewhere else.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rpent.errors import PolicyError
from rpent.policies.checkpoint import read_json, require_any
from rpent_torch import weights

from rpent_policy_pi0.config import CAMERAS, camera_names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpent_torch.weights import TensorInfo

    from rpent_policy_pi0.config import Pi0Config

CONFIG, PROCESSOR = "config.json", "processor_config.json"
WHOLE = "It must be a folder that transformers or LeRobot saved a Pi0 in, with its processor."
TOKENIZER_FILES = ("tokenizer.json", "tokenizer.model")
NORMALIZER = "policy_preprocessor*normalizer_processor.safetensors"
STATE_KEY, ACTION_KEY = "observation.state", "action"
VARIANTS = {"paligemma_variant": "gemma_2b", "action_expert_variant": "gemma_300m"}
"""What LeRobot calls the two towers that transformers' PI0 has by default."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Checkpoint:
    """A folder that can be loaded, as far as its small files tell."""

    folder: Path
    kind: Literal["transformers", "lerobot"]
    config: Mapping[str, Any]
    """Its config.json."""
    cameras: tuple[str, ...]
    """In the order of training."""
    state_dim: int
    action_dim: int
    """The robot's own numbers, without the zeros that both are padded with."""
    tensors: Mapping[str, TensorInfo]
    tokenizer: Path
    normalizer: Path | None = None
    """The statistics, where LeRobot saved them."""

    @property
    def chunk_length(self) -> int:
        """Actions in one answer."""
        return int(self.config.get("chunk_size", 50))


def read(config: Pi0Config) -> Checkpoint:
    """Read the small files of the folder that the options name.

    Raises:
        PolicyError: It is no PI0 checkpoint, or something is missing.
    """
    folder = Path(config.checkpoint)
    weights.weights_file(folder)
    values = read_json(folder / CONFIG, hint=WHOLE)
    kind = _kind(values, folder)
    normalizer = _normalizer(folder) if kind == "lerobot" else None
    if kind == "lerobot":
        _check_variants(values, folder)
    state, action = _dims(folder, normalizer)
    checkpoint = Checkpoint(
        folder=folder,
        kind=kind,
        config=values,
        cameras=camera_names(config.cameras) or _cameras(values) or CAMERAS,
        state_dim=state,
        action_dim=action,
        tensors=weights.shapes(folder),
        tokenizer=_tokenizer(folder, config.tokenizer),
        normalizer=normalizer,
    )
    _check_padding(checkpoint)
    return checkpoint


def _kind(values: Mapping[str, Any], folder: Path) -> Literal["transformers", "lerobot"]:
    if values.get("model_type") == "pi0":
        return "transformers"
    if values.get("type") == "pi0":
        return "lerobot"
    found = values.get("model_type") or values.get("type") or "nothing"
    raise PolicyError(
        f"The checkpoint `{folder}` is no PI0: its `{CONFIG}` says `{found}`.",
        hint="`rpent policy inspect` tries all backends; LeRobot's other policies need `--backend lerobot`.",
    )


def _check_variants(values: Mapping[str, Any], folder: Path) -> None:
    for name, wanted in VARIANTS.items():
        if values.get(name, wanted) != wanted:
            raise PolicyError(
                f"The checkpoint `{folder}` has `{name}` `{values[name]}`; the PI0 of transformers has `{wanted}`.",
                hint="Serve it with `--backend lerobot`.",
            )


def _normalizer(folder: Path) -> Path | None:
    """Return LeRobot's statistics, which must be means and standard deviations."""
    steps = read_json(folder / "policy_preprocessor.json", hint=WHOLE).get("steps", ())
    for step in steps:
        norms = step.get("config", {}).get("norm_map", {})
        others = {
            name: norms[name] for name in ("STATE", "ACTION") if norms.get(name, "MEAN_STD") != "MEAN_STD"
        }
        if others:
            said = " and ".join(f"`{name}` by `{norm}`" for name, norm in others.items())
            raise PolicyError(
                f"The checkpoint `{folder}` normalises {said}; the PI0 of transformers knows only `MEAN_STD`.",
                hint="Serve it with `--backend lerobot`.",
            )
    return next(iter(sorted(folder.glob(NORMALIZER))), None)


def _dims(folder: Path, normalizer: Path | None) -> tuple[int, int]:
    """Return the lengths of the robot's state and action: those of their statistics."""
    if normalizer is not None:
        found = weights.shapes(normalizer)
        sizes = {key: info.shape[0] for key, info in found.items() if len(info.shape) == 1}
        means = [sizes.get(f"{key}.mean", 0) for key in (STATE_KEY, ACTION_KEY)]
        stds = [sizes.get(f"{key}.std", 0) for key in (STATE_KEY, ACTION_KEY)]
    elif (folder / PROCESSOR).is_file():
        values = read_json(folder / PROCESSOR)
        means = [len(values.get(f"{key}_mean") or ()) for key in ("state", "actions")]
        stds = [len(values.get(f"{key}_std") or ()) for key in ("state", "actions")]
    elif (folder / "policy_preprocessor.json").is_file():
        means = stds = [0, 0]
    else:
        raise PolicyError(
            f"The checkpoint `{folder}` has no `{PROCESSOR}`.",
            hint="Save the processor beside the model: `processor.save_pretrained(folder)`.",
        )
    if not all(means) or means != stds:
        raise PolicyError(
            f"The checkpoint `{folder}` has no statistics (mean and standard deviation) of its state and actions.",
            hint="Without them its answers have no units: base models must be trained on a robot's data first.",
        )
    return means[0], means[1]


def _cameras(values: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the pictures that LeRobot's config lists, without those that stand for absent cameras."""
    features = values.get("input_features")
    if not isinstance(features, dict):
        return ()
    return tuple(
        name
        for name, feature in features.items()
        if isinstance(feature, dict) and feature.get("type") == "VISUAL" and "empty_camera" not in name
    )


def _tokenizer(folder: Path, given: str | None) -> Path:
    place = Path(given) if given else folder
    hint = "Give the folder of PaliGemma's tokenizer with `--tokenizer` (or `RPENT_PI0_TOKENIZER`)."
    require_any(place, TOKENIZER_FILES, "tokenizer", hint=hint)
    return place


def _check_padding(checkpoint: Checkpoint) -> None:
    """Refuse a configuration that its own weights contradict."""
    for part, key, dim, axis in (
        ("state", "state_proj.weight", checkpoint.state_dim, 1),
        ("action", "action_out_proj.weight", checkpoint.action_dim, 0),
    ):
        padded = int(checkpoint.config.get(f"max_{part}_dim", 32))
        if dim > padded:
            raise PolicyError(
                f"The checkpoint `{checkpoint.folder}` has statistics of {dim} {part} numbers, but room for {padded}.",
            )
        for name, info in checkpoint.tensors.items():
            if name.endswith(key) and len(info.shape) == 2 and info.shape[axis] != padded:
                raise PolicyError(
                    f"The weights of `{checkpoint.folder}` have room for {info.shape[axis]} {part} numbers, "
                    f"its `{CONFIG}` says {padded}.",
                )
