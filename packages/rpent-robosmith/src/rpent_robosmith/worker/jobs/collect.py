"""The job that records: seeded episodes of a policy, each sent to the owner, who writes the dataset.

Messages: `progress`; `frames` (some pictures of the episode under way, in order); `episode`: `observations` (part of
the observation → (T, S), the empty string where it is one vector), `actions`, `rewards`, `record`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from rpent.errors import UsageError

from rpent_robosmith.catalog.entry import EnvEntry
from rpent_robosmith.worker.episodes import run_episode
from rpent_robosmith.worker.jobs.rollouts import policy_named
from rpent_robosmith.worker.making import make_env

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from rpent_robosmith.reports import EpisodeRecord
    from rpent_robosmith.worker.api import JobContext
    from rpent_robosmith.worker.episodes import Step

FRAMES_AT_ONCE = 32


def run(params: Mapping[str, Any], context: JobContext) -> dict[str, Any]:
    """Record episodes.

    Args:
        params: `entry` (a catalog entry as plain data), `policy` (`random`, `zero`, or a policy's folder), `seeds`,
            `rows` (of a picture; None renders nothing).
        context: Gets the episodes.

    Returns:
        `episodes`: how many were sent.

    Raises:
        UsageError: The environment cannot be made or rendered, or observes something else than numbers.
        PolicyError: The policy is missing or damaged.
    """
    entry = EnvEntry.model_validate(params["entry"])
    rows = params.get("rows")
    env = make_env(entry, render_mode="rgb_array" if rows else None)
    seeds = [int(seed) for seed in params["seeds"]]
    recorder = Recorder(env, None if rows is None else int(rows), context)
    try:
        policy = policy_named(params["policy"], env)
        for number, seed in enumerate(seeds):
            context.tell("progress", done=float(number), total=float(len(seeds)))
            recorder.send(run_episode(recorder, policy, entry, seed, watch=recorder.watch))
    finally:
        env.close()
    context.tell("progress", done=float(len(seeds)), total=float(len(seeds)))
    return {"episodes": len(seeds)}


class Recorder(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Keeps an episode's steps, and films what was seen before each action.

    Args:
        env: With `rgb_array` where pictures are wanted.
        rows: Of a picture, which keeps its shape; None films nothing.
        context: Gets pictures as they come, and the rest with `send`.
    """

    def __init__(self, env: gymnasium.Env[Any, Any], rows: int | None, context: JobContext) -> None:
        super().__init__(env)
        self._rows, self._context = rows, context
        self._steps: list[Step] = []
        self._frames: list[NDArray[np.uint8]] = []
        self._seen: NDArray[np.uint8] | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Begin an episode."""
        first = self.env.reset(seed=seed, options=options)
        self._steps, self._frames = [], []
        self._look()
        return first

    def watch(self, step: Step) -> None:
        """Keep a step; the picture is the one from before its action."""
        self._steps.append(step)
        if self._seen is not None:
            self._frames.append(self._seen)
            if len(self._frames) == FRAMES_AT_ONCE:
                self._send_frames()
            self._look()
        elif len(self._steps) % FRAMES_AT_ONCE == 0:
            self._context.tell("alive")

    def send(self, record: EpisodeRecord) -> None:
        """Send the episode."""
        if self._frames:
            self._send_frames()
        steps = self._steps
        self._context.tell(
            "episode",
            record=record.model_dump(mode="json"),
            observations=_columns([step.before for step in steps]),
            actions=_matrix([step.action for step in steps]),
            rewards=np.array([step.reward for step in steps], np.float64),
        )

    def _look(self) -> None:
        if self._rows is None:
            return
        picture: Any = self.env.render()
        picture = picture[-1] if isinstance(picture, list) else picture
        if not isinstance(picture, np.ndarray) or picture.ndim != 3 or picture.shape[2] != 3:
            raise UsageError("The environment renders no pictures (`rgb_array`).", hint="Leave `--rows` out.")
        self._seen = scaled(np.asarray(picture, np.uint8), self._rows)

    def _send_frames(self) -> None:
        self._context.tell("frames", frames=np.stack(self._frames))
        self._frames = []


def scaled(picture: NDArray[np.uint8], rows: int) -> NDArray[np.uint8]:
    """Return a picture with so many rows, and an even number of columns, as video wants it."""
    from PIL import Image  # noqa: PLC0415

    columns = max(2, 2 * round(picture.shape[1] * rows / picture.shape[0] / 2))
    resized = Image.fromarray(picture).resize((columns, rows), Image.Resampling.BOX)
    return np.asarray(resized, np.uint8)


def _columns(observations: list[Any]) -> dict[str, NDArray[np.generic]]:
    if observations and isinstance(observations[0], dict):
        return {key: _matrix([each[key] for each in observations]) for key in sorted(observations[0])}
    return {"": _matrix(observations)}


def _matrix(rows: list[Any]) -> NDArray[np.generic]:
    """Return (T, S); a single number at each step gives (T, 1)."""
    try:
        values = np.array(rows)
    except ValueError:
        values = np.array([None])
    if values.dtype.kind not in "fiub":
        raise UsageError("Only observations and actions that are numbers can be recorded.")
    return values.reshape(len(rows), -1)
