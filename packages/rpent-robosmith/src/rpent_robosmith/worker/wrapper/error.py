"""What a wrapper raises."""

from __future__ import annotations


class WrapperError(Exception):
    """The wrapper cannot do what it is asked: something has no counterpart, or has another shape than was inspected."""
