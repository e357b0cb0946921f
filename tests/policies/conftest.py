import pytest
from rpent.services.supervisor import Supervisor


@pytest.fixture
def events():
    return []


@pytest.fixture
def supervisor(tmp_path, events):
    supervisor = Supervisor(logs_dir=tmp_path / "logs", on_event=events.append)
    yield supervisor
    supervisor.stop()
