"""Tests that need torch and Stable-Baselines3, in their environment."""

from __future__ import annotations

from pathlib import Path

import pytest
from rpent.testing.environments import run_tests

INSIDE = Path(__file__).parent / "inside"


@pytest.mark.models
@pytest.mark.parametrize("name", ["fidelity", "sb3_contract", "contrib_contract", "bc_contract", "exporting"])
def test_inside(name: str, tmp_path: Path) -> None:
    run_tests("robosmith", INSIDE / f"{name}.py", tmp_path, distribution="rpent-robosmith")


@pytest.mark.models
def test_inside_lerobot(tmp_path: Path) -> None:
    run_tests(
        "lerobot",
        INSIDE / "act_contract.py",
        tmp_path,
        distribution="rpent-robosmith",
        sharing=("rpent-torch",),
    )
