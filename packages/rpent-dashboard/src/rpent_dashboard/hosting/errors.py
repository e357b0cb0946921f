"""What the host refuses, by what the browser is told."""

from __future__ import annotations

from rpent.errors import RpentError, UsageError


class ConflictError(RpentError):
    """It cannot be done now: another session is open, nothing runs, a planner holds the robot."""


class NotFoundError(RpentError):
    """There is no task or session of that name."""


class FieldError(UsageError):
    """A value that is not accepted, and the field that it belongs to."""

    def __init__(self, message: str, *, hint: str | None = None, field: str = "") -> None:
        super().__init__(message, hint=hint)
        self.field = field
        """Path into what was sent, such as `values.task` or `planner_config.model`; empty where it is unknown."""

    def inside(self, prefix: str) -> FieldError:
        """Return the same error, about a field of `prefix`."""
        field = f"{prefix}.{self.field}" if self.field else prefix
        return FieldError(self.message, hint=self.hint, field=field)
