"""The loop of a learned policy: look, ask for a chunk of actions, carry it out, and know when to stop."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal
from uuid import uuid4

import numpy as np

from rpent.env.types import CHUNK_OBSERVE
from rpent.errors import CancelledCallError, PolicyError, RemoteError, ToolError
from rpent.policies.client import PolicyClient, Wanted
from rpent.policies.observe import state_fields
from rpent.policies.watch import Box, StallWatch
from rpent.policies.window import Window

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from rpent.env.client import EnvClient
    from rpent.env.types import ChunkObserve, Observation
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

History = Literal["none", "exact", "nearest"]
"""How the frames of a video were of the control steps that the policy wants: it wants none, all were, or some were of
the nearest steps that there were, as with an env server that cannot look while it carries out a chunk."""

SERVICE = "vla"


def new_episode(context: ToolContext) -> str:
    """Return a name for a run's memory in the policy server that no other run has."""
    return f"{context.run_dir.name}-{uuid4().hex[:8]}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Memory:
    """What a policy remembers when it stops, for a run that goes on where it left."""

    episode: str
    instruction: str
    left: Observation
    window: Window

    def holds(self, instruction: str, now: Observation) -> bool:
        """Whether it is told the same, and nothing has moved the robot since."""
        return (
            self.instruction == instruction
            and self.left.step == now.step
            and np.array_equal(self.left.eef_position, now.eef_position)
            and np.array_equal(self.left.joint_positions, now.joint_positions)
        )


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
    history: History = "none"
    memory: Memory = field(repr=False)
    """For a run that goes on."""

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
        episode: What `new_episode` gave, where several loops of a run are to have the same.
    """

    def __init__(
        self,
        context: ToolContext,
        env: EnvClient,
        *,
        note: Callable[[Observation], None],
        episode: str | None = None,
    ) -> None:
        self._context, self._env, self._note = context, env, note
        self._policy = PolicyClient(context.channels[SERVICE])
        described = env.describe()
        self._box = Box.of(described)
        self._looks = bool(described.get(CHUNK_OBSERVE))
        self._episode = episode or new_episode(context)

    def run(
        self,
        instruction: str,
        max_chunks: int,
        done: Callable[[Observation], bool] | None = None,
        *,
        memory: Memory | None = None,
        resumable: bool = False,
    ) -> LoopResult:
        """Carry out chunks until something stops the policy.

        Its memory begins anew with each run, unless it goes on where it left: with the memory that a run before gave
        back, the same instruction, and nothing that has moved the robot since.

        Args:
            instruction: What the policy is told.
            max_chunks: How many chunks it gets.
            done: Whether the goal is reached: asked at the beginning and after each chunk, so it may follow the motion.
            memory: `LoopResult.memory` of the run to go on with.
            resumable: Whether a later run may go on with this one's memory: the last chunk is then looked at as well.

        Raises:
            ToolError: The policy failed or answered something unusable; earlier chunks stay carried out.
            ServiceError: The policy server died; and `CallTimeoutError`: it hangs.
        """
        done = done or (lambda _: False)
        wanted = Wanted.of(self._policy.describe())
        seen = start = self._observe(wanted)
        memory = self._begin(instruction, start, wanted, memory)
        memory.window.see(start)
        looked_at = max_chunks if resumable else max_chunks - 1
        watch, chunks = StallWatch(start), 0
        stopped: StopReason | None = "done" if done(start) else None
        while stopped is None:
            if chunks:
                seen = self._observe(wanted)
                memory.window.see(seen)
            try:
                actions = self._ask(seen, memory, wanted, seen.step - start.step)
                at = memory.window.within(len(actions)) if self._looks and chunks < looked_at else []
                after, executed = self._carry_out(actions, at, wanted, memory.window)
                self._tell(after, chunks + 1, max_chunks, executed)
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
        history: History = "none" if not wanted.history else "exact" if memory.window.exact else "nearest"
        return LoopResult(
            stopped=stopped,
            chunks=chunks,
            steps=seen.step - start.step,
            observation=seen,
            history=history,
            memory=replace(memory, left=seen),
        )

    def _begin(self, instruction: str, start: Observation, wanted: Wanted, memory: Memory | None) -> Memory:
        """Return the memory to go on with, or that of an episode that begins."""
        window = Window(wanted.history)
        if memory is not None and memory.holds(instruction, start) and memory.window.wanted == window.wanted:
            return memory
        self._policy.reset(self._episode, self._seed(start))
        return Memory(episode=self._episode, instruction=instruction, left=start, window=window)

    def _seed(self, start: Observation) -> int:
        """Return a seed that a replay of the run has again, and another try of the same tool has not."""
        return (self._context.setup.seed * 100_003 + start.step) % 2**31

    def _observe(self, wanted: Wanted) -> Observation:
        """Render what the policy looks at, and nothing else."""
        sizes = _sizes(wanted)
        observation = self._env.observe(list(sizes), size=sizes)
        self._note(observation)
        return observation

    def _ask(self, seen: Observation, memory: Memory, wanted: Wanted, steps: int) -> NDArray[np.float64]:
        offered = _offered(seen, wanted)
        if wanted.history:
            past = memory.window.before(seen.step)
            offered["history"] = [{"step": step, **_offered(frame, wanted)} for step, frame in past]
        try:
            actions = self._policy.infer(
                offered,
                memory.instruction,
                episode=memory.episode,
                wanted=wanted,
                cancel=self._context.cancel(),
            )
        except (PolicyError, RemoteError, ToolError) as error:
            carried = f" The {steps} control steps before that stay done." if steps else ""
            raise ToolError(f"{error.message}{carried}", hint=error.hint) from error
        return actions[: wanted.execute_steps]

    def _carry_out(
        self, actions: NDArray[np.float64], at: list[int], wanted: Wanted, window: Window
    ) -> tuple[Observation, int]:
        """Carry out a chunk, and look after these of its steps: a later question will want to have seen them."""
        if at:
            look: ChunkObserve = {"cameras": list(wanted.cameras), "size": _sizes(wanted), "at": at}
            after, executed, observed = self._env.watched_chunk_step(
                actions, look, cancel=self._context.cancel()
            )
            for each in observed:
                window.see(each)
        else:
            after, executed, _ = self._env.chunk_step(actions, cancel=self._context.cancel())
        self._note(after)
        return after, executed

    def _tell(self, after: Observation, chunk: int, max_chunks: int, executed: int) -> None:
        self._context.progress(
            {
                "chunk": chunk,
                "max_chunks": max_chunks,
                "steps": executed,
                "env_step": after.step,
                "eef_position": after.eef_position.round(4).tolist(),
                "gripper_opening_m": round(after.gripper_opening_m, 4),
            }
        )

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


def _sizes(wanted: Wanted) -> dict[str, Any]:
    """Return camera → one number for a square picture, else (height, width), as env servers take it."""
    return {name: size[0] if size[0] == size[1] else size for name, size in wanted.cameras.items()}


def _offered(seen: Observation, wanted: Wanted) -> dict[str, Any]:
    """Return the part of a question that one observation makes."""
    return {
        "images": {name: seen.images[name] for name in wanted.cameras},
        "state": state_fields(seen, wanted.state),
    }
