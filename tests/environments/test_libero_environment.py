"""LIBERO's environment, built from its lock and started, as a user does it."""

import json

import pytest
from rpent.cli import main


@pytest.mark.sim
@pytest.mark.timeout(1800)
def test_rpent_env_sync_libero(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("RPENT_CACHE_DIR", str(tmp_path))
    with pytest.raises(SystemExit) as caught:
        main(["env", "sync", "libero"])
    output = capsys.readouterr()
    assert caught.value.code == 0, output.err
    assert "Starting `libero/env` once" in output.err
    with pytest.raises(SystemExit):
        main(["env", "list", "--json"])
    rows = json.loads(capsys.readouterr().out)["environments"]
    assert {row["name"]: row["state"] for row in rows}["libero"] == "ready"
