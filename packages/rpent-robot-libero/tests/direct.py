"""A channel that calls a facade's handlers directly, on the calling thread, without a codec."""

from __future__ import annotations

from typing import Any

from rpent.cancel import CancelToken
from rpent.rpc.facade import CallContext, Facade


class DirectChannel:
    def __init__(self, facade: Facade) -> None:
        self.facade = facade
        self.info = facade

    def call(self, method: str, /, *, timeout_s=None, cancel=None, on_progress=None, **params: Any) -> Any:
        context = CallContext("test", cancel or CancelToken(), on_progress or (lambda _: None))
        return self.facade.methods[method].handler(context, **params)

    def close(self) -> None:
        self.facade.close()
