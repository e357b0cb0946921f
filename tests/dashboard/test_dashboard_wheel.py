"""The dashboard from its wheel: its page with every module, and a third party's robot in it."""

from __future__ import annotations

import re
import subprocess
import time
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.wheels


def modules_below(client: httpx.Client, address: str, seen: set[str]) -> None:
    """Fetch a module of the page and those that it imports."""
    if address in seen:
        return
    seen.add(address)
    answer = client.get(address)
    assert answer.status_code == 200, address
    for imported in re.findall(r"""(?:from|import)\s*\(?\s*["'](/static/[^"']+)["']""", answer.text):
        modules_below(client, imported, seen)


def test_a_third_partys_robot_in_the_installed_dashboard(fresh_environment):
    env = fresh_environment
    env.install("rpent-dashboard", "rpent-transport-zmq", ROOT / "tests" / "fixtures" / "rpent-robot-toy")
    log = env.folder / "dashboard.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [str(env.bin / "rpent"), "dashboard", "--port", "0"], cwd=env.folder, stdout=out, stderr=out
        )
    try:
        deadline = time.monotonic() + 60
        while not (found := re.search(r"http://\S+token=\S+", log.read_text())):
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)
        with httpx.Client(base_url=found.group().partition("?")[0], timeout=30, trust_env=False) as client:
            client.get(found.group())
            page = client.get("/").text
            seen: set[str] = set()
            for address in re.findall(r'(?:src|href)="(/static/[^"]+)"', page):
                modules_below(client, address, seen)
            assert len(seen) > 60
            launch = client.get("/api/launch").json()
            (toy,) = (robot for robot in launch["robots"] if robot["name"] == "toy")
            assert toy["problem"] in {None, ""}
            assert toy["dashboard"]["primitives"]
    finally:
        process.terminate()
        assert process.wait(20) == 0
