"""What the folder of an RLDX-1 checkpoint says of itself, without loading a weight."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent.errors import PolicyError
from rpent.home import expanded
from rpent.policies.checkpoint import read_json
from rpent.suggest import listing

from rpent_policy_rldx.modality import parse_modalities

if TYPE_CHECKING:
    from rpent_policy_rldx.modality import Modalities

MODEL_TYPE = "RLDX-1"
WHOLE = "It must be the folder of an RLDX-1 checkpoint, with its processor."


def read_checkpoint(
    checkpoint: str, embodiment_tag: str
) -> tuple[Modalities, dict[str, int], dict[str, int]]:
    """Return the modalities of an embodiment, and the lengths of its state and action from their statistics.

    Raises:
        PolicyError: The folder is no checkpoint of RLDX-1, or has no such embodiment.
    """
    folder = expanded(checkpoint)
    if not folder.is_dir():
        raise PolicyError(
            f"`{checkpoint}` is neither a folder nor the address of a server.",
            hint="`--checkpoint` is `tcp://HOST:PORT` or the folder of an RLDX-1 checkpoint.",
        )
    kind = read_json(folder / "config.json", hint=WHOLE).get("model_type")
    if kind != MODEL_TYPE:
        raise PolicyError(f"`{checkpoint}` is a checkpoint of `{kind}`; `{MODEL_TYPE}` is wanted.")
    inner = folder / "processor" if (folder / "processor").is_dir() else folder
    configs = (
        read_json(inner / "processor_config.json", hint=WHOLE)
        .get("processor_kwargs", {})
        .get("modality_configs")
    )
    configs = configs if isinstance(configs, dict) else {}
    tag = _tag(embodiment_tag, configs, checkpoint)
    statistics = read_json(inner / "statistics.json", hint=WHOLE).get(tag, {})
    where = f"`{checkpoint}` (`{tag}`)"
    modalities = parse_modalities(configs[tag], where=where)
    return modalities, _means(statistics, "state"), _means(statistics, "action")


def _tag(wanted: str, configs: dict[str, Any], checkpoint: str) -> str:
    """Return the embodiment as the files call it: `oxe_droid` is `droid` there."""
    name = wanted.lower()
    for candidate in (wanted, name, name.removeprefix("oxe_")):
        if candidate in configs:
            return candidate
    raise PolicyError(
        f"`{checkpoint}` has no embodiment `{wanted}`.",
        hint=f"`--embodiment-tag` takes one of its own: {listing(tag.upper() for tag in configs)}.",
    )


def _means(statistics: Any, modality: str) -> dict[str, int]:
    groups = statistics.get(modality) if isinstance(statistics, dict) else None
    return {
        name: len(numbers["mean"])
        for name, numbers in (groups or {}).items()
        if isinstance(numbers, dict) and isinstance(numbers.get("mean"), list)
    }
