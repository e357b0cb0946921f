"""A memory in a temporary folder."""

from __future__ import annotations

import pytest
from rpent.memory.store import Store


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "memory", "fake")
