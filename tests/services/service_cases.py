"""What the tests of services share: requests for the counting service, and looking at processes."""

import time
from pathlib import Path

from rpent.services.request import ServiceRequest
from rpent.specs import ServiceSpec

HERE = Path(__file__).parent


def is_running(pid):
    """Whether the process exists and is not merely waiting to be reaped."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def wait_until(condition, timeout_s=20.0):
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "it did not come true in time"
        time.sleep(0.02)


def counter_request(name="counter", *, endpoint=None, token="", python=None, ready_timeout_s=60.0, **config):
    return ServiceRequest(
        spec=ServiceSpec(
            name=name,
            factory="counting_service:create",
            config="counting_service:CountingConfig",
            ready_timeout_s=ready_timeout_s,
        ),
        config=config,
        endpoint=endpoint,
        token=token,
        python=python,
        identity="test/counter",
        version="1.2.0",
        schema=1,
    )
