"""RoboCasa365 for RPent: a mobile manipulator in real kitchens."""

from __future__ import annotations

__version__ = "0.1.0"
