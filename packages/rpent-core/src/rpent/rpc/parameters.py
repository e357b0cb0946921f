"""Which parameters a handler takes, read from its signature, so that a wrong call never reaches it."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rpent.errors import TransportError

if TYPE_CHECKING:
    from collections.abc import Callable

RESERVED = frozenset({"timeout_s", "cancel", "on_progress"})
"""Names that `Channel.call` keeps for itself."""


class ParameterError(TransportError):
    """A call with unknown or missing parameters."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of one method, apart from the call context."""

    accepted: tuple[str, ...]
    required: frozenset[str]
    open_ended: bool
    """Whether any further name is taken (`**extra`)."""

    @classmethod
    def of(cls, handler: Callable[..., Any]) -> Parameters:
        """Read a handler's signature; its first parameter is the call context.

        Raises:
            TypeError: It takes no call context, or a parameter has a reserved name.
        """
        parameters = list(inspect.signature(handler).parameters.values())
        if not parameters or parameters[0].kind not in {
            inspect.Parameter.POSITIONAL_ONLY,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            inspect.Parameter.VAR_POSITIONAL,
        }:
            raise TypeError(f"`{handler!r}` takes no call context as its first parameter.")
        named = [p for p in parameters[1:] if p.kind in {p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY}]
        reserved = RESERVED.intersection(p.name for p in named)
        if reserved:
            raise TypeError(f"`{sorted(reserved)[0]}` is a reserved parameter name of `Channel.call`.")
        return cls(
            accepted=tuple(p.name for p in named),
            required=frozenset(p.name for p in named if p.default is p.empty),
            open_ended=any(p.kind is p.VAR_KEYWORD for p in parameters),
        )

    def check(self, method: str, given: Any) -> None:
        """Refuse what the handler does not take.

        Raises:
            ParameterError: `given` is not a mapping of accepted names, or lacks a required one.
        """
        if not isinstance(given, dict) or not all(isinstance(name, str) for name in given):
            raise ParameterError(f"The parameters of `{method}` are not a mapping of names to values.")
        unknown = [] if self.open_ended else sorted(given.keys() - set(self.accepted))
        missing = sorted(self.required - given.keys())
        if not unknown and not missing:
            return
        faults = [f"has no parameter `{name[:80]}`" for name in unknown[:3]]
        faults += [f"needs the parameter `{name}`" for name in missing]
        accepted = ", ".join(f"`{name}`" for name in self.accepted) or "none"
        raise ParameterError(f"`{method}` {' and '.join(faults)}; its parameters are: {accepted}.")
