"""Fixtures for every test of the workspace."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

pytest_plugins = ["rpent.testing.plugin"]

CHROMIUM = Path(__file__).parent / "packages/rpent-dashboard/tests/chromium.py"


def pytest_configure(config: pytest.Config) -> None:
    """Offer Chromium to the tests of each folder; a plugin of its own, because it is no package's."""
    spec = importlib.util.spec_from_file_location("rpent_dashboard_chromium", CHROMIUM)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    config.pluginmanager.register(module, module.__name__)
