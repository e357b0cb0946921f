"""Importing LeRobot so that it stays offline, shares the CPU, and knows third-party policies."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from importlib import import_module
from importlib.metadata import version
from typing import Any

from rpent.errors import PolicyError

_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE")
_POLICIES = ("act", "diffusion", "vqbet", "tdmpc", "smolvla", "pi0", "pi05", "pi0_fast")


def prepare() -> None:
    """Import torch, torchvision and LeRobot, and register the installed `lerobot_policy_*` distributions.

    Raises:
        PolicyError: LeRobot, or something that it needs, is not installed here.
    """
    os.environ.update(
        dict.fromkeys(_OFFLINE, "1")
    )  # read by huggingface_hub and transformers at their import
    from rpent_torch import threads, vision  # noqa: PLC0415 (the variables above come first)

    try:
        threads.settle()
        vision.install()
        import_module("lerobot.policies.factory")
        plugins = import_module("lerobot.utils.import_utils")
    except ImportError as error:
        raise PolicyError(
            f"LeRobot cannot be imported here: {error}.",
            hint="rpent env sync lerobot (or name an interpreter that has it with `--env-python`)",
        ) from error
    plugins.register_third_party_plugins()


def lerobot_version() -> str:
    """Return the installed LeRobot's version."""
    return version("lerobot")


def config_class(family: str) -> Any:
    """Return the class of a policy's configuration.

    Args:
        family: The checkpoint's `type`.

    Raises:
        PolicyError: No installed package knows this type.
    """
    base = import_module("lerobot.configs.policies").PreTrainedConfig
    for name in (family, *_POLICIES):  # each module registers its class when it is imported
        with contextlib.suppress(ImportError):
            import_module(f"lerobot.policies.{name}.configuration_{name}")
    known = dict(base.get_known_choices())
    if family not in known:
        raise PolicyError(
            f"LeRobot {lerobot_version()} knows no policy of the type `{family}`.",
            hint=f"Install its plugin `lerobot_policy_{family}` in `{sys.prefix}`. Known: {', '.join(sorted(known))}.",
        )
    return known[family]


@contextlib.contextmanager
def quiet() -> Any:
    """Keep what LeRobot prints and logs while it loads out of the service's last words: it goes to the log only."""
    level = logging.getLogger().level
    with contextlib.redirect_stdout(sys.stderr):
        yield
    logging.getLogger().setLevel(level)
