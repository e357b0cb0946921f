"""The policy server: one checkpoint behind `describe`, `infer`, `infer_native`, `reset` and `status`.

Handlers check what they are given and return at once; one thread has the model (see `rpent.policies.worker`), so that
the service answers whatever the model is doing.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from rpent._version import __version__
from rpent.errors import PolicyError
from rpent.policies.api import PastFrame
from rpent.policies.description import describe, infer_timeout
from rpent.policies.loading import load
from rpent.policies.memory import resident_bytes
from rpent.policies.validation import (
    check_finite,
    check_past,
    check_pictures,
    check_seed,
    check_text,
    check_vectors,
)
from rpent.policies.worker import Worker
from rpent.rpc.facade import Facade, Method

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from numpy.typing import NDArray

    from rpent.policies.loading import Loaded
    from rpent.rpc.facade import CallContext

    Chunk = NDArray[np.float64]
    Arrays = dict[str, NDArray[Any]]


class PolicyServerConfig(BaseModel):
    """What to serve: a backend of a plugin with its options, and the robot that it drives."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    backend: str
    """The plugin's name."""
    policy: str
    """Import string of its `load(config, report)`."""
    config_model: str
    """Import string of its config model."""
    config: dict[str, Any] = {}
    """Values of that model."""
    embodiment: dict[str, Any] | None = None
    """`Embodiment.model_dump(mode="json")` of the robot; without one only `infer_native` answers."""
    layout: str | None = None
    """The robot's layout; None takes the one that fits."""
    infer_timeout_s: float | None = Field(None, gt=0)
    """How long clients are told to wait for an answer; None measures the first one."""


def create(config: PolicyServerConfig) -> Facade:
    """Load the checkpoint, let it answer once, and return the service.

    Raises:
        PolicyError: The checkpoint cannot be used, does not fit the robot, or does not answer.
    """
    worker = Worker()
    loaded = worker.start(lambda: load(config))
    timeout_s = config.infer_timeout_s or infer_timeout(loaded)
    server = PolicyServer(worker, loaded, timeout_s)
    about = describe(loaded, {}, timeout_s=timeout_s)
    shown = ("backend", "family", "checkpoint", "robot", "layout", "device", "action_dim", "chunk_length")
    return Facade(
        name=f"policy/{config.backend}",
        version=__version__,
        methods=server.methods(timeout_s),
        info={name: about[name] for name in shown},
        close=worker.close,
    )


class PolicyServer:
    """The handlers."""

    def __init__(self, worker: Worker, loaded: Loaded, timeout_s: float) -> None:
        self._worker, self._loaded, self._timeout_s = worker, loaded, timeout_s
        self._adapter, self._signature = loaded.adapter, loaded.policy.signature
        self._sizes = {name: (view.height, view.width) for name, view in self._signature.cameras.items()}
        self._started = time.monotonic()

    def methods(self, timeout_s: float) -> dict[str, Method]:
        """Return the method table.

        All run on the thread that serves, in order, which saves a way between threads: none waits for the model.
        """
        handlers: dict[str, tuple[Callable[..., Any], float, str]] = {
            "describe": (self.describe, 60.0, "What it is, and what it takes and gives."),
            "infer": (self.infer, timeout_s, "Actions (T, D) of the robot for one of its observations."),
            "infer_native": (
                self.infer_native,
                timeout_s,
                "The same in the checkpoint's own names and units.",
            ),
            "reset": (self.reset, 60.0, "Begins an episode."),
            "status": (self.status, 60.0, "What is going on: queue, episodes, seconds, memory."),
        }
        return {
            name: Method(handler=handler, timeout_s=seconds, summary=summary)
            for name, (handler, seconds, summary) in handlers.items()
        }

    def describe(self, call: CallContext) -> dict[str, Any]:  # noqa: ARG002
        """Return what the service is, see `rpent.policies.description`."""
        return describe(self._loaded, self._worker.facts, timeout_s=self._timeout_s)

    def infer(self, call: CallContext, observation: Any, instruction: str, episode: str) -> Future[Chunk]:
        """Return the next (T, D) float64 actions of the robot.

        Args:
            call: The call.
            observation: `images`: camera → (H, W, 3) uint8, upright; `state`: field → vector. Exactly the cameras
                and fields that `describe` names. Where it names steps as `history`, also `history`: a list of the
                same for what was before, oldest first, each with its `step` relative to now (-2).
            instruction: What is to be done.
            episode: Whose memory this is.

        Raises:
            PolicyError: The request is not what the policy takes, or the policy cannot answer.
        """
        if self._adapter is None:
            raise PolicyError(
                "This policy server was started without a robot and takes no observations of one.",
                hint="Serve it with `--embodiment ROBOT`, or call `infer_native`.",
            )
        check_text(instruction, episode)
        now, history = self._read(observation, self._robots_parts)
        finish = self._adapter.robot_actions
        return self._ask(call, now, instruction, episode, history=history, finish=finish)

    def infer_native(
        self,
        call: CallContext,
        images: Any,
        state: Any,
        instruction: str,
        episode: str,
        *,
        history: Any = None,
    ) -> Future[Chunk]:
        """Return the next (T, D) float64 actions in the checkpoint's own units, for inputs in its own names.

        Raises:
            PolicyError: As `infer`.
        """
        check_text(instruction, episode)
        now, past = self._read({"images": images, "state": state, "history": history}, self._native_parts)
        return self._ask(call, now, instruction, episode, history=past, finish=_unchanged)

    def reset(self, call: CallContext, episode: str, seed: int = 0) -> None:  # noqa: ARG002
        """Begin an episode: its questions count from 0, and the policy remembers nothing of it."""
        check_text("", episode)
        check_seed(seed)
        self._worker.reset(episode, seed)

    def status(self, call: CallContext) -> dict[str, Any]:  # noqa: ARG002
        """Return what is going on, and what the policy says about itself."""
        return {
            **self._worker.status(),
            "uptime_s": round(time.monotonic() - self._started, 1),
            "resident_bytes": resident_bytes(),
            "device": self._loaded.policy.device,
            "facts": self._worker.facts,
        }

    def _read(
        self, observation: Any, read: Callable[[Any, Any], tuple[Arrays, Arrays]]
    ) -> tuple[tuple[Arrays, Arrays], tuple[PastFrame, ...] | None]:
        """Return the checked inputs of now, and those of before where the client tells of it."""
        known = {"images", "state", "history"}
        if not isinstance(observation, dict) or not set(observation) <= known:
            raise PolicyError("The observation is not a mapping with `images` and `state` (and `history`).")
        now = read(observation.get("images", {}), observation.get("state", {}))
        past = observation.get("history")
        if past is None:
            return now, None
        frames = []
        for step, frame in check_past(past, self._signature.history):
            images, state = read(frame.get("images", {}), frame.get("state", {}))
            frames.append(PastFrame(step=step, images=images, state=state))
        return now, tuple(frames)

    def _robots_parts(self, images: Any, state: Any) -> tuple[Arrays, Arrays]:
        """Return what the policy is asked with for an observation of the robot."""
        assert self._adapter is not None
        check_pictures(images, dict.fromkeys(self._adapter.cameras(), (None, None)))
        vectors = check_vectors(state, self._adapter.state_fields())
        pictures, inputs = self._adapter.request_parts({"images": images, "state": vectors})
        check_finite(inputs)
        return dict(pictures), dict(inputs)

    def _native_parts(self, images: Any, state: Any) -> tuple[Arrays, Arrays]:
        """Return what the policy is asked with for inputs in its own names."""
        check_pictures(images, self._sizes)
        vectors = check_vectors(state, self._signature.state)
        pictures = {name: np.array(images[name], order="C") for name in self._sizes}
        inputs = {name: vector.astype(np.float32) for name, vector in vectors.items()}
        check_finite(inputs)
        return pictures, inputs

    def _ask(
        self,
        call: CallContext,
        inputs: tuple[Arrays, Arrays],
        instruction: str,
        episode: str,
        *,
        history: tuple[PastFrame, ...] | None,
        finish: Callable[[Chunk], Chunk],
    ) -> Future[Chunk]:
        question = self._worker.submit(*inputs, instruction, episode, finish, history=history)
        withdraw = call.cancel.on_cancel(lambda: self._worker.cancel(question))
        question.future.add_done_callback(lambda _: withdraw())
        return question.future


def _unchanged(chunk: Chunk) -> Chunk:
    return chunk
