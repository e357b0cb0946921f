"""The backend `fake`: numbers that depend on every input, in numpy, and failures on demand.

Its checkpoint is a folder with `signature.json`, so that tests read, refuse and load it like a real one.
"""

from __future__ import annotations

import os
import signal as signals
import threading
import time
import zlib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field, ValidationError

from rpent.errors import PolicyError
from rpent.policies.api import CameraInput, Policy, PolicyConfig, PolicyRequest, Report, Signature
from rpent.specs import PolicySpec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

FILE = "signature.json"
SIGNATURE = Signature(
    family="fake",
    cameras={"front": CameraInput(height=64, width=64)},
    state={"pose": 3},
    action={"move": 3, "gripper": 1},
    chunk_length=8,
    execute_steps=4,
)

Failure = Literal[
    "none", "error", "nan", "wrong_shape", "wrong_length", "no_array", "oom", "hang", "crash", "oom_killed"
]


class FakePolicyConfig(PolicyConfig):
    """How it behaves."""

    failure: Failure = Field("none", description="What goes wrong.")
    fail_from: int = Field(1, ge=0, description="Questions that are answered first; the warm-up is one.")
    fail_times: int | None = Field(None, ge=1, description="How often it goes wrong; by default always.")
    fail_word: str = Field("", description="Only instructions with this word go wrong.")
    slow_s: float = Field(0.0, ge=0, description="Seconds that an answer takes at least.")
    load_s: float = Field(0.0, ge=0, description="Seconds that loading takes at least.")


class FakePolicy(Policy):
    """Answers with noise around a direction that every input turns; counts the questions of each episode."""

    def __init__(self, config: FakePolicyConfig, signature: Signature) -> None:
        self.signature = signature
        self._config = config
        self._asked: Counter[str] = Counter()
        self._questions = self._failures = 0
        self._thread = threading.get_ident()

    def infer(self, requests: Sequence[PolicyRequest]) -> list[NDArray[np.float32]]:
        """Answer, or fail as configured."""
        assert threading.get_ident() == self._thread, "a policy is asked on the thread that loaded it"
        time.sleep(self._config.slow_s)
        self._questions += len(requests)
        if self._questions > self._config.fail_from and self._is_due(requests):
            return self._fail(requests)
        return [self._chunk(request) for request in requests]

    def reset(self, episode: str) -> None:
        """Forget an episode."""
        self._asked.pop(episode, None)

    def facts(self) -> dict[str, Any]:
        """Return what a test may look at."""
        return {"episodes": len(self._asked), "threads": 1, "omp": os.environ.get("OMP_NUM_THREADS", "")}

    def _chunk(self, request: PolicyRequest) -> NDArray[np.float32]:
        chunk = fake_chunk(self.signature, request, memory=self._asked[request.episode])
        self._asked[request.episode] += 1
        return chunk

    def _is_due(self, requests: Sequence[PolicyRequest]) -> bool:
        config = self._config
        if config.failure == "none" or (config.fail_times or self._failures + 1) <= self._failures:
            return False
        return any(config.fail_word in request.instruction for request in requests)

    def _fail(self, requests: Sequence[PolicyRequest]) -> list[NDArray[np.float32]]:
        self._failures += 1
        if self._config.failure in _ENDS:
            _ENDS[self._config.failure]()
        spoil = _SPOILS[self._config.failure]
        word = self._config.fail_word
        return [
            spoil(self._chunk(request)) if word in request.instruction else self._chunk(request)
            for request in requests
        ]


def fake_chunk(signature: Signature, request: PolicyRequest, *, memory: int = 0) -> NDArray[np.float32]:
    """Return the answer to a request as (T, D) float32 in -1..1: what a test expects.

    Args:
        signature: The checkpoint's.
        request: Its pictures, state, instruction, seed and what was before all matter.
        memory: How many questions of the episode the policy has answered.
    """
    seen = [zlib.crc32(np.ascontiguousarray(request.images[name]).data) for name in sorted(request.images)]
    felt = [zlib.crc32(request.state[name].tobytes()) for name in sorted(request.state)]
    before = [
        zlib.crc32(each.images[name].tobytes(), -each.step)
        for each in request.history or ()
        for name in each.images
    ]
    said = zlib.crc32(request.instruction.encode())
    generator = np.random.default_rng([*seen, *felt, *before, said, request.seed, memory])
    shape = (signature.chunk_length or SIGNATURE.chunk_length or 1, signature.action_dim)
    return generator.uniform(-1.0, 1.0, shape).astype(np.float32)


def make_checkpoint(folder: Path, signature: Signature = SIGNATURE) -> Path:
    """Write a checkpoint and return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / FILE).write_text(signature.model_dump_json(indent=2), encoding="utf-8")
    return folder


def read_signature(config: PolicyConfig) -> Signature:
    """Return what the checkpoint says.

    Raises:
        PolicyError: The folder is no checkpoint of this backend.
    """
    path = Path(config.checkpoint) / FILE
    try:
        return Signature.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise PolicyError(
            f"`{config.checkpoint}` is no checkpoint of `fake`: it has no good `{FILE}`."
        ) from error


def load(config: FakePolicyConfig, report: Report) -> FakePolicy:
    """Load it, with progress."""
    signature = read_signature(config)
    for part in range(4):
        report("reading the weights", part / 4)
        time.sleep(config.load_s / 4)
    return FakePolicy(config, signature)


def _error() -> None:
    raise RuntimeError("mat1 and mat2 shapes cannot be multiplied (1x512 and 256x32)")


def _out_of_memory() -> None:
    np.empty(2**50, np.float64)


def _hang() -> None:
    threading.Event().wait()


def _crash() -> None:
    os.kill(os.getpid(), signals.SIGSEGV)
    time.sleep(60)  # the signal may reach another thread first


def _killed() -> None:
    """Do what the kernel does to a process for which no memory is left."""
    os.kill(os.getpid(), signals.SIGKILL)
    time.sleep(60)


def _with_nan(chunk: NDArray[np.float32]) -> NDArray[np.float32]:
    chunk[-1, -1] = np.nan
    return chunk


_ENDS = {"error": _error, "oom": _out_of_memory, "hang": _hang, "crash": _crash, "oom_killed": _killed}
_SPOILS: dict[str, Any] = {
    "nan": _with_nan,
    "wrong_shape": lambda chunk: chunk[:, :-1],
    "wrong_length": lambda chunk: chunk[:-1],
    "no_array": lambda _: "move left",
}

SPEC = PolicySpec(
    name="fake",
    summary="No model: numbers that depend on every input.",
    policy="rpent.testing.policies.fake:load",
    config="rpent.testing.policies.fake:FakePolicyConfig",
    signature="rpent.testing.policies.fake:read_signature",
    ready_timeout_s=60.0,
)
