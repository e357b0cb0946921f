"""What a robot showed lately: the frames of before that go with a question to a policy that sees a video."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpent.env.types import Observation


class Window:
    """Observations by control step, as far back as a policy looks.

    Args:
        wanted: The steps before a question that it wants, negative: (-6, -4, -2).
    """

    def __init__(self, wanted: Sequence[int]) -> None:
        self.wanted = tuple(sorted(wanted))
        self._seen: dict[int, Observation] = {}
        self._start: int | None = None
        self.exact = True
        """Whether every frame so far was of the step that was wanted."""

    def see(self, observation: Observation) -> None:
        """Keep an observation with the policy's pictures; those that no later question can want are forgotten."""
        if self._start is None:
            self._start = observation.step
        self._seen[observation.step] = observation
        oldest_wanted = observation.step + min(self.wanted, default=0)
        older = [step for step in self._seen if step <= oldest_wanted]
        for step in sorted(older)[:-1]:
            del self._seen[step]

    def within(self, length: int) -> list[int]:
        """Return after which of a chunk's steps to look, so that later questions have their frames.

        The end of the chunk is not among them: the next question looks there anyhow. Each question is `length` control
        steps after the one before it.
        """
        return [done for done in range(1, length) if any((done - ago) % length == 0 for ago in self.wanted)]

    def before(self, now: int) -> list[tuple[int, Observation]]:
        """Return the frames for a question at a control step: relative step and observation, oldest first.

        Each wanted step is served by the frame nearest to it, the older one of two. What was before the beginning has
        none but the first frame; what is nearest to now itself has none.
        """
        frames: dict[int, Observation] = {}
        for ago in self.wanted:
            step = now + ago if self._start is None else max(now + ago, self._start)
            nearest = min(self._seen, key=lambda each: (abs(each - step), each))
            self.exact &= nearest == step
            if nearest < now:
                frames[nearest - now] = self._seen[nearest]
        return sorted(frames.items())
