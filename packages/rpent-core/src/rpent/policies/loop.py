"""The loop of a learned policy: look, ask for a chunk of actions, carry it out, and know when to stop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from uuid import uuid4

from rpent.errors import CancelledCallError, PolicyError, RemoteError, ToolError
from rpent.policies.client import PolicyClient, Wanted
from rpent.policies.observe import state_fields
from rpent.policies.watch import Box, StallWatch

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from rpent.env.client import EnvClient
    from rpent.env.types import Observation
    from rpent.robot import ToolContext

StopReason = Literal["done", "episode_over", "chunks", "stalled", "workspace", "cancelled"]

REASONS: dict[StopReason, str] = {
    "done": "",
    "episode_over": "the episode is over",
    "chunks": "it used up its chunks",
    "stalled": "it made no progress: hand and fingers stood still",
    "workspace": "the hand left the workspace",
    "cancelled": "it was cancelled",
}
"""Why a policy was stopped, as a clause."""

SERVICE = "vla"


@dataclass(frozen=True, kw_only=True, slots=True)
class LoopResult:
    """What a policy did, and why it was stopped."""

    stopped: StopReason
    chunks: int
    """Chunks that were begun to be carried out."""
    steps: int
    """Control steps."""
    observation: Observation
    """The state after the last step."""

    @property
    def reason(self) -> str:
        """Why it was stopped, as a clause; empty when it was done."""
        return REASONS[self.stopped]


class PolicyLoop:
    """Lets the policy behind the `vla` service drive the robot, chunk by chunk.

    Args:
        context: The toolkit's.
        env: The robot's env server.
        note: Told of each new observation, so that the toolkit knows the state whatever ends the loop.
    """

    def __init__(self, context: ToolContext, env: EnvClient, *, note: Callable[[Observation], None]) -> None:
        self._context, self._env, self._note = context, env, note
        self._policy = PolicyClient(context.channels[SERVICE])
        self._box = Box.of(env.describe())
        self._episode = f"{context.run_dir.name}-{uuid4().hex[:8]}"

    def run(
        self, instruction: str, max_chunks: int, done: Callable[[Observation], bool] | None = None
    ) -> LoopResult:
        """Carry out chunks until something stops the policy.

        Its memory begins anew with each run: between two of them other tools have moved the robot.

        Args:
            instruction: What the policy is told.
            max_chunks: How many chunks it gets.
            done: Whether the goal is reached: asked at the beginning and after each chunk, so it may follow the motion.

        Raises:
            ToolError: The policy failed or answered something unusable; earlier chunks stay carried out.
            ServiceError: The policy server died; and `CallTimeoutError`: it hangs.
        """
        done = done or (lambda _: False)
        wanted = Wanted.of(self._policy.describe())
        seen = start = self._observe(wanted)
        self._policy.reset(self._episode, self._seed(start))
        watch, chunks = StallWatch(start), 0
        stopped: StopReason | None = "done" if done(start) else None
        while stopped is None:
            if chunks:
                seen = self._observe(wanted)
            try:
                actions = self._ask(seen, instruction, wanted, seen.step - start.step)
                after = self._carry_out(actions, chunks, max_chunks)
            except CancelledCallError:
                stopped, after = "cancelled", self._env.observe()
                self._note(after)
                done(after)
            else:
                chunks += 1
                stopped = self._why_stop(seen, after, watch, done) or (
                    "chunks" if chunks >= max_chunks else None
                )
            seen = after
        return LoopResult(stopped=stopped, chunks=chunks, steps=seen.step - start.step, observation=seen)

    def _seed(self, start: Observation) -> int:
        """Return a seed that a replay of the run has again, and another try of the same tool has not."""
        return (self._context.setup.seed * 100_003 + start.step) % 2**31

    def _observe(self, wanted: Wanted) -> Observation:
        """Render what the policy looks at, and nothing else."""
        sizes = {name: size[0] if size[0] == size[1] else size for name, size in wanted.cameras.items()}
        observation = self._env.observe(list(sizes), size=sizes)
        self._note(observation)
        return observation

    def _ask(self, seen: Observation, instruction: str, wanted: Wanted, steps: int) -> NDArray[np.float64]:
        offered = {
            "images": {name: seen.images[name] for name in wanted.cameras},
            "state": state_fields(seen, wanted.state),
        }
        try:
            actions = self._policy.infer(
                offered, instruction, episode=self._episode, wanted=wanted, cancel=self._context.cancel()
            )
        except (PolicyError, RemoteError, ToolError) as error:
            carried = f" The {steps} control steps before that stay done." if steps else ""
            raise ToolError(f"{error.message}{carried}", hint=error.hint) from error
        return actions[: wanted.execute_steps]

    def _carry_out(self, actions: NDArray[np.float64], chunks: int, max_chunks: int) -> Observation:
        after, executed, _ = self._env.chunk_step(actions, cancel=self._context.cancel())
        self._note(after)
        self._context.progress(
            {
                "chunk": chunks + 1,
                "max_chunks": max_chunks,
                "steps": executed,
                "env_step": after.step,
                "eef_position": after.eef_position.round(4).tolist(),
                "gripper_opening_m": round(after.gripper_opening_m, 4),
            }
        )
        return after

    def _why_stop(
        self,
        before: Observation,
        after: Observation,
        watch: StallWatch,
        done: Callable[[Observation], bool],
    ) -> StopReason | None:
        if done(after):
            return "done"
        if after.episode_over:
            return "episode_over"
        if self._context.cancel().cancelled:
            return "cancelled"
        if self._box is not None and self._box.left(before, after):
            return "workspace"
        return "stalled" if watch.stalled(after) else None
