"""A policy and the dataset that was recorded with it are compatible, and the wrapper repeats what was recorded."""

from __future__ import annotations

import json
import sys

import pytest
from click.testing import CliRunner
from rpent.cli.root import main
from rpent_robosmith.catalog.load import find
from rpent_robosmith.facts import SpaceFacts

from ..artefacts import box, smith_policy  # noqa: TID252  (makers for all folders)

CARTPOLE = box((-4.8, -3.4e38, -0.42, -3.4e38), (4.8, 3.4e38, 0.42, 3.4e38))


@pytest.mark.parametrize("out", ["data", "data.hdf5"])
@pytest.mark.parametrize("name", ["pendulum", "cartpole"])
def test_a_policy_fits_its_own_data(name, out, tmp_path):
    spaces = (CARTPOLE, SpaceFacts(kind="discrete", dtype="int64", n=2)) if name == "cartpole" else ()
    rate = 50.0 if name == "cartpole" else 20.0
    policy = smith_policy(tmp_path / "p", *spaces, entry=find(name), rate=rate)
    python = ["--python", sys.executable]
    words = ["smith", "collect", str(policy), "--episodes", "2", "--out", str(tmp_path / out), *python]
    recorded = CliRunner().invoke(main, words)
    assert recorded.exit_code == 0, recorded.output
    words = ["smith", "integrate", str(policy), str(tmp_path / out), "--out", str(tmp_path / "out"), *python]
    result = CliRunner().invoke(main, [*words, "--json"])
    document = json.loads(result.stdout)
    assert (result.exit_code, document["outcome"]) == (0, "valid"), document["issues"]
    assert [issue for issue in document["issues"] if issue["severity"] != "info"] == []
    assert document["validation"]["recorded_error"] == pytest.approx([0.0], abs=1e-5)
