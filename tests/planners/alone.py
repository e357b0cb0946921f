"""Runs a planner where the only way out of the machine is watched: `unshare -n -m python -m tests.planners.alone CASE`.

Prints a JSON object: how the session ended, and whereto packets were sent. Needs root; no packet goes anywhere.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

from rpent.plugins import registry
from rpent.plugins.named import load_named
from rpent.session.limits import Limits
from rpent.session.session import SessionEndedError
from rpent.testing import fake_session
from rpent.testing.models import Call, ModelServer, Reply

from .cases import CASES, KEY
from .scenario import FINISH, LOOK

WAY_OUT = """
ip link set lo up
ip link add out type veth peer name watched
ip addr add 10.99.0.1/24 dev out
ip link set out up
ip link set watched up
ip neigh add 10.99.0.2 lladdr 02:00:00:00:00:01 dev out
ip route add default via 10.99.0.2
echo nameserver 10.98.0.53 > {names}
mount --bind {names} /etc/resolv.conf
"""
WANTED = [
    Call("WebFetch", {"url": "http://198.51.100.7/", "prompt": "x"}),
    Call("Bash", {"command": "curl http://198.51.100.7/"}),
    Call("exec_command", {"cmd": "curl http://198.51.100.7/"}),
]
_IPV4 = b"\x08\x00"


def watch(found: list[str]) -> None:
    """Note the addresses of all IPv4 packets that leave."""
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)) as watched:
        watched.bind(("watched", 0))
        while packet := watched.recv(2048):
            if packet[12:14] == _IPV4:
                found.append(socket.inet_ntoa(packet[30:34]))


def seen_by(found: list[str], address: str) -> bool:
    """Send a packet and see whether it is noted."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.sendto(b"?", (address, 9))
    time.sleep(0.3)
    return address in found


def run(name: str, folder: Path) -> str:
    """Check the planner and run it; returns the claim of its `finish`."""
    case = next(case for case in CASES if case.id == name)
    spec = registry.get("planners", case.planner)

    with ModelServer([Reply(calls=[LOOK]), Reply(calls=WANTED), Reply(calls=[FINISH])], key=KEY) as server:
        config = load_named(spec.config, "the options")(**case.options(server))
        planner = load_named(spec.planner, "the planner")(config)
        planner.check(Limits())
        with fake_session(folder / "run") as session:
            with suppress(SessionEndedError):
                planner.run(session)
            assert server.problems == []
            return str(session.ended and session.ended.planner_status)


def main(name: str) -> None:
    """Run and print what was seen."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        way_out = WAY_OUT.format(names=folder / "resolv.conf")
        subprocess.run(["sh", "-ec", way_out], check=True)
        os.environ |= {"HOME": temporary, "OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY}
        found: list[str] = []
        threading.Thread(target=watch, args=(found,), daemon=True).start()
        status = run(name, folder)
        packets = list(found)
        print(json.dumps({"status": status, "packets": packets, "awake": seen_by(found, "192.0.2.9")}))


if __name__ == "__main__":
    main(sys.argv[1])
