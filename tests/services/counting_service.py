"""A small real service for the tests: it counts, waits, starts processes, and dies on request."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Literal

import rpent
from pydantic import BaseModel
from rpent.errors import ServiceError
from rpent.rpc import CallContext, Facade, Method

SLEEPER = "import time; print('asleep', flush=True); time.sleep(3600)"
FORKER = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    print(os.getpid(), flush=True)
    time.sleep(3600)
"""


class CountingConfig(BaseModel):
    start: int = 0
    fault: Literal["none", "raise", "expected", "exit", "hang"] = "none"
    delay_s: float = 0.0
    closed_file: str = ""
    child_file: str = ""
    loading: list[str] = []


class Counter:
    def __init__(self, config: CountingConfig) -> None:
        self.config = config
        self.value = config.start

    def count(self, call: CallContext, by: int = 1) -> int:
        self.value += by
        return self.value

    def pid(self, call: CallContext) -> int:
        return os.getpid()

    def wait(self, call: CallContext, seconds: float) -> str:
        end = time.monotonic() + seconds
        call.report({"waiting": seconds})
        while time.monotonic() < end:
            call.raise_if_cancelled()
            time.sleep(0.01)
        return "waited"

    def surroundings(self, call: CallContext) -> dict:
        return {
            "argv": sys.orig_argv,
            "environ": dict(os.environ),
            "rpent": rpent.__file__,
            "python": sys.executable,
        }

    def spawn(self, call: CallContext) -> int:
        return subprocess.Popen([sys.executable, "-c", SLEEPER]).pid

    def spawn_escaping(self, call: CallContext) -> int:
        """Start a process whose child leaves the session and is orphaned: a daemon in the old style."""
        with subprocess.Popen([sys.executable, "-c", FORKER], stdout=subprocess.PIPE, text=True) as process:
            return int(process.stdout.readline())

    def crash(self, call: CallContext) -> None:
        print("about to crash", file=sys.stderr, flush=True)
        os.abort()

    def close(self) -> None:
        if self.config.closed_file:
            Path(self.config.closed_file).write_text("closed")


def create(config: CountingConfig) -> Facade:
    print("creating the counter", flush=True)
    if config.child_file:
        Path(config.child_file).write_text(str(subprocess.Popen([sys.executable, "-c", SLEEPER]).pid))
    for stage in config.loading:
        print(f"loading: {stage}", flush=True)
    time.sleep(config.delay_s)
    if config.fault == "raise":
        raise RuntimeError("the counter is broken")
    if config.fault == "expected":
        raise ServiceError("No GL: neither EGL nor OSMesa works here.", hint="apt-get install libegl1")
    if config.fault == "exit":
        print("last words", file=sys.stderr, flush=True)
        os._exit(7)
    if config.fault == "hang":
        print("hanging now", flush=True)
        time.sleep(3600)
    counter = Counter(config)
    names = ("count", "wait", "spawn", "spawn_escaping", "crash", "surroundings")
    methods = {name: Method(handler=getattr(counter, name)) for name in names}
    methods["pid"] = Method(handler=counter.pid, concurrent=True)
    return Facade(
        name="test/counter",
        version="1.2.3",
        methods=methods,
        info={"start": config.start},
        close=counter.close,
    )
