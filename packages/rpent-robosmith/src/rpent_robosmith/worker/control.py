"""How an environment is controlled: at which rate, and which parts its action has."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import gymnasium

    from rpent_robosmith.policy.format import PolicyParameters


def control_rate_hz(env: gymnasium.Env[Any, Any]) -> float | None:
    """Return control steps a simulated second; None where the environment has no notion of time."""
    inner = env.unwrapped
    for name in ("dt", "tau"):
        period = getattr(inner, name, None)
        if isinstance(period, int | float) and period > 0:
            return round(1.0 / float(period), 6)
    for rate in (getattr(inner, "control_freq", None), env.metadata.get("render_fps")):
        if isinstance(rate, int | float) and rate > 0:
            return float(rate)
    return None


def action_parts(env: gymnasium.Env[Any, Any]) -> dict[str, int]:
    """Return the parts of a robot's action and their lengths, in order; none where they have no names."""
    return dict(getattr(env.unwrapped, "action_parts", {}))


def controlling(policy: PolicyParameters, env: gymnasium.Env[Any, Any]) -> PolicyParameters:
    """Return a policy that says how the environment that it was trained in is controlled."""
    update = {"action_parts": action_parts(env), "control_rate_hz": control_rate_hz(env)}
    return replace(policy, description=policy.description.model_copy(update=update))
