"""Asks a model server for the model before anything starts: key, address and name, in a second, for nothing."""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote, urlsplit

from rpent.planners.address import shown_address
from rpent.planners.faults import ModelError, fault_of, model_error, require_usable_key

if TYPE_CHECKING:
    from collections.abc import Mapping
    from urllib.request import OpenerDirector

Wire = Literal["openai", "anthropic"]

_ROUTES: dict[Wire, tuple[str, ...]] = {
    "openai": ("/chat/completions", "/responses"),
    "anthropic": ("/v1/messages",),
}
"""Where requests go; asked with an empty body when a server lists no models."""
_MAX_BODY = 4_000_000
_MAY_NOT_LIST = re.compile(r"scope|permission", re.IGNORECASE)


def probe_model(
    *,
    wire: Wire,
    base_url: str,
    key: str | None,
    model: str,
    planner: str,
    key_variable: str,
    timeout_s: float = 10.0,
    bearer: bool = False,
    route: str = "",
    otherwise: str = "",
) -> None:
    """Ask the server whether it is there, takes the key and serves the model.

    Args:
        wire: `openai`: `base_url` ends in the version (`…/v1`). `anthropic`: it does not.
        base_url: Address of the server.
        key: None sends none.
        model: The name, as requests will have it.
        planner: For the error's sentence.
        key_variable: For the error's remedy.
        timeout_s: For each of the few requests.
        bearer: Send an Anthropic key as a bearer token.
        route: Where the planner's requests will go, below `base_url` (`/responses`). A server that does not have
            it, but another provider's or another generation's, is refused.
        otherwise: The remedy for that.

    Raises:
        ModelError: The address, the key or the model is wrong, or nobody answers. A server that neither lists
            models nor knows single ones, but has the API's route, passes.
    """
    require_usable_key(key, key_variable)
    probe = _Probe(wire, base_url.rstrip("/"), _headers(wire, key, bearer), timeout_s)
    facts = {"planner": planner, "model": model, "base_url": base_url, "key_variable": key_variable}
    if urlsplit(base_url).scheme not in {"http", "https"} or not urlsplit(base_url).netloc:
        raise model_error("address", detail="an address begins with http:// or https://", **facts)
    problem = _problem_of(probe, model, facts)
    if route and (problem is None or problem.fault == "address") and (other := probe.only_other(route)):
        message = f"The server at `{shown_address(base_url)}` has `{other}`, but no `{route}`."
        raise ModelError(message, fault="address", hint=otherwise)
    if problem is not None:
        raise problem


def _problem_of(probe: _Probe, model: str, facts: dict[str, str]) -> ModelError | None:
    try:
        _find(probe, model, facts)
    except ModelError as error:
        return error
    return None


def _find(probe: _Probe, model: str, facts: dict[str, str]) -> None:
    single = probe.get(f"/{quote(model, safe='')}")
    if single.status == 200 and single.json is not None:
        return
    _raise_for(single, facts)
    listed = probe.get("?limit=1000" if probe.wire == "anthropic" else "")
    _raise_for(listed, facts)
    names = listed.names
    if names is not None:
        if not _serves(names, model):
            raise model_error("model", known=names, **facts)
        return
    advice = probe.advice()
    there = probe.route_states()
    # A server that quotes the path which it does not have names the model in it.
    if not advice and fault_of(single.status, single.body) == "model" and set(there) != {False}:
        raise model_error("model", detail=single.body, **facts)
    if advice or True not in there:
        raise model_error("address", detail=advice, **facts)


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    """0: nobody answered."""
    body: str

    @property
    def json(self) -> Any:
        try:
            return json.loads(self.body)
        except ValueError:
            return None

    @property
    def names(self) -> list[str] | None:
        """The models of a list, or None when it is no list."""
        value = self.json
        entries = value.get("data") if isinstance(value, dict) else None
        if self.status != 200 or not isinstance(entries, list):
            return None
        return [str(entry["id"]) for entry in entries if isinstance(entry, dict) and "id" in entry]


@dataclass(slots=True)
class _Probe:
    wire: Wire
    base_url: str
    headers: Mapping[str, str]
    timeout_s: float
    _opener: OpenerDirector | None = field(default=None)

    @property
    def models(self) -> str:
        return self.base_url + ("/v1/models" if self.wire == "anthropic" else "/models")

    def get(self, rest: str) -> _Answer:
        """Read the list of models, or one of them; once more after half a second when nobody answers."""
        answer = self.ask(self.models + rest)
        if answer.status == 0 and "refused" in answer.body.lower():
            time.sleep(0.5)
            answer = self.ask(self.models + rest)
        return answer

    def route_states(self) -> list[bool | None]:
        """Whether the address has each of the API's own routes: they refuse an empty request, which costs nothing."""
        return [self._is_there(route) for route in _ROUTES[self.wire]]

    def only_other(self, route: str) -> str:
        """Return another route that the server has in place of this one; empty when it has this one, or none."""
        if self._is_there(route) is not False:
            return ""
        version = "/v1" if self.wire == "anthropic" else ""
        others = (version + known for known in _ROUTES["openai"])
        return next((other for other in others if other != route and self._is_there(other)), "")

    def _is_there(self, route: str) -> bool | None:
        """Whether there is a route; None when that cannot be told."""
        answer = self.ask(self.base_url + route, data=b"{}")
        if answer.status in {404, 405}:
            return None if fault_of(answer.status, answer.body) == "model" else False
        return answer.status >= 400 or None

    def advice(self) -> str:
        """Try the usual slip: `/v1` forgotten, or given where it is added."""
        base = self.base_url.removesuffix("/v1") if self.base_url.endswith("/v1") else self.base_url + "/v1"
        other = _Probe(self.wire, base, self.headers, self.timeout_s)
        return f"there is one at `{base}`" if other.get("").names is not None else ""

    def ask(self, url: str, data: bytes | None = None) -> _Answer:
        import http.client  # noqa: PLC0415  (only a check needs them)
        import urllib.error  # noqa: PLC0415
        import urllib.request  # noqa: PLC0415

        if self._opener is None:
            self._opener = urllib.request.build_opener(_no_redirect())
        request = urllib.request.Request(url, data=data, headers=dict(self.headers))  # noqa: S310  (http(s) only)
        try:
            with self._opener.open(request, timeout=self.timeout_s) as response:
                return _Answer(response.status, _text(response.read(_MAX_BODY)))
        except urllib.error.HTTPError as error:
            with error:
                return _Answer(error.code, _text(error.read(_MAX_BODY)))
        except (OSError, http.client.HTTPException, ValueError) as error:
            return _Answer(0, _why(error, self.timeout_s))


def _headers(wire: Wire, key: str | None, bearer: bool) -> dict[str, str]:
    headers = {"accept": "application/json", "content-type": "application/json", "user-agent": "rpent"}
    if wire == "anthropic":
        headers["anthropic-version"] = "2023-06-01"
    if key and wire == "anthropic" and not bearer:
        headers["x-api-key"] = key
    elif key:
        headers["authorization"] = f"Bearer {key}"
    return headers


def _raise_for(answer: _Answer, facts: dict[str, str]) -> None:
    """Raise for what no other route would answer otherwise; a busy server is left to the run's retries."""
    fault = fault_of(answer.status, answer.body)
    if answer.status == 403 and _MAY_NOT_LIST.search(answer.body):
        return  # a key may be good for requests and not for the list
    if answer.status != 200 and fault in {"unreachable", "key", "credit"}:
        raise model_error(fault, detail=answer.body or f"HTTP {answer.status}", **facts)
    if 300 <= answer.status < 400:
        raise model_error("address", detail="it redirects elsewhere", **facts)


def _serves(names: list[str], model: str) -> bool:
    """Servers leave out a default tag (`:latest`), or list names with a prefix (`models/`)."""
    return any(name in {model, f"{model}:latest"} or name.endswith(f"/{model}") for name in names)


def _no_redirect() -> Any:
    import urllib.request  # noqa: PLC0415

    class NoRedirect(urllib.request.HTTPRedirectHandler):
        """A redirect would carry the key to another host."""

        def redirect_request(self, *_: Any) -> None:
            return None

    return NoRedirect()


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _why(error: BaseException, timeout_s: float) -> str:
    reason = getattr(error, "reason", error)
    if isinstance(reason, TimeoutError) or "timed out" in str(reason):
        return f"no answer within {timeout_s:g} s"
    return str(getattr(reason, "strerror", None) or reason) or type(error).__name__
