"""Learned policies as tools: offered only where a VLA service is attached."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field
from rpent.errors import ToolError
from rpent.tools.result import ToolResult
from rpent.tools.tool import tool

from rpent_robot_libero.primitives import gripper

if TYPE_CHECKING:
    from rpent_robot_libero.primitives.chunks import ChunkLoop
    from rpent_robot_libero.world import World

Prompt = Annotated[str, Field(min_length=1, max_length=300)]
Chunks = Annotated[int, Field(ge=1, le=100)]


class PolicyTools:
    """`pi0_pick`, `pi0_doubled`."""

    world: World

    def chunk_loop(self) -> ChunkLoop:
        """Return the loop that asks the policy for chunks of actions and carries them out."""
        raise NotImplementedError

    @tool(needs="vla")
    def pi0_pick(
        self,
        prompt: Prompt,
        max_chunks: Chunks = 24,
        lift_m: Annotated[float, Field(ge=0.01, le=0.3)] = 0.05,
    ) -> ToolResult:
        """Let the learned policy pick something up; it may be called again when it failed.

        Args:
            prompt: What to do, in the words of the benchmark: `pick up the alphabet soup`.
            max_chunks: How many chunks of actions it gets.
            lift_m: How far the hand must have risen with something between its fingers.

        Returns:
            `held`, `lifted_m`, `chunks`.
        """
        lowest = [float(self.world.state.eef_position[2])]

        def picked() -> bool:
            state = self.world.state
            lowest[0] = min(lowest[0], float(state.eef_position[2]))
            between = gripper.HELD_OPENING < state.gripper_opening_m < gripper.MAX_OPENING - 0.01
            return between and float(state.eef_position[2]) - lowest[0] >= lift_m

        chunks = self.chunk_loop().run(prompt, max_chunks, picked)
        held = picked()
        lifted = float(self.world.state.eef_position[2]) - lowest[0]
        data = {
            "ok": held,
            "held": held,
            "lifted_m": round(lifted, 4),
            "chunks": _some(chunks),
            "reason": "" if held else "nothing was lifted within the chunks given",
        }
        return ToolResult(data=data)

    @tool(needs="vla")
    def pi0_doubled(self, prompt: Prompt, max_chunks: Chunks = 20) -> ToolResult:
        """Let the learned policy carry out a contact skill (open, close, turn on); the picture shows what came of it.

        It ends with the episode or its chunks: nothing else tells whether the skill worked.

        Args:
            prompt: What to do, in the words of the benchmark: `turn on the stove`.
            max_chunks: How many chunks of actions it gets.

        Returns:
            `task_success`, `chunks`.
        """
        chunks = self.chunk_loop().run(prompt, max_chunks, lambda: False)
        return ToolResult(data={"chunks": _some(chunks), "task_success": self.world.state.success})


def _some(chunks: int) -> int:
    """Return the number of chunks.

    Raises:
        ToolError: There was none.
    """
    if chunks == 0:
        raise ToolError("The policy gave no actions.")
    return chunks
