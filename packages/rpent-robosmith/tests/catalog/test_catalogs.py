"""Every entry of the catalogs is really made and stepped."""

from __future__ import annotations

import importlib.util

import pytest
from rpent_robosmith.stages.inspect import inspect_environment
from rpent_robosmith.testing.catalog_contract import CatalogContract


class TestGymnasium(CatalogContract):
    path = "rpent_robosmith:catalog/data/gymnasium.yaml"

    def inspect(self, entry):
        lacking = [name for name in entry.needs.modules if importlib.util.find_spec(name) is None]
        if lacking:
            pytest.skip(f"it needs {', '.join(lacking)}")
        return super().inspect(entry)


@pytest.mark.models
class TestRobotics(CatalogContract):
    path = "rpent_robosmith:catalog/data/robotics.yaml"

    @pytest.fixture(autouse=True)
    def _with(self, robosmith_bench):
        self.bench = robosmith_bench

    def inspect(self, entry):
        facts, problem, _ = inspect_environment(entry, self.bench)
        return facts, problem


@pytest.mark.sim
class TestRobosuite(CatalogContract):
    path = "rpent_robosmith:catalog/data/robosuite.yaml"

    def inspect(self, entry):
        pytest.importorskip("robosuite")
        return super().inspect(entry)
