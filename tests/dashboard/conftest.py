"""The fixtures of the dashboard's own tests (Chromium, pictures of pages), for those that cross distributions."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

HOME = Path(__file__).parents[2] / "packages/rpent-dashboard/tests/conftest.py"
_spec = importlib.util.spec_from_file_location("rpent_dashboard_fixtures", HOME)
assert _spec is not None
assert _spec.loader is not None
_fixtures = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = _fixtures
_spec.loader.exec_module(_fixtures)

browser = _fixtures.browser
new_page = _fixtures.new_page
screenshot = _fixtures.screenshot
