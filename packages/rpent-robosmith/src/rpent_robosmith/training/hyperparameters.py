"""The hyperparameters that the built-in trainers accept: names, ranges and defaults, as data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rpent.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SCHEDULES = ("constant", "linear")
ACTIVATIONS = ("tanh", "relu")
MAX_LAYERS = 6
MAX_UNITS = 2048


@dataclass(frozen=True, slots=True)
class Accepted:
    """What one hyperparameter may be."""

    check: Callable[[Any], Any]
    """Returns the value in its own type, or raises `ValueError`."""
    says: str
    """What is accepted: `a number above 0`."""


def _number(
    low: float, high: float = math.inf, *, open_low: bool = False, optional: bool = False
) -> Accepted:
    def check(value: Any) -> float | None:
        if value is None and optional:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise ValueError
        if not low <= value <= high or (open_low and value == low):
            raise ValueError
        return float(value)

    above = f"above {low:g}" if open_low else f"of at least {low:g}"
    until = f" and at most {high:g}" if math.isfinite(high) else ""
    return Accepted(check, f"a number {above}{until}{' or null' if optional else ''}")


def _whole(low: int, high: int = 2**31) -> Accepted:
    def check(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int | float) or int(value) != value:
            raise ValueError
        if not low <= value <= high:
            raise ValueError
        return int(value)

    return Accepted(check, f"a whole number from {low} to {high}")


def _one_of(*values: str) -> Accepted:
    def check(value: Any) -> str:
        if value not in values:
            raise ValueError
        return str(value)

    return Accepted(check, "one of " + ", ".join(f"`{value}`" for value in values))


def _truth() -> Accepted:
    def check(value: Any) -> bool:
        if not isinstance(value, bool):
            raise ValueError
        return value

    return Accepted(check, "true or false")


def _layers() -> Accepted:
    def check(value: Any) -> list[int]:
        if not isinstance(value, list | tuple) or not 1 <= len(value) <= MAX_LAYERS:
            raise ValueError
        unit = _whole(1, MAX_UNITS)
        return [unit.check(item) for item in value]

    return Accepted(check, f"a list of 1 to {MAX_LAYERS} layer sizes up to {MAX_UNITS}")


def _entropy() -> Accepted:
    number = _number(0)

    def check(value: Any) -> float | str:
        if not isinstance(value, str):
            result = number.check(value)
            assert isinstance(result, float)
            return result
        head, _, start = value.partition("_")
        if head != "auto" or (start and not float(start) > 0) or value.endswith("_"):
            raise ValueError
        return value

    return Accepted(check, "a number of at least 0, `auto`, or `auto_` and a starting value")


def _target_entropy() -> Accepted:
    def check(value: Any) -> float | str:
        if value == "auto":
            return "auto"
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise ValueError
        return float(value)

    return Accepted(check, "a number, or `auto`")


_NETWORK = {
    "learning_rate": _number(0, 1, open_low=True),
    "learning_rate_schedule": _one_of(*SCHEDULES),
    "gamma": _number(0, 1),
    "batch_size": _whole(2, 65_536),
    "net_arch": _layers(),
    "activation": _one_of(*ACTIVATIONS),
}
_REPLAY = {
    **_NETWORK,
    "buffer_size": _whole(100, 2_000_000),
    "learning_starts": _whole(0),
    "train_freq": _whole(1, 10_000),
    "gradient_steps": _whole(-1, 10_000),
    "n_steps": _whole(1, 32),
    "action_noise": _number(0, 10),
}
_ENTROPY = {"ent_coef": _entropy(), "target_entropy": _target_entropy()}
_TARGET = {"tau": _number(0, 1, open_low=True)}
_SAC = {**_REPLAY, **_ENTROPY, **_TARGET, "target_update_interval": _whole(1, 100_000)}

ACCEPTED: dict[str, dict[str, Accepted]] = {
    "ppo": {
        **_NETWORK,
        "n_steps": _whole(2, 65_536),
        "n_epochs": _whole(1, 100),
        "gae_lambda": _number(0, 1),
        "clip_range": _number(0, 10, open_low=True),
        "ent_coef": _number(0, 10),
        "vf_coef": _number(0, 10),
        "max_grad_norm": _number(0, open_low=True),
        "normalize_advantage": _truth(),
        "target_kl": _number(0, optional=True, open_low=True),
        "log_std_init": _number(-20, 2),
        "ortho_init": _truth(),
    },
    "sac": _SAC,
    "td3": {
        **_REPLAY,
        **_TARGET,
        "policy_delay": _whole(1, 100),
        "target_policy_noise": _number(0, 10),
        "target_noise_clip": _number(0, 10),
    },
    "tqc": {
        **_SAC,
        "top_quantiles_to_drop_per_net": _whole(0, 200),
        "n_quantiles": _whole(1, 200),
        "n_critics": _whole(1, 10),
    },
    "crossq": {
        **_REPLAY,
        **_ENTROPY,
        "policy_delay": _whole(1, 100),
        "critic_net_arch": _layers(),
    },
    "bc": {
        **_NETWORK,
        "weight_decay": _number(0, 1),
        "validation_fraction": _number(0, 0.5),
        "chunk_length": _whole(1, 100),
    },
    "act": {
        "learning_rate": _number(0, 1, open_low=True),
        "weight_decay": _number(0, 1),
        "batch_size": _whole(2, 4_096),
        "chunk_length": _whole(1, 200),
        "execute_steps": _whole(1, 200),
        "dim_model": _whole(8, 1024),
        "n_heads": _whole(1, 16),
        "dim_feedforward": _whole(8, 8192),
        "n_encoder_layers": _whole(1, 12),
        "n_decoder_layers": _whole(1, 12),
        "use_vae": _truth(),
        "latent_dim": _whole(1, 256),
        "kl_weight": _number(0, 1e4),
        "dropout": _number(0, 0.9),
        "failed_episodes": _truth(),
    },
}
"""Algorithm → name → what is accepted."""


def validated(algorithm: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return hyperparameters in their own types; those of algorithms that are not built in pass as they are.

    Raises:
        UsageError: One is unknown, or its value is not accepted.
    """
    accepted = ACCEPTED.get(algorithm)
    if accepted is None:
        return dict(values)
    return {name: _checked(algorithm, accepted, name, value) for name, value in values.items()}


def _checked(algorithm: str, accepted: Mapping[str, Accepted], name: str, value: Any) -> Any:
    if name not in accepted:
        known = ", ".join(f"`{known}`" for known in sorted(accepted))
        raise UsageError(f"`{name}` is no hyperparameter of `{algorithm}`.", hint=f"Accepted: {known}.")
    try:
        return accepted[name].check(value)
    except (ValueError, TypeError, OverflowError):
        raise UsageError(f"`{name}` of `{algorithm}` must be {accepted[name].says}, not `{value}`.") from None
