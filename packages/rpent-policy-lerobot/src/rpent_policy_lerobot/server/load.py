"""From a checkpoint's folder to a policy that answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rpent_policy_lerobot.checkpoint import read_config
from rpent_policy_lerobot.server import sdk
from rpent_policy_lerobot.signature import signature

if TYPE_CHECKING:
    from rpent.policies.api import Report
    from rpent.policies.signature import Signature

    from rpent_policy_lerobot.config import LerobotConfig
    from rpent_policy_lerobot.server.policy import LerobotPolicy


def load(config: LerobotConfig, report: Report) -> LerobotPolicy:
    """Load a checkpoint, from this machine alone.

    Args:
        config: The options.
        report: Told what is being done.

    Raises:
        PolicyError: It cannot be loaded, or not all of it.
    """
    report("reading the checkpoint", 0.0)
    found = signature(config)
    report("importing LeRobot", 0.05)
    sdk.prepare(trust_code=config.trust_code)
    return _load(config, report, found)


def _load(config: LerobotConfig, report: Report, found: Signature) -> LerobotPolicy:
    from lerobot.policies.factory import get_policy_class  # noqa: PLC0415 (heavy, and after the preparation)
    from rpent_torch.device import choose  # noqa: PLC0415

    from rpent_policy_lerobot.server import configuration, processors, weights  # noqa: PLC0415
    from rpent_policy_lerobot.server.dtypes import as_saved  # noqa: PLC0415
    from rpent_policy_lerobot.server.policy import LerobotPolicy  # noqa: PLC0415

    folder = Path(config.checkpoint)
    device = choose(config.device)
    settings = configuration.read(config, device=device, vlm=found.details.get("vlm"))
    report(f"loading the weights of {found.family} ({found.parameters or 0:,} parameters)", 0.4)
    model = weights.load_policy(get_policy_class(settings.type), folder, settings)
    if read_config(folder).get("load_vlm_weights"):
        as_saved(model, folder)
    report("loading the processors", 0.85)
    pre, post = processors.load(folder, settings, device=device, tokenizer=found.details.get("tokenizer"))
    policy = LerobotPolicy(model, pre, post, signature=found, device=device, history=config.history)
    report("ready", 1.0)
    return policy
