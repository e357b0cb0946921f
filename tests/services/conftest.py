import os
import signal
import sys
from pathlib import Path

import pytest
from rpent.services.supervisor import Supervisor

HERE = Path(__file__).parent
sys.path.append(str(HERE))


@pytest.fixture(autouse=True)
def importable_service(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(HERE))


@pytest.fixture
def events():
    return []


@pytest.fixture
def supervisor(tmp_path, events):
    supervisor = Supervisor(logs_dir=tmp_path / "logs", on_event=events.append)
    yield supervisor
    supervisor.stop()


@pytest.fixture
def kill():
    return lambda pid: os.kill(pid, signal.SIGKILL)
