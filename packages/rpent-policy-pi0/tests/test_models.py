"""The real PI0 with random weights; the tests themselves are in `inside/` and run where transformers is."""

from __future__ import annotations

from pathlib import Path

import pytest
from rpent.testing.environments import run_tests

INSIDE = Path(__file__).parent / "inside"


@pytest.mark.models
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", ["contract", "guards"])
def test_inside_an_environment_with_transformers(name, tmp_path):
    run_tests("transformers", INSIDE / f"{name}.py", tmp_path, distribution="rpent-policy-pi0")
