"""What the folder of an RLDX-1 checkpoint says of itself, without loading a weight."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rpent.errors import PolicyError
from rpent.home import expanded
from rpent.suggest import listing

from rpent_policy_rldx.modality import parse_modalities

if TYPE_CHECKING:
    from pathlib import Path

    from rpent_policy_rldx.modality import Modalities

MODEL_TYPE = "RLDX-1"


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
    kind = _json(folder / "config.json", folder).get("model_type")
    if kind != MODEL_TYPE:
        raise PolicyError(f"`{checkpoint}` is a checkpoint of `{kind}`; `{MODEL_TYPE}` is wanted.")
    inner = folder / "processor" if (folder / "processor").is_dir() else folder
    configs = (
        _json(inner / "processor_config.json", folder).get("processor_kwargs", {}).get("modality_configs")
    )
    configs = configs if isinstance(configs, dict) else {}
    tag = _tag(embodiment_tag, configs, checkpoint)
    statistics = _json(inner / "statistics.json", folder).get(tag, {})
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


def _json(path: Path, folder: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise PolicyError(
            f"`{folder}` is no checkpoint of RLDX-1: `{path.relative_to(folder)}` cannot be read ({reason})."
        ) from error
    return content if isinstance(content, dict) else {}


def _means(statistics: Any, modality: str) -> dict[str, int]:
    groups = statistics.get(modality) if isinstance(statistics, dict) else None
    return {
        name: len(numbers["mean"])
        for name, numbers in (groups or {}).items()
        if isinstance(numbers, dict) and isinstance(numbers.get("mean"), list)
    }
