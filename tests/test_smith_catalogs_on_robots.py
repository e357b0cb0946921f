"""The environments of installed robots in RoboSmith's catalogs: really made and stepped through their env servers."""

from __future__ import annotations

import pytest
from rpent.testing.environments import python_for
from rpent_robosmith.stages.inspect import inspect_environment
from rpent_robosmith.testing.catalog_contract import CatalogContract
from rpent_robosmith.work.bench import ProcessBench
from rpent_robosmith.work.served import ServingBench


@pytest.fixture(scope="module")
def serving(tmp_path_factory):
    with ServingBench(ProcessBench(), logs=tmp_path_factory.mktemp("servers")) as bench:
        yield bench


class ServedCatalogContract(CatalogContract):
    @pytest.fixture(autouse=True)
    def _with(self, serving):
        self.bench = serving

    def inspect(self, entry):
        facts, problem, _ = inspect_environment(entry, self.bench)
        return facts, problem


@pytest.mark.sim
class TestLibero(ServedCatalogContract):
    path = "rpent_robosmith:catalog/data/libero.yaml"


@pytest.mark.sim
@pytest.mark.timeout(900)
class TestRobocasa(ServedCatalogContract):
    path = "rpent_robosmith:catalog/data/robocasa.yaml"

    @pytest.fixture(autouse=True)
    def _built(self):
        python_for("robocasa")
