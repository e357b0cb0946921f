"""Fixtures: a real dashboard over a real socket, a client of it, and its page in Chromium (`chromium.py`)."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from PIL import Image
from rpent_dashboard.config import DashboardConfig
from rpent_dashboard.web.serving import Dashboard


@dataclass(frozen=True)
class Served:
    """A dashboard that is up."""

    dashboard: Dashboard
    output_dir: Path
    client: httpx.Client
    """Logged in: it has the cookie, and the CSRF header for changes."""

    @property
    def url(self) -> str:
        """`http://127.0.0.1:PORT`, without a slash at its end."""
        return self.dashboard.url.rstrip("/")

    @property
    def token_url(self) -> str:
        """The address that opens it."""
        return self.dashboard.token_url

    @property
    def port(self) -> int:
        """Its port."""
        return int(self.url.rpartition(":")[2])

    @property
    def cookie(self) -> str:
        """The client's cookie, as in a `Cookie` header."""
        return "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.client.cookies.jar)

    @property
    def csrf(self) -> str:
        """The client's CSRF value."""
        return self.client.headers["X-RPent-CSRF"]


@pytest.fixture
def serve_with(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """Start dashboards: `serve_with(output_dir=..., hosted=HOST, host=..., token_file=..., allowed_host=[...])`."""
    started: list[Served] = []

    def start(*, output_dir: Path | None = None, hosted: Any = None, **config: Any) -> Served:
        folder = output_dir or tmp_path / "runs"
        folder.mkdir(parents=True, exist_ok=True)
        dashboard = Dashboard(
            DashboardConfig.model_validate({"port": 0, **config}), output_dir=folder, host=hosted
        )
        client = httpx.Client(base_url=dashboard.url, timeout=20, trust_env=False)
        served = Served(dashboard, folder, client)
        started.append(served)
        assert client.get(dashboard.token_url).status_code == 200
        client.headers["X-RPent-CSRF"] = client.get("/api/me").json()["csrf"]
        return served

    yield start
    for served in started:
        served.client.close()
        served.dashboard.stop()


@pytest.fixture
def serve(serve_with: Callable[..., Served]) -> Served:
    """A dashboard over an empty output directory, which watches runs and starts none."""
    return serve_with()


CREATED = 1_790_000_000.0


def jpeg(shade: int = 0) -> bytes:
    """Return a small picture."""
    buffer = io.BytesIO()
    Image.fromarray(np.full((8, 8, 3), shade, np.uint8)).save(buffer, "JPEG")
    return buffer.getvalue()


def manifest_of(**changes: Any) -> dict[str, Any]:
    """Return the run.json of a run that succeeded; None as a change leaves an entry out."""
    values = {
        "format": 1,
        "rpent": "0.1.0",
        "created": CREATED,
        "robot": {"name": "fake", "config": {}},
        "planner": {"name": "scripted", "config": {"model": "some/model"}},
        "policy": None,
        "task": {"instruction": "put the red cube on the pad", "tag": "fake_t0_s0", "seed": 0, "task": 0},
        "request": {"robot": "fake", "planner": "scripted"},
        "versions": {"python": "3.11", "packages": {"rpent-core": "0.1.0"}},
        "services": {},
        "usage": {"input_tokens": 10, "output_tokens": 5, "cost_usd": 0.25, "model": "some/model"},
        "counts": {"turns": 2, "tool_calls": 3, "env_steps": 40},
        "timings_s": {},
        "processes": [{"pid": 1, "started": CREATED, "finished": CREATED + 20}],
        "outcome": {
            "reason": "finished",
            "detail": "Done.",
            "benchmark_success": True,
            "planner_status": "success",
        },
        "finished": CREATED + 20,
        **changes,
    }
    return {name: value for name, value in values.items() if name not in changes or value is not None}


def events_of(run: Path, steps: int = 2) -> list[dict[str, Any]]:
    """Write pictures of some steps and return the events of a run with them."""
    events: list[dict[str, Any]] = [
        {
            "type": "run_started",
            "robot": "fake",
            "planner": "scripted",
            "instruction": "put the red cube on the pad",
            "tag": "fake_t0_s0",
            "seed": 0,
        }
    ]
    for step in range(steps):
        folder = run / f"steps/{step:04d}"
        folder.mkdir(parents=True, exist_ok=True)
        data = jpeg(step)
        (folder / "table.jpg").write_bytes(data)
        image = {
            "name": "table",
            "path": f"steps/{step:04d}/table.jpg",
            "sha256": hashlib.sha256(data).hexdigest(),
        }
        call = {"call_id": f"call_{step}", "name": "move_to"}
        events += [
            {"type": "tool_called", "turn": step, **call, "arguments": {"xyz": [0, 0, step]}},
            {
                "type": "tool_returned",
                **call,
                "ok": True,
                "data": {"ok": True},
                "text": '{"ok": true}',
                "images": [image],
                "step": step,
            },
        ]
    events.append({"type": "run_ended", "outcome": manifest_of()["outcome"]})
    return [{"seq": number, "time": CREATED + number, **event} for number, event in enumerate(events)]


@pytest.fixture
def make_run(tmp_path: Path) -> Callable[..., Path]:
    """Write a run directory: `make_run("name", manifest=..., events=[...], lines=b"...")`.

    `manifest`: changes of run.json (`{"outcome": None}`), its bytes, or None for no such file. `events`: what the log
    holds, one a line, or None for no such file; `lines`: bytes that follow them.
    """

    def make(
        name: str = "fake_t0_s0_scripted_20260922-120000",
        *,
        manifest: dict[str, Any] | bytes | None = {},  # noqa: B006  (never changed)
        events: list[dict[str, Any]] | str | None = "usual",
        lines: bytes = b"",
    ) -> Path:
        run = tmp_path / "runs" / name
        (run / "logs").mkdir(parents=True)
        (run / "steps").mkdir()
        written = events_of(run) if events == "usual" else events
        if written is not None:
            text = b"".join(json.dumps(event).encode() + b"\n" for event in written)
            (run / "events.jsonl").write_bytes(text + lines)
        if isinstance(manifest, dict):
            (run / "run.json").write_text(json.dumps(manifest_of(**manifest)))
        elif manifest is not None:
            (run / "run.json").write_bytes(manifest)
        return run

    return make


@pytest.fixture
def page(serve: Served, new_page: Callable[..., Any]) -> Any:
    """A page of `serve` in Chromium, logged in."""
    return new_page(serve)
