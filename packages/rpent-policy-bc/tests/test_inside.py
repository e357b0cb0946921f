"""What needs torch is in `inside/`, and runs where torch is."""

from __future__ import annotations

from pathlib import Path

import pytest
from rpent.testing.environments import run_tests

INSIDE = Path(__file__).parent / "inside"


@pytest.mark.models
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", ["contract", "learning"])
def test_inside_an_environment_with_torch(name, tmp_path):
    run_tests("torch", INSIDE / f"{name}.py", tmp_path, distribution="rpent-policy-bc")
