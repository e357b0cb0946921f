"""The policy of an RLDX server."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from rpent.errors import PolicyError
from rpent.policies.api import Policy

from rpent_policy_rldx.address import parse_address
from rpent_policy_rldx.client import RldxClient
from rpent_policy_rldx.history import History, nearest
from rpent_policy_rldx.launch import launch
from rpent_policy_rldx.signature import signature

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray
    from rpent.policies.api import PastFrame, PolicyRequest, Report, Signature

    from rpent_policy_rldx.config import RldxConfig
    from rpent_policy_rldx.launch import Launched
    from rpent_policy_rldx.modality import Modalities


def load(config: RldxConfig, report: Report) -> RldxPolicy:
    """Find the server, or start one for the checkpoint, and ask what it takes.

    Raises:
        PolicyError: There is none, or it cannot be used.
        UsageError: A file or interpreter of the options cannot be used.
    """
    policy = RldxPolicy(config, signature(config), report)
    try:
        policy.meet()
    except BaseException:
        policy.close()
        raise
    report("ready", 1.0)
    return policy


@dataclass(slots=True)
class _Session:
    """An episode's memory: the server's under an id that nobody else has, and ours of its frames.

    Ours is for clients that tell nothing of before with their questions.
    """

    id: str
    history: History[PolicyRequest]
    fresh: bool = True


class RldxPolicy(Policy):
    """Asks for several episodes together; each has a session of its own on the server."""

    device = "remote"

    def __init__(self, config: RldxConfig, expected: Signature, report: Report) -> None:
        self.signature = expected
        self._config, self._report = config, report
        self._sessions: dict[str, _Session] = {}
        self._client: RldxClient | None = None
        self._launched: Launched | None = None
        self._modalities: Modalities

    def meet(self) -> None:
        """Connect, starting a server where the checkpoint is a folder, and compare it with what was read before.

        Raises:
            PolicyError: It is another policy.
        """
        address = parse_address(self._config.checkpoint)
        if address is None:
            self._launched = launch(self._config, self._report)
            address = self._launched.address
        self._report(f"asking {address}", 0.9)
        self._client = RldxClient.of(address, self._config)
        self._modalities = self._client.modalities(timeout_s=self._config.timeout_s)
        wanted = (*self.signature.cameras, *self.signature.state, *self.signature.action)
        video, state, action = self._modalities.video, self._modalities.state, self._modalities.action
        if (*video.keys, *state.keys, *action.keys) != wanted or len(
            action.deltas
        ) != self.signature.chunk_length:
            raise PolicyError(
                f"The RLDX server at `{address}` has another policy than the checkpoint's files say.",
                hint="Check `--embodiment-tag`.",
            )
        self.signature = self.signature.model_copy(
            update={
                "observation_steps": self._modalities.steps,
                "history": self._modalities.history,
                "details": {**self.signature.details, "video_steps": list(video.deltas)},
            }
        )

    def infer(self, requests: Sequence[PolicyRequest]) -> Sequence[NDArray[np.floating[Any]]]:
        """Ask for all that can go together: of different episodes, with pictures of the same sizes."""
        answers: list[NDArray[np.floating[Any]]] = []
        batch: list[PolicyRequest] = []
        for request in requests:
            if batch and not _go_together(batch, request):
                answers += self._ask(batch)
                batch = []
            batch.append(request)
        return [*answers, *self._ask(batch)] if batch else answers

    def reset(self, episode: str) -> None:
        """Forget an episode; the next one of that name has a new session, whatever the server remembers."""
        session = self._sessions.pop(episode, None)
        if session is not None and not session.fresh:
            self._forget([session.id])

    def facts(self) -> Mapping[str, Any]:
        """Return the server's address, and whether it was started here."""
        return {
            "server": "" if self._client is None else str(self._client.address),
            "launched": None if self._launched is None else self._launched.pid,
            "sessions": len(self._sessions),
        }

    def close(self) -> None:
        """End our sessions, and the server if it was started here."""
        if self._launched is None and (
            ids := [each.id for each in self._sessions.values() if not each.fresh]
        ):
            self._forget(ids)
        self._sessions.clear()
        if self._client is not None:
            self._client.close()
            self._client = None
        if self._launched is not None:
            self._launched.stop()
            self._launched = None

    def _forget(self, ids: list[str]) -> None:
        if self._client is not None:
            try:
                self._client.reset(ids)
            except PolicyError:
                return  # a server that is gone or busy keeps a few numbers that nobody asks for again

    def _ask(self, batch: Sequence[PolicyRequest]) -> list[NDArray[np.floating[Any]]]:
        self._start_again_if_ended()
        assert self._client is not None
        sessions = [self._session(request) for request in batch]
        options = {
            "session_ids": [session.id for session in sessions],
            "reset_memory": [session.fresh for session in sessions],
        }
        action = self._client.get_action(
            self._observation(batch, sessions), options, timeout_s=self._config.timeout_s
        )
        for session in sessions:
            session.fresh = False
        parts = [
            self._part(action, name, length, len(batch)) for name, length in self.signature.action.items()
        ]
        return list(np.concatenate(parts, axis=-1))

    def _session(self, request: PolicyRequest) -> _Session:
        session = self._sessions.get(request.episode)
        if session is None:
            stride = self._config.execute_steps or self.signature.chunk_length or 1
            reach = -min((0, *self._modalities.video.deltas, *self._modalities.state.deltas))
            session = _Session(f"rpent-{uuid.uuid4().hex}", History(stride=stride, reach=reach))
            self._sessions[request.episode] = session
        session.history.see(request.step, request)
        return session

    def _observation(self, batch: Sequence[PolicyRequest], sessions: Sequence[_Session]) -> dict[str, Any]:
        """Return video (B, T, H, W, 3) uint8, state (B, T, D) float32 and language [[str]], oldest first."""
        video, state = self._modalities.video, self._modalities.state
        pairs = list(zip(batch, sessions, strict=True))
        frames = [_at(video.deltas, request, session) for request, session in pairs]
        poses = [_at(state.deltas, request, session) for request, session in pairs]
        (language,) = self._modalities.language.keys
        return {
            "video": {
                name: np.stack([np.stack([each.images[name] for each in row]) for row in frames])
                for name in video.keys
            },
            "state": {
                name: np.stack([np.stack([each.state[name] for each in row]) for row in poses]).astype(
                    np.float32
                )
                for name in state.keys
            },
            "language": {language: [[request.instruction] for request in batch]},
        }

    def _part(self, action: dict[str, Any], name: str, length: int, batch: int) -> NDArray[np.float64]:
        value = action.get(name)
        wanted = (batch, self.signature.chunk_length, length)
        if isinstance(value, np.ndarray) and value.shape == wanted and value.dtype.kind == "f":
            return value.astype(np.float64)
        has = f"{value.dtype} {value.shape}" if isinstance(value, np.ndarray) else "no array"
        raise PolicyError(
            f"The RLDX server answered with {has} for `{name}`; floats of shape {wanted} are wanted.",
            hint=f"Where only its length is wrong, say it: `--action {name}=LENGTH`.",
        )

    def _start_again_if_ended(self) -> None:
        if self._launched is None or self._launched.alive:
            return
        for session in self._sessions.values():
            session.fresh = True
        if self._client is not None:
            self._client.close()
            self._client = None
        self._launched = launch(self._config, self._report)
        self._client = RldxClient.of(self._launched.address, self._config)


def _at(
    deltas: Sequence[int], request: PolicyRequest, session: _Session
) -> Sequence[PolicyRequest | PastFrame]:
    """Return what was seen at these steps relative to the question: as it tells itself, else as we remember."""
    if request.history is None:
        return session.history.at(deltas)
    told: list[tuple[int, PolicyRequest | PastFrame]] = [(each.step, each) for each in request.history]
    return [nearest([*told, (0, request)], delta) for delta in deltas]


def _go_together(batch: Sequence[PolicyRequest], request: PolicyRequest) -> bool:
    first = batch[0]
    return all(each.episode != request.episode for each in batch) and all(
        picture.shape == first.images[name].shape for name, picture in request.images.items()
    )
