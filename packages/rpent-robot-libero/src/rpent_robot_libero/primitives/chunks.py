"""The loop of a learned policy: observe, infer a chunk of actions, carry it out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpent.robot import ToolContext

    from rpent_robot_libero.world import World


class ChunkLoop:
    """Drives the VLA service's `infer(observation, instruction, episode) -> (T, D)` contract."""

    def __init__(self, context: ToolContext, world: World) -> None:
        self._context = context
        self._world = world
        self._vla = context.channels["vla"]

    def run(self, instruction: str, max_chunks: int, done: Callable[[], bool]) -> int:
        """Carry out chunks until `done()`, the episode's end, cancellation or the limit; returns their number."""
        world, chunks = self._world, 0
        world.held = None
        while chunks < max_chunks and not self._context.cancel().cancelled:
            actions = self._infer(instruction)
            if len(actions) == 0:
                break
            observation, _, _ = world.env.chunk_step(actions, cancel=self._context.cancel())
            world.note(observation)
            chunks += 1
            if world.state.episode_over or done():
                break
        return chunks

    def _infer(self, instruction: str) -> np.ndarray:
        observation = self._world.env.observe(["agentview", "wrist"], size=256)
        self._world.note(observation)
        actions = self._vla.call(
            "infer",
            cancel=self._context.cancel(),
            observation={
                "images": dict(observation.images),
                "eef_position": observation.eef_position,
                "eef_quaternion": observation.eef_quaternion,
                "gripper_opening_m": observation.gripper_opening_m,
                "joint_positions": observation.joint_positions,
            },
            instruction=instruction,
            episode=str(self._context.run_dir.name),
        )
        return np.asarray(actions, dtype=np.float64)
