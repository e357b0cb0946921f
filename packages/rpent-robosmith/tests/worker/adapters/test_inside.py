"""The env adapters that need the environment `robosmith`, through the contract there."""

from __future__ import annotations

from pathlib import Path

import pytest
from rpent.testing.environments import run_tests


@pytest.mark.models
@pytest.mark.timeout(600)
def test_the_adapters_of_the_managed_environment_keep_the_contract(tmp_path):
    run_tests(
        "robosmith",
        Path(__file__).parent / "inside" / "contract.py",
        tmp_path,
        distribution="rpent-robosmith",
    )
