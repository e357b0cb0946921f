"""A policy server that answers as a test says, and observations made by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rpent.env.types import Observation
from rpent.rpc.facade import Facade, Method

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rpent.rpc.facade import CallContext

NAMES = ("describe", "reset", "infer")


class ScriptedPolicyServer:
    """Speaks the VLA server contract; `chunk` gives the answers.

    Args:
        chunk: From an observation (`images`, `state`) to the (T, D) actions.
        described: What `describe` says: `cameras`, `state`, `action_dim`, `execute_steps`, ...
    """

    def __init__(self, chunk: Callable[[Mapping[str, Any]], Any], **described: Any) -> None:
        self.chunk = chunk
        self.described = described
        self.asked: list[dict[str, Any]] = []
        """For each question the shapes of `images`, the lengths of `state`, `instruction`, `episode`; and of each frame
        of before its step with its state (`history`; None where none is told) and with its pictures (`pictures`)."""
        self.resets: list[tuple[str, int]] = []
        """Episode and seed of each reset."""

    def describe(self, call: CallContext) -> dict[str, Any]:  # noqa: ARG002
        """Return what was given."""
        return self.described

    def reset(self, call: CallContext, episode: str, seed: int = 0) -> None:  # noqa: ARG002
        """Note it."""
        self.resets.append((episode, seed))

    def infer(self, call: CallContext, observation: Any, instruction: str, episode: str) -> Any:  # noqa: ARG002
        """Note the question and answer it."""
        past = observation.get("history")
        self.asked.append(
            {
                "images": {name: picture.shape for name, picture in observation["images"].items()},
                "state": {name: len(vector) for name, vector in observation["state"].items()},
                "instruction": instruction,
                "episode": episode,
                "history": None if past is None else [(each["step"], each["state"]) for each in past],
                "pictures": [(each["step"], each["images"]) for each in past or ()],
            }
        )
        return self.chunk(observation)

    def facade(self) -> Facade:
        """Return the service."""
        methods = {name: Method(handler=getattr(self, name)) for name in NAMES}
        return Facade(name="policy/scripted", version="1", methods=methods)


def observed(
    position: Any = (0.0, 0.0, 0.1), *, opening: float = 0.08, step: int = 0, **changes: Any
) -> Observation:
    """Return an observation with the hand at a world position and its fingers so far apart."""
    values: dict[str, Any] = {
        "eef_quaternion": np.array([1.0, 0, 0, 0]),
        "joint_positions": np.zeros(7),
        "success": False,
        "terminated": False,
        "truncated": False,
        **changes,
    }
    return Observation(
        step=step, eef_position=np.array(position, np.float64), gripper_opening_m=opening, **values
    )
