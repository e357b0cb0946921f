"""Jobs for the tests of the bench; imported in worker processes."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from rpent.errors import UsageError


def echo(params: dict[str, Any], context: Any) -> dict[str, Any]:
    context.tell("progress", steps=3, picture=np.arange(600_000, dtype=np.float32))
    return {"params": params, "cwd": str(Path.cwd()), "pid": os.getpid()}


def chatter(params: dict[str, Any], context: Any) -> dict[str, Any]:
    for number in range(2_000):
        print("a line of a library", number, flush=True)
        os.write(1, b"\x00RPF1 straight to the descriptor\n")
        subprocess.run(["/bin/echo", "from a child"], check=True) if number % 500 == 0 else None
        ctypes.CDLL(None).puts(b"from C") if number % 100 == 0 else None
        context.tell("progress", steps=number)
    sys.stderr.write("\x1b[31mthe last words\n")
    if params.get("fail"):
        raise RuntimeError("at the end")
    return {"lines": 2_000}


def fail(params: dict[str, Any], context: Any) -> dict[str, Any]:
    if params["how"] == "usage":
        raise UsageError("The hyperparameter `x` is unknown.", hint="Leave it out.")
    raise ValueError("no number \x1b[2J here")


def end(params: dict[str, Any], context: Any) -> dict[str, Any]:
    context.tell("progress", steps=1)
    if "signal" in params:
        os.kill(os.getpid(), params["signal"])
    os._exit(params["code"])


def hang(params: dict[str, Any], context: Any) -> dict[str, Any]:
    child = -1 if params.get("sealed") else subprocess.Popen(["/bin/sleep", "600"]).pid
    context.seal() if params.get("sealed") else None
    context.tell("pids", worker=os.getpid(), child=child)
    sum(range(10**15)) if params.get("busy") else None
    while True:
        if params.get("talks"):
            context.tell("progress", steps=0)
        if params.get("stops") and context.stopping():
            return {"stopped": True}
        time.sleep(0.05)


def mute(params: dict[str, Any], context: Any) -> dict[str, Any]:
    os.close(1)
    os.close(2)
    before = time.monotonic()
    context.tell("progress", steps=1)
    while time.monotonic() < before + 1:
        context.tell("progress", steps=2)
        time.sleep(0.01)
    return {"size": len(params["large"])}


def eat(params: dict[str, Any], context: Any) -> dict[str, Any]:
    eaten = []
    while True:
        eaten.append(np.ones(2**20))
        context.tell("progress", steps=len(eaten))


def garble(params: dict[str, Any], context: Any) -> dict[str, Any]:
    os.write(context._messages, params["bytes"])
    time.sleep(60)
    return {}


def answer(params: dict[str, Any], context: Any) -> Any:
    return {"thing": object()} if params["what"] == "object" else 3
