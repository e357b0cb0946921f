"""Python warnings of pydantic-ai (an option that a model does not take) as notices of the run."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpent.session.session import Session

_PACKAGES = {"pydantic_ai", "pydantic_ai_harness"}


@contextmanager
def warnings_as_notices(session: Session) -> Iterator[None]:
    """Record each of them once; warnings of others go where they went."""
    seen: set[str] = set()
    with warnings.catch_warnings():
        shown = warnings.showwarning

        def record(
            message: Warning | str, category: type[Warning], filename: str, *rest: Any, **more: Any
        ) -> None:
            if _PACKAGES.isdisjoint(Path(filename).parts):
                shown(message, category, filename, *rest, **more)
            elif str(message) not in seen:
                seen.add(str(message))
                session.notice(str(message), level="warning")

        warnings.showwarning = record
        yield
