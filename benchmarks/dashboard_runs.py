"""Synthetic run directories for the dashboard: finished ones of any length, and ones that grow at a given rate.

They hold what a long exploring run of an LLM planner holds: turns, text, thinking, tool calls with data, pictures of
two cameras, frames of calls under way, depth, usage, attempts, a crash with its recovery, messages of the user.

Try one by hand:

    python benchmarks/dashboard_runs.py /tmp/runs --events 10000
    python benchmarks/dashboard_runs.py /tmp/runs --rate 50 --seconds 600
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import random
import time
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

if TYPE_CHECKING:
    from collections.abc import Iterator

START = 1_790_000_000.0
"""When runs begin that are written at once, in seconds since the epoch."""
SIZE = 256
PICTURES = 24
"""Different pictures of each camera; a long run uses them again and again."""
WORDS = (
    "the",
    "bottle",
    "is",
    "left",
    "of",
    "basket",
    "so",
    "I",
    "move",
    "above",
    "it",
    "and",
    "close",
    "gripper",
    "slowly",
)
TOOLS = ("grasp", "place", "move_to", "segment", "observe", "push")


class SyntheticRun:
    """Writes one run directory, event by event.

    Args:
        path: The run directory, which must not exist.
        seed: Of everything that is drawn by lot.
        now: Whether events carry the time at which they are written, as in a run under way.
    """

    def __init__(self, path: Path, *, seed: int = 0, now: bool = False) -> None:
        self.path = path
        self.seq = self.step = self.env_steps = self.turn = self.call = 0
        self.time = time.time() if now else START
        self._now = now
        self._random = random.Random(seed)
        self._stored: dict[str, dict[str, Any]] = {}
        self._jpegs = {camera: [_jpeg(camera, index) for index in range(PICTURES)] for camera in CAMERAS}
        self._depth = _depth_png()
        self._written = 0
        (path / "steps").mkdir(parents=True)
        (path / "logs").mkdir()
        (path / "logs" / "env.log").write_text(
            "".join(f"line {index} of the simulator's log\n" for index in range(300))
        )
        self._write_manifest(None)
        self._events = (path / "events.jsonl").open("wb", buffering=0)
        self._waiting: deque[dict[str, Any]] = deque()
        self._script = self._story()

    def next_event(self) -> dict[str, Any]:
        """Write the next event, and the pictures that it names; returns it."""
        while not self._waiting:
            self._waiting.extend(next(self._script))
        return self._write(self._waiting.popleft())

    def finish(self, *, success: bool = True) -> None:
        """End the run."""
        outcome = {
            "benchmark_success": success,
            "planner_status": "success" if success else "failure",
            "reason": "finished",
            "detail": "The bottle is in the basket.",
        }
        for event in self._waiting:
            self._write(event)
        self._write(
            {
                "type": "session_ended",
                "reason": "finished",
                "planner_status": outcome["planner_status"],
                "detail": outcome["detail"],
            }
        )
        self._write(
            {
                "type": "stage",
                "stage": "session",
                "status": "done",
                "elapsed_s": self.time - START,
                "detail": "",
            }
        )
        self._write({"type": "run_ended", "outcome": outcome})
        self._events.close()
        self._write_manifest(outcome)

    def close(self) -> None:
        """Leave the run as it is, as a kill would."""
        self._events.close()

    def _write(self, event: dict[str, Any]) -> dict[str, Any]:
        self.time = time.time() if self._now else self.time + 0.05
        whole = {"seq": self.seq, "time": round(self.time, 3), **event}
        self._events.write(json.dumps(whole, ensure_ascii=False).encode() + b"\n")
        self.seq += 1
        return whole

    def _story(self) -> Iterator[list[dict[str, Any]]]:
        instruction = "Pick the salad dressing and place it in the basket"
        yield [
            {
                "type": "run_started",
                "robot": "libero",
                "planner": "api",
                "instruction": instruction,
                "tag": self.path.name,
                "seed": 0,
            },
            {"type": "stage", "stage": "services", "status": "started", "elapsed_s": None, "detail": ""},
            {"type": "service", "service": "env", "state": "starting", "detail": ""},
            {"type": "service", "service": "env", "state": "ready", "detail": "", "elapsed_s": 3.4},
            {"type": "stage", "stage": "services", "status": "done", "elapsed_s": 3.4, "detail": ""},
            {"type": "prompts", "system": " ".join(WORDS) * 40, "user": instruction},
            {"type": "stage", "stage": "session", "status": "started", "elapsed_s": None, "detail": ""},
        ]
        yield [self._opening(), {"type": "attempt_started", "attempt": 1, "step": 0}]
        while True:
            self.turn += 1
            yield [
                {"type": "turn", "turn": self.turn},
                {"type": "thinking", "turn": self.turn, "text": self._say(60)},
                {
                    "type": "text",
                    "turn": self.turn,
                    "text": f"**Turn {self.turn}**: {self._say(20)}\n\n- `grasp` it\n- lift it",
                },
                self._usage(),
            ]
            for _ in range(2):
                yield from self._one_call()
            if self.turn % 40 == 0:
                yield self._rare()

    def _opening(self) -> dict[str, Any]:
        return {"type": "step", "step": 0, "env_steps": 0, "state": self._state(), **self._captured()}

    def _one_call(self) -> Iterator[list[dict[str, Any]]]:
        self.call += 1
        call_id, name = f"call_{self.call:06d}", self._random.choice(TOOLS)
        readonly = name in {"segment", "observe"}
        arguments = {"target": "salad dressing", "segment_id": f"s{self.call}.0", "attempt": self.call % 3}
        yield [
            {
                "type": "tool_called",
                "turn": self.turn,
                "call_id": call_id,
                "name": name,
                "arguments": arguments,
                "readonly": readonly,
                "origin": "planner",
            }
        ]
        if not readonly:
            for index in range(2):
                path = f"clips/{call_id}/{index:04d}.jpg"
                yield [{"type": "frame", "call_id": call_id, "image": self._picture("agentview", path)}]
        yield [self._returned(call_id, name, readonly)]

    def _returned(self, call_id: str, name: str, readonly: bool) -> dict[str, Any]:
        lot = self._random.random()
        ok = lot > 0.04
        data: dict[str, Any] = {
            "ok": lot > 0.12,
            "position": [round(self._random.random(), 4) for _ in range(3)],
            "observation": self._state(),
            "candidates": [self._candidate() for _ in range(3)],
        }
        if not ok:
            data = {
                "error": "The motion ended early: blocked, 0.007 m short.",
                "hint": "Try another approach.",
            }
        captured: dict[str, Any] = {"images": [], "views": [], "depth": [], "step": None}
        if not readonly:
            self.step += 1
            self.env_steps += self._random.randrange(20, 90)
            captured = {**self._captured(), "step": self.step}
        return {
            "type": "tool_returned",
            "call_id": call_id,
            "name": name,
            "ok": ok,
            "data": data,
            "text": json.dumps(data),
            **captured,
            "env_steps": self.env_steps,
            "elapsed_s": 0.0 if readonly else round(0.2 + 2 * lot, 3),
            "cancelled": False,
            "executed": True,
            "recipe": not readonly,
            "origin": "planner",
            "video_s": None,
        }

    def _captured(self) -> dict[str, Any]:
        folder = f"steps/{self.step:04d}"
        captured = {
            "images": [self._picture("agentview", f"{folder}/agentview.jpg")],
            "views": [self._picture("wrist", f"{folder}/wrist.jpg")],
            "depth": ["agentview"],
        }
        (self.path / folder / "depth_agentview.png").write_bytes(self._depth)
        return captured

    def _picture(self, camera: str, path: str) -> dict[str, Any]:
        self._written += 1
        data = self._jpegs[camera][self._written % PICTURES]
        target = self.path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        return {
            "name": camera,
            "caption": f"{camera}, {SIZE}×{SIZE}, after control step {self.env_steps}",
            "media_type": "image/jpeg",
            "width": SIZE,
            "height": SIZE,
            "path": path,
            "sha256": hashlib.sha256(data).hexdigest(),
        }

    def _rare(self) -> list[dict[str, Any]]:
        attempt = self.turn // 40
        return [
            {
                "type": "user_message",
                "text": "Please be careful with the glass.",
                "origin": "user",
                "interrupt": False,
            },
            {"type": "messages_delivered", "count": 1},
            {"type": "service", "service": "env", "state": "crashed", "detail": "signal 9"},
            {"type": "service", "service": "env", "state": "ready", "detail": "", "elapsed_s": 2.0},
            {"type": "recovered", "service": "env", "step": self.step, "detail": ""},
            {
                "type": "attempt_ended",
                "attempt": attempt,
                "benchmark_success": False,
                "status": "stuck",
                "lesson": self._say(15),
                "env_steps": self.env_steps,
            },
            {"type": "attempt_started", "attempt": attempt + 1, "step": self.step},
        ]

    def _usage(self) -> dict[str, Any]:
        return {
            "type": "usage",
            "input_tokens": 2000 + self.turn,
            "output_tokens": 180,
            "cache_read_tokens": 1500,
            "cache_write_tokens": 0,
            "reasoning_tokens": 60,
            "requests": 1,
            "cost_usd": 0.0021,
            "model": "local/synthetic",
        }

    def _state(self) -> dict[str, Any]:
        return {
            "step": self.env_steps,
            "eef_position": [0.1, 0.0, 0.26],
            "gripper_opening_m": 0.0775,
            "holding": None,
        }

    def _candidate(self) -> dict[str, Any]:
        return {
            "id": f"s{self.call}.0",
            "label": "basket",
            "score": 0.98,
            "box": [105, 177, 162, 236],
            "points": 3045,
        }

    def _say(self, words: int) -> str:
        return " ".join(self._random.choice(WORDS) for _ in range(words))

    def _write_manifest(self, outcome: dict[str, Any] | None) -> None:
        part = {"name": "libero", "distribution": "rpent-robot-libero", "version": "0.1.0", "config": {}}
        manifest: dict[str, Any] = {
            "format": 1,
            "rpent": "0.1.0",
            "created": START,
            "robot": part,
            "planner": {**part, "name": "api"},
            "perceptor": None,
            "policy": None,
            "task": {
                "instruction": "Pick the salad dressing and place it in the basket",
                "tag": self.path.name,
                "seed": 0,
                "suite": "synthetic",
                "task": 0,
            },
            "request": {
                "limits": {
                    "max_turns": 5000,
                    "max_tool_calls": 10000,
                    "token_limit": None,
                    "max_env_steps": None,
                    "time_limit_s": 3600.0,
                    "cost_limit_usd": 20.0,
                }
            },
            "versions": {"python": "3.11", "packages": {}},
        }
        if outcome is not None:
            manifest |= {"outcome": outcome, "finished": self.time, "duration_s": self.time - START}
        (self.path / "run.json").write_text(json.dumps(manifest))


CAMERAS = ("agentview", "wrist")


def write_run(path: Path, events: int, *, seed: int = 0, finished: bool = True) -> Path:
    """Write a run of about so many events at once; returns its directory."""
    run = SyntheticRun(path, seed=seed)
    while run.seq < events - 3:
        run.next_event()
    if finished:
        run.finish()
    else:
        run.close()
    return path


def grow_run(path: Path, *, rate: float, seconds: float, seed: int = 0) -> Iterator[dict[str, Any]]:
    """Write a run at `rate` events a second; yields each event right after it was written, then ends the run."""
    run = SyntheticRun(path, seed=seed, now=True)
    started = time.monotonic()
    for index in range(int(rate * seconds)):
        pause = started + index / rate - time.monotonic()
        if pause > 0:
            time.sleep(pause)
        yield run.next_event()
    run.finish()


def _jpeg(camera: str, index: int) -> bytes:
    rows, columns = np.mgrid[0:SIZE, 0:SIZE]
    pixels = np.stack([rows, columns, np.full_like(rows, 90 if camera == "wrist" else 180)], axis=-1).astype(
        np.uint8
    )
    left = 10 + index * 8
    pixels[100:150, left : left + 40] = (220, 60, 40)
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "JPEG", quality=85)
    return buffer.getvalue()


def _depth_png() -> bytes:
    millimetres = np.linspace(400, 1800, SIZE * SIZE).reshape(SIZE, SIZE).astype(np.uint16)
    buffer = io.BytesIO()
    Image.fromarray(millimetres).save(buffer, "PNG", compress_level=1)
    return buffer.getvalue()


def main() -> None:
    """Write one run as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("output_dir", type=Path)
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument(
        "--rate", type=float, default=0.0, help="events a second; 0 writes a finished run at once"
    )
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    path = options.output_dir / f"synthetic_{time.strftime('%Y%m%d-%H%M%S')}"
    if options.rate:
        for _ in grow_run(path, rate=options.rate, seconds=options.seconds):
            pass
    else:
        write_run(path, options.events)
    print(path)


if __name__ == "__main__":
    main()
