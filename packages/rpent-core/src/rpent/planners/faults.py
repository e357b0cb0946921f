"""What can go wrong with a model provider: one table of sentences and remedies, for every planner."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any, Literal

from rpent.errors import RpentError
from rpent.masking import without_keys
from rpent.planners.address import shown_address
from rpent.suggest import did_you_mean, listing

if TYPE_CHECKING:
    from collections.abc import Sequence

Fault = Literal[
    "sdk",
    "key",
    "model",
    "address",
    "unreachable",
    "rate_limit",
    "credit",
    "overloaded",
    "context",
    "images",
    "request",
    "refusal",
    "price",
]

RETRYABLE = frozenset({"unreachable", "rate_limit", "overloaded"})
"""Faults that pass by themselves: a planner tries again, a few times."""
RESUMABLE = RETRYABLE | {"key", "credit", "sdk"}
"""Faults that a user can mend, or wait for; the run then goes on from where it is."""
OTHER_OPTIONS: dict[Fault, str] = {
    "credit": "--model …",
    "rate_limit": "--model …",
    "overloaded": "--model …",
    "unreachable": "--base-url …",
    "model": "--model …",
    "address": "--base-url …",
    "context": "--model …",
    "images": "--no-images",
    "request": "--model …",
}
"""Options of `rpent resume` with which a run goes on after a fault."""

_HINTS: dict[Fault, str] = {
    "sdk": "Install it with the planner's own distribution.",
    "model": "Give `--model` a name that the provider serves, or `--no-check` when you know better.",
    "address": "Give `--base-url` as the provider's documentation has it.",
    "unreachable": "Start the server, or correct `--base-url`; behind a proxy, set `HTTPS_PROXY` and `NO_PROXY`.",
    "rate_limit": "Wait a little.",
    "credit": "Add credit at the provider.",
    "overloaded": "Wait a little, or take another `--model`.",
    "context": "Take a `--model` with a larger context window, or fewer `--max-turns`.",
    "images": "Add `--no-images`, or take another `--model`.",
    "request": "Another `--model` may accept it; `logs/run.log` in the run directory has the details.",
    "refusal": "Reword the task, or take another `--model`.",
    "price": "Give `--input-usd-per-mtok` and `--output-usd-per-mtok`, or leave out `--cost-limit-usd`.",
}
_CONTEXT = re.compile(
    r"context[ _-]?(length|window|size)|maximum context|prompt is too long|too many (input )?tokens"
    r"|input is too long|exceeds? the (model's )?(maximum|limit|context)|request_too_large",
    re.IGNORECASE,
)
_CREDIT = re.compile(
    r"insufficient[ _]quota|exceeded your current quota|credit balance|billing|payment", re.IGNORECASE
)
_MODEL = re.compile(
    r"model[ _]not[ _]found|\bmodel\b.{0,200}(not (exist|found|supported)|unknown|invalid)"
    r"|(unknown|invalid|unsupported|no such) model|not_found_error.{0,40}model",
    re.IGNORECASE | re.DOTALL,
)
_PICTURES = re.compile(r"\b(images?|image_url|pictures?|vision|multi-?modal|mmproj)\b", re.IGNORECASE)
_NOT_TAKEN = re.compile(
    r"(\bnot|n't|\bno|\bcannot|\bonly)\b[\w\s]{0,30}(support|accept|handle|allow|take\b|capabilit|a multi-?modal)"
    r"|unsupported (content|input|message|part)|missing data required|unknown variant|at most 0 image|\bmmproj\b",
    re.IGNORECASE,
)
_SECRETS = re.compile(r"\b(?:sk|pk|rk|key|gsk|xai)-[\w*.-]{4,}|\bBearer\s+\S+|\b[\w-]*[A-Za-z0-9_-]{32,}\b")
_MAX_DETAIL = 240


class ModelError(RpentError):
    """The model's provider, its SDK or its configuration makes a run impossible, or ended it."""

    def __init__(
        self, message: str, *, fault: Fault, retryable: bool | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.fault: Fault = fault
        self.retryable = fault in RETRYABLE if retryable is None else retryable
        """Whether the same request may succeed a little later."""

    @property
    def resumable(self) -> bool:
        """Whether `rpent resume` helps once the remedy has been applied."""
        return self.fault in RESUMABLE

    @property
    def other_options(self) -> str:
        """Options with which `rpent resume` helps; empty where none does."""
        return OTHER_OPTIONS.get(self.fault, "")


def model_error(
    fault: Fault,
    *,
    planner: str,
    model: str = "",
    base_url: str = "",
    key_variable: str = "",
    detail: str = "",
    known: Sequence[str] = (),
) -> ModelError:
    """Return the error for a fault: one sentence and the remedy.

    Args:
        fault: What kind of trouble it is.
        planner: Name of the planner (`api`); empty where something else than a planner asks the model.
        model: The model that was asked for.
        base_url: Where its server is; empty for the provider's usual address.
        key_variable: The environment variable that holds the key.
        detail: The provider's own words; shortened, and what looks like a key is masked.
        known: Models that the provider serves, for a suggestion.
    """
    base_url = shown_address(base_url)
    words = f" ({said})" if (said := plain_detail(detail)) else ""
    where = (
        f"the server at `{base_url}`"
        if base_url
        else f"the provider of `{model}`"
        if model
        else "the provider"
    )
    which = f"`{model}`" if model else "the model"
    asker = f"The planner `{planner}`" if planner else _capital(f"the model {which}" if model else which)
    key = f"`{key_variable}`" if key_variable else "the environment"
    missing = fault == "key" and bool(key_variable) and not os.environ.get(key_variable)
    sentences: dict[Fault, str] = {
        "sdk": f"{asker} cannot be used{words}.",
        "key": f"{asker} has no key: {key} is not set{words}."
        if missing
        else f"The key in {key} is refused by {where}{words}.",
        "model": f"The model {which} is not served by {_place(base_url)}{words}{did_you_mean(model, known)}",
        "address": f"There is no model API at `{base_url}`{words}.",
        "unreachable": f"{_capital(where)} cannot be reached{words}.",
        "rate_limit": f"{_capital(where)} limits the rate of requests{words}.",
        "credit": f"The account at {where} has no credit left{words}.",
        "overloaded": f"{_capital(where)} is overloaded or failing{words}.",
        "context": f"The conversation is too long for {which}{words}.",
        "images": f"{_capital(which)} takes no pictures{words}.",
        "request": f"{_capital(where)} refuses the request{words}.",
        "refusal": f"{_capital(which)} refused the task{words}.",
        "price": f"The price of {which} is not known, so a cost limit cannot be held{words}.",
    }
    hint = _key_hint(key_variable, missing) if fault == "key" else _HINTS[fault]
    if fault == "model" and known:
        hint = f"Served: {listing(list(known)[:12])}. {hint}"
    return ModelError(sentences[fault], fault=fault, hint=hint)


def require_usable_key(key: str | None, key_variable: str) -> None:
    """Refuse a key that no header can hold; clients would only say that the server cannot be reached.

    Raises:
        ModelError: It holds a space, a line break, or anything else but printable ASCII.
    """
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        raise ModelError(
            f"The key in `{key_variable}` holds a space, a line break or a letter outside ASCII.",
            fault="key",
            hint=f"Set `{key_variable}` to the key alone.",
        )


def fault_of(status: int, body: str = "") -> Fault:  # noqa: PLR0911  (one answer a status)
    """Return what an HTTP error of a model provider means; `status` 0 stands for no answer at all."""
    if status == 0:
        return "unreachable"
    if status == 402 or (status in {400, 403, 429} and _CREDIT.search(body)):
        return "credit"
    if status in {401, 403}:
        return "key"
    if status in {400, 404, 415, 422, 500, 501} and _takes_no_pictures(body):
        return "images"
    if status in {400, 404, 422} and _MODEL.search(body):
        return "model"
    if status in {404, 405} or 300 <= status < 400:
        return "address"
    if status == 413 or (status in {400, 422} and _CONTEXT.search(body)):
        return "context"
    if status == 429:
        return "rate_limit"
    if status in {408, 409, 425} or status >= 500:
        return "overloaded"
    return "request"


def _takes_no_pictures(body: str) -> bool:
    """Whether a sentence speaks of pictures, and says that they are not supported."""
    sentences = re.split(r"\. |\n", body)
    return any(_PICTURES.search(sentence) and _NOT_TAKEN.search(sentence) for sentence in sentences)


def plain_detail(text: str) -> str:
    """Return a provider's words as one short sentence: the message of a JSON error, no key, no mark-up."""
    text = without_keys(_message_of(text))
    text = " ".join(re.sub(r"<[^>]*>", " ", text).split())
    text = _SECRETS.sub("…", re.split(r"(?<=\w{2})\. ", text)[0]).strip().rstrip(".")
    return text if len(text) <= _MAX_DETAIL else f"{text[: _MAX_DETAIL - 1]}…"


def _message_of(text: str) -> str:
    start = text.find("{")
    if start < 0:
        return text
    try:
        value: Any = json.loads(text[start:])
    except ValueError:
        return text
    for _ in range(3):
        if not isinstance(value, dict):
            break
        value = next((value[key] for key in ("error", "message", "detail") if value.get(key)), "")
    return value if isinstance(value, str) and value else text


def _key_hint(key_variable: str, missing: bool) -> str:
    if not key_variable:
        return "Set the key of the provider in its environment variable."
    return f"export {key_variable}=..." if missing else f"Set `{key_variable}` to a key that is valid there."


def _place(base_url: str) -> str:
    return f"`{base_url}`" if base_url else "its provider"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
