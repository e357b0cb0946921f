"""What a policy server says about itself: plain data, the same for every backend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rpent.policies.loading import Loaded

MIN_TIMEOUT_S = 60.0
TIMEOUT_FACTOR = 20.0
"""A client waits for so many times the first answer's duration: others may be before it in the queue."""


def infer_timeout(loaded: Loaded) -> float:
    """Return how long a client should wait for an answer, in seconds."""
    return round(max(MIN_TIMEOUT_S, TIMEOUT_FACTOR * loaded.warm_up_s), 1)


def describe(loaded: Loaded, facts: dict[str, Any], *, timeout_s: float) -> dict[str, Any]:
    """Return the answer to `describe`; cameras, state and action are the robot's, where there is one."""
    policy, layout, embodiment = loaded.policy, loaded.layout, loaded.embodiment
    signature = policy.signature
    rate = signature.control_rate_hz
    if embodiment is not None:
        rate = (layout and layout.control_rate_hz) or embodiment.control_rate_hz
    meant = signature.execute_steps or (layout and layout.execute_steps)
    execute = loaded.config.execute_steps or meant or loaded.chunk_length
    action = _action(loaded)
    return {
        "backend": loaded.backend,
        "family": signature.family,
        "checkpoint": loaded.config.checkpoint,
        "robot": None if embodiment is None else embodiment.robot,
        "layout": None if layout is None else layout.name,
        "cameras": _cameras(loaded),
        "state": dict(signature.state) if loaded.adapter is None else loaded.adapter.state_fields(),
        "action": action,
        "action_dim": sum(action.values()),
        "chunk_length": loaded.chunk_length,
        "execute_steps": min(execute, loaded.chunk_length),
        "history": list(signature.history),
        "control_rate_hz": rate,
        "signature": signature.model_dump(mode="json"),
        "device": policy.device,
        "max_batch": loaded.config.max_batch,
        "facts": facts,
        "infer_timeout_s": timeout_s,
        "load_s": round(loaded.load_s, 3),
        "warm_up_s": round(loaded.warm_up_s, 4),
    }


def _cameras(loaded: Loaded) -> dict[str, list[int | None]]:
    if loaded.adapter is not None:
        return {name: list(size) for name, size in loaded.adapter.cameras().items()}
    return {name: [view.height, view.width] for name, view in loaded.policy.signature.cameras.items()}


def _action(loaded: Loaded) -> dict[str, int]:
    if loaded.embodiment is not None:
        return {name: field.length for name, field in loaded.embodiment.action.items()}
    return dict(loaded.policy.signature.action)
