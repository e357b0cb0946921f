"""The one thread that has the model: it loads it, answers what waits together, and closes it."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from rpent.errors import CancelledCallError, PolicyError, RpentError
from rpent.policies.api import PolicyRequest
from rpent.policies.asking import Asker
from rpent.policies.counts import Statistics
from rpent.policies.episodes import Episodes
from rpent.policies.waiting import Question, Waiting
from rpent.rpc.failures import ServerStoppingError

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from rpent.policies.api import PastFrame, Policy
    from rpent.policies.loading import Loaded

LINGER_S = 0.001
"""How long a question waits for the episodes that asked just before."""
LINGER_SHARE = 0.05
"""How long several questions wait for them, as a share of what an answer takes: clients that ask one after the other
would otherwise stay in two halves that wait for each other."""
FACTS_EVERY_S = 5.0
CLOSE_S = 5.0

_log = logging.getLogger(__name__)


class Worker:
    """Answers questions on its own thread. Its methods return at once, from any thread, whatever the model does."""

    def __init__(self) -> None:
        self.facts: dict[str, Any] = {}
        """What the policy says about itself, refreshed now and then."""
        self._changed = threading.Condition()
        self._waiting = Waiting()
        self._episodes = Episodes()
        self._forgotten: deque[str] = deque()
        self._asked_at: float | None = None
        self._statistics = Statistics()
        self._closing = False
        self._recent: deque[set[str]] = deque([set()], maxlen=2)
        """Who was asked for in the last two batches."""
        self._facts_at = 0.0
        self._thread: threading.Thread | None = None

    def start(self, load: Callable[[], Loaded]) -> Loaded:
        """Load on the thread and wait for it.

        Raises:
            Exception: Whatever `load` raises.
        """
        loading: Future[Loaded] = Future()
        self._thread = threading.Thread(target=self._run, args=(load, loading), daemon=True, name="policy")
        self._thread.start()
        return loading.result()

    def submit(
        self,
        images: dict[str, NDArray[np.uint8]],
        state: dict[str, NDArray[np.float32]],
        instruction: str,
        episode: str,
        finish: Callable[[NDArray[np.float64]], NDArray[np.float64]],
        *,
        history: tuple[PastFrame, ...] | None = None,
    ) -> Question:
        """Let a checked request wait; its arrays are the policy's from now on.

        Raises:
            BusyError: Too many wait.
            ServerStoppingError: The worker was closed.
        """
        with self._changed:
            if self._closing:
                raise _stopping()
            question = Question(images, state, instruction, self._episodes.use(episode), finish, history)
            self._waiting.add(question)
            self._forgotten.extend(self._episodes.evict())
            self._changed.notify()
        return question

    def cancel(self, question: Question) -> None:
        """Drop a question that waits; the answer of one that is being asked is thrown away."""
        with self._changed:
            self._waiting.drop(lambda each: each is question)
        question.settle(error=CancelledCallError("The question to the policy was cancelled."))

    def reset(self, episode: str, seed: int) -> None:
        """Let an episode begin again; the policy forgets it before the next question."""
        with self._changed:
            before = self._episodes.begin(episode, seed)
            stale = [] if before is None else self._waiting.drop(lambda each: each.episode is before)
            self._forgotten.extend([episode, *self._episodes.evict()])
            self._changed.notify()
        for question in stale:
            question.settle(
                error=PolicyError(f"The episode `{episode}` was reset before its question was answered.")
            )

    def status(self) -> dict[str, Any]:
        """Return plain data about what is going on."""
        with self._changed:
            asked_at = self._asked_at
            return {
                "queue": len(self._waiting),
                "running_s": None if asked_at is None else round(time.monotonic() - asked_at, 3),
                "episodes": len(self._episodes),
                **self._statistics.data(),
            }

    def close(self) -> None:
        """Fail what waits, and give what runs some time to end. Idempotent."""
        with self._changed:
            self._closing = True
            left = self._waiting.drop(lambda _: True)
            self._changed.notify()
        for question in left:
            question.settle(error=_stopping())
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(CLOSE_S)

    def _run(self, load: Callable[[], Loaded], loading: Future[Loaded]) -> None:
        try:
            loaded = load()
            self._refresh_facts(loaded.policy)
        except BaseException as error:  # noqa: BLE001  (it is raised again by who waits for the load)
            loading.set_exception(error)
            return
        asker = Asker(loaded.policy, backend=loaded.backend, limit=loaded.config.max_batch)
        loading.set_result(loaded)
        del load, loading
        try:
            while self._wait():
                self._forget(loaded.policy)
                if batch := self._take(asker.limit):
                    self._answer(asker, batch)
                    self._refresh_facts(loaded.policy)
        finally:
            self.close()
            loaded.policy.close()

    def _wait(self) -> bool:
        """Wait for something to do; False when it is to end."""
        with self._changed:
            self._changed.wait_for(lambda: self._closing or self._forgotten or len(self._waiting))
            return not self._closing

    def _forget(self, policy: Policy) -> None:
        while self._forgotten:
            episode = self._forgotten.popleft()
            try:
                policy.reset(episode)
            except Exception as error:  # noqa: BLE001  (a backend's bug is not the next episode's)
                _log.error("the policy could not forget `%s`", episode, exc_info=error)

    def _take(self, limit: int) -> list[Question]:
        """Take what waits. Where others asked just before, they get a moment to ask again."""
        with self._changed:
            expected = min(limit, len(set().union(*self._recent)))
            if 0 < (waiting := len(self._waiting)) < expected:
                share = LINGER_SHARE * self._statistics.infer.mean if waiting > 1 else 0.0
                self._changed.wait_for(
                    lambda: self._closing or self._forgotten or len(self._waiting) >= expected,
                    max(LINGER_S, share),
                )
            if self._forgotten:  # an episode that was reset meanwhile is forgotten before it is asked
                return []
            if batch := self._waiting.take(limit):
                self._recent.append({question.episode.name for question in batch})
                self._asked_at = time.monotonic()
            return batch

    def _answer(self, asker: Asker, batch: list[Question]) -> None:
        answers = asker.ask([_request(question) for question in batch])
        now = time.monotonic()
        with self._changed:
            started, self._asked_at = self._asked_at or now, None
            self._statistics.batches[len(batch)] += 1
            self._statistics.infer.add(now - started)
            for question, answer in zip(batch, answers, strict=True):
                self._statistics.count(now - question.arrived, failed=isinstance(answer, RpentError))
        for question, answer in zip(batch, answers, strict=True):
            _settle(question, answer)

    def _refresh_facts(self, policy: Policy) -> None:
        now = time.monotonic()
        if self._facts_at and now - self._facts_at < FACTS_EVERY_S:
            return
        self._facts_at = now
        try:
            self.facts = dict(policy.facts())
        except Exception as error:  # noqa: BLE001  (what is only told must not stop what is asked)
            _log.error("the policy tells no facts", exc_info=error)


def _request(question: Question) -> PolicyRequest:
    step, seed = question.episode.next_step()
    return PolicyRequest(
        images=question.images,
        state=question.state,
        instruction=question.instruction,
        episode=question.episode.name,
        step=step,
        seed=seed,
        history=question.history,
    )


def _settle(question: Question, answer: NDArray[np.float64] | RpentError) -> None:
    if isinstance(answer, RpentError):
        question.settle(error=answer)
        return
    try:
        question.settle(answer=question.finish(answer))
    except Exception as error:  # noqa: BLE001  (what becomes of one answer is its client's)
        question.settle(error=error)


def _stopping() -> ServerStoppingError:
    return ServerStoppingError("The policy server is shutting down.")
