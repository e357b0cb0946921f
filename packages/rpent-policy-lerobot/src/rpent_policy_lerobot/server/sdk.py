"""Importing LeRobot so that it stays offline, shares the CPU, and knows third-party policies."""

from __future__ import annotations

import contextlib
import sys
from importlib import import_module
from importlib.metadata import distributions, version
from typing import Any

from rpent.errors import PolicyError
from rpent_torch import hugging_face

from rpent_policy_lerobot.checkpoint import THIRD_PARTY

_broken: dict[str, str] = {}
"""Third-party module → why it cannot be imported."""


def prepare(*, trust_code: bool = False) -> None:
    """Import torch, torchvision and LeRobot, and the installed third-party policies, which register themselves.

    Args:
        trust_code: Whether code that lies beside a checkpoint may be run.

    Raises:
        PolicyError: LeRobot, or something that it needs, is not installed here.
    """
    try:
        hugging_face.prepare(trust_code=trust_code)
        import_module("lerobot.policies.factory")
    except ImportError as error:
        raise PolicyError(
            f"LeRobot cannot be imported here: {error}.",
            hint="rpent env sync lerobot (or name an interpreter that has it with `--env-python`)",
        ) from error
    for module in third_party_modules():
        try:
            import_module(module)
        except Exception as error:  # noqa: BLE001 (one broken plugin is not another policy's)
            _broken[module] = f"{type(error).__name__}: {error}"


def third_party_modules() -> list[str]:
    """Return the modules of the installed distributions named `lerobot_policy_*`.

    LeRobot's own search looks for robots and cameras too, whose drivers are not wanted here, and misses a name that a
    build tool wrote with hyphens.
    """
    names = {str(each.metadata["Name"] or "").lower().replace("-", "_") for each in distributions()}
    return sorted(name for name in names if name.startswith(THIRD_PARTY))


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
    with contextlib.suppress(ImportError):  # it registers its class when it is imported
        import_module(f"lerobot.policies.{family}.configuration_{family}")
    known = dict(base.get_known_choices())
    if family not in known:
        module = THIRD_PARTY + family
        broken = f"`{module}` is installed but broken ({_broken[module]})." if module in _broken else ""
        raise PolicyError(
            f"LeRobot {lerobot_version()} knows no policy of the type `{family}`.",
            hint=broken
            or f"Install its plugin `{module}` in `{sys.prefix}`. Known: {', '.join(sorted(known))}.",
        )
    return known[family]
