"""The model's responses as Codex tells of them, into the session: turns, thoughts, texts, usage, calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rpent.planners.prices import priced
from rpent.planners.retries import say_retry
from rpent.session.usage import Usage

from rpent_planner_codex.calls import ResponseCalls, raw_call
from rpent_planner_codex.errors import report_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rpent.session.session import Session

    from rpent_planner_codex.calls import Submit
    from rpent_planner_codex.config import CodexConfig
    from rpent_planner_codex.errors import Report, Target

COMPACTED = "Codex summarised the conversation: it had become too long for the model's context."
_COUNTS = {
    "inputTokens": "input_tokens",
    "outputTokens": "output_tokens",
    "cachedInputTokens": "cache_read_tokens",
    "cacheWriteInputTokens": "cache_write_tokens",
    "reasoningOutputTokens": "reasoning_tokens",
}


class Replies:
    """Follows the notifications of Codex turns on one thread; its calls may be fetched from others.

    What belongs to a response is recorded when the response is whole, so that one that breaks off leaves nothing.
    Codex's raw items are asked for, since only they tell where a response ends and which calls it holds.
    """

    def __init__(
        self,
        session: Session,
        *,
        config: CodexConfig,
        target: Target,
        provider: str | None,
        submit: Submit,
        on_over: Callable[[], None],
        on_broken: Callable[[], None],
    ) -> None:
        self.calls = ResponseCalls(submit)
        self.failure: Report | None = None
        """Why the last turn failed."""
        self.attempts = 0
        """How often the request under way was tried again."""
        self.summarised = False
        """Whether the conversation was summarised because of it."""
        self.broken: Report | None = None
        """Why a response broke off of which Codex keeps a part."""
        self._session = session
        self._config = config
        self._target = target
        self._provider = provider
        self._on_over = on_over
        self._on_broken = on_broken
        self._names = {tool.name for tool in session.tools}
        self._begun = False
        self._compacting = False
        self._said: list[tuple[str, str]] = []
        self._partial: dict[str, str] = {}
        self._counted = dict.fromkeys(_COUNTS, 0)

    def begin(self) -> None:
        """Begin a turn, unless the one that was begun has had no response yet.

        Raises:
            SessionEndedError: The session is over, or a budget just ended it.
        """
        if not self._begun:
            self._session.begin_turn()
            self._begun = True

    def next(self) -> None:
        """Leave the response whose calls are done, and begin the turn of the next one.

        Raises:
            SessionEndedError: The session is over, or a budget just ended it.
        """
        self.calls.begin()
        self._begun = False
        self.begin()

    def handle(self, method: str, values: Mapping[str, Any]) -> None:
        """Take in a notification.

        Raises:
            SessionEndedError: The session is over.
        """
        match method:
            case "item/started":
                self._started(values["item"])
            case "item/agentMessage/delta":
                self._partial[values["itemId"]] = self._partial.get(values["itemId"], "") + values["delta"]
            case "item/completed":
                self._completed(values["item"])
            case "rawResponseItem/completed":
                self._raw(values["item"])
            case "rawResponse/completed":
                self._whole(values.get("usage"))
            case "thread/tokenUsage/updated":
                self._report_rest(values["tokenUsage"]["total"])
            case "error":
                self._error(report_of(values["error"]), retries=bool(values.get("willRetry")))
            case "turn/completed":
                self._over(values["turn"])

    def _started(self, item: Mapping[str, Any]) -> None:
        kind = item["type"]
        if kind == "contextCompaction":
            self._compacting = True
            self._session.notice(COMPACTED)
        elif kind in {"agentMessage", "reasoning"} and not self._compacting:
            self._of_response()
            if kind == "agentMessage":
                self._partial.setdefault(item["id"], "")

    def _completed(self, item: Mapping[str, Any]) -> None:
        match item["type"]:
            case "agentMessage":
                self._partial.pop(item["id"], None)
                self._said.append(("text", item["text"]))
            case "reasoning":
                self._said.append(("thinking", _thought(item)))
            case "contextCompaction":
                self._compacting = False

    def _raw(self, item: Mapping[str, Any]) -> None:
        call = None if self._compacting else raw_call(item, self._names)
        if call is not None:
            self._of_response()
            self.calls.add(call)
        elif str(item.get("type")).endswith("_call_output") and self.calls.output(str(item.get("call_id"))):
            self._on_over()  # Codex answered the last call itself

    def _of_response(self) -> None:
        """Something of a response is here."""
        if self.calls.complete:
            self.next()
        self.begin()

    def _whole(self, usage: Mapping[str, Any] | None) -> None:
        self.attempts, self.summarised, self.broken = 0, False, None
        if self._compacting:
            self._report(usage)
            return
        self._of_response()
        refusal = bool(self._partial) and not self.calls.calls
        # A message of nothing but a refusal is begun and never completed.
        self._record(partial=False)
        self._report(usage)
        if refusal:
            self._session.refused("".join(self._partial.values()))
        self._partial.clear()
        self._session.check()
        self.calls.release()
        if self.calls.calls and not any(call.arrives for call in self.calls.calls):
            self._answered_by_codex()

    def _answered_by_codex(self) -> None:
        for reply in list(self.calls.replies.values()):
            reply.result()
        self._on_over()
        self._session.check()

    def _record(self, *, partial: bool) -> None:
        """Record what the response said; with `partial` also what was not finished."""
        said = self._said + ([("text", text) for text in self._partial.values()] if partial else [])
        for kind, text in said:
            (self._session.say if kind == "text" else self._session.think)(text)
        self._said = []

    def _report(self, usage: Mapping[str, Any] | None) -> None:
        counts = {name: (usage or {}).get(name) or 0 for name in _COUNTS}
        self._counted = {name: self._counted[name] + counts[name] for name in _COUNTS}
        counted = Usage(**{_COUNTS[name]: count for name, count in counts.items()}, model=self._target.model)
        self._session.report_usage(priced(counted, self._target.model, self._config, self._provider))

    def _report_rest(self, total: Mapping[str, Any]) -> None:
        """Report what Codex counted without a word: a reply that was cut, a summary that was asked for."""
        rest = {name: (total.get(name) or 0) - self._counted[name] for name in _COUNTS}
        if rest["inputTokens"] > 0 or rest["outputTokens"] > 0:
            self._report({name: max(0, count) for name, count in rest.items()})

    def _error(self, report: Report, *, retries: bool) -> None:
        if report.filtered or report.fault == "refusal":
            self._record(partial=True)
            self._forget()
            self._session.refused("" if report.filtered else report.text)
            self._session.check()
        if not retries or self.broken is not None:
            return
        error = report.error(self._target)
        if not error.retryable:
            raise error
        kept = bool(self._said or self.calls.calls)
        self._forget()
        if kept:
            # Codex would repeat the request with what it has of the reply, as if the model was to go on behind it.
            self.broken = report
            self._on_broken()
            return
        self.attempts += 1
        say_retry(self._session, error.message, attempt=self.attempts, limit=self._config.max_retries)

    def _over(self, turn: Mapping[str, Any]) -> None:
        status = turn.get("status")
        self.failure = report_of(turn.get("error") or {}) if status == "failed" else self.broken
        cut = self.failure is not None and self.failure.cut
        if (status == "interrupted" and self.broken is None) or cut:
            self._record(partial=True)
        self._forget()
        self._compacting = False
        if self.failure is None or cut:  # else the same turn is tried again
            self.calls.begin()
            self._begun = False

    def _forget(self) -> None:
        """Drop what arrived of a response that broke off."""
        self._said = []
        self._partial.clear()
        if not self.calls.complete:
            self.calls.drop()


def _thought(item: Mapping[str, Any]) -> str:
    return "\n\n".join([*(item.get("summary") or ()), *(item.get("content") or ())])
