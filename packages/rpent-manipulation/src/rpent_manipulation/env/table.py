"""The table of an env server's methods: names, summaries, and how long a client waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent.rpc.facade import Method

if TYPE_CHECKING:
    from collections.abc import Callable


def method_table(env: Any, *, patience: float = 1.0) -> dict[str, Method]:
    """Return the table, for the `Facade`; what the robot's env offers besides is added to it.

    Args:
        env: A robot's `rpent_manipulation.env.methods.EpisodeMethods`, with its own `describe`, `reset`, `snapshot` and
            `restore`.
        patience: By what factor its clients wait longer: a kitchen takes longer to build than a table.
    """

    def slow(handler: Callable[..., Any], timeout_s: float, summary: str) -> Method:
        return Method(handler=handler, timeout_s=patience * timeout_s, summary=summary)

    return {
        "describe": Method(handler=env.describe, summary="What this env is."),
        "reset": slow(env.reset, 180.0, "Start an episode."),
        "step": Method(handler=env.step, summary="One control step."),
        "chunk_step": slow(env.chunk_step, 300.0, "Several control steps."),
        "servo": slow(env.servo, 600.0, "Closed-loop motion."),
        "observe": slow(env.observe, 120.0, "State, pictures, depth."),
        "camera_meta": Method(handler=env.camera_meta, summary="A camera's calibration."),
        "snapshot": Method(handler=env.snapshot, summary="The exact state, as bytes."),
        "restore": slow(env.restore, 180.0, "Come back to a state."),
        "record": Method(handler=env.record, summary="Record video frames, or stop."),
        "frames": Method(handler=env.frames, concurrent=True, summary="Fetch the recorded frames."),
        "actions": Method(handler=env.actions, summary="Fetch the control actions that were carried out."),
    }
