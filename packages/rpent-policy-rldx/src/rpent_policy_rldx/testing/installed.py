"""What stands in for an environment with `rlinf-rldx` and for a checkpoint of 16 GB."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rpent_policy_rldx.testing.model import LIBERO, Checkpoint, FakeModel
from rpent_policy_rldx.testing.server import serve

if TYPE_CHECKING:
    from collections.abc import Sequence

_COMMAND = "from rpent_policy_rldx.testing.installed import main\n\nmain()\n"


def make_python(folder: Path, *, has_rldx: bool = True) -> Path:
    """Write an interpreter whose `rldx.eval.run_rldx_server` takes the real one's options and serves a `FakeModel`.

    Its environment variables make it fail: `FAKE_RLDX_FAILS=TEXT` while loading, `FAKE_RLDX_LOAD_S=SECONDS`.
    """
    if has_rldx:
        package = folder / "site" / "rldx" / "eval"
        package.mkdir(parents=True, exist_ok=True)
        (package.parent / "__init__.py").write_text("")
        (package / "__init__.py").write_text("")
        (package / "run_rldx_server.py").write_text(_COMMAND)
    python = folder / "python"
    folder.mkdir(parents=True, exist_ok=True)
    python.write_text(
        f"#!/bin/sh\nPYTHONPATH='{folder / 'site'}' exec '{sys.executable}' \"$@\"\n", encoding="utf-8"
    )
    python.chmod(0o755)
    return python


def make_checkpoint(
    folder: Path, checkpoint: Checkpoint = LIBERO, *, tag: str = "general_embodiment"
) -> Path:
    """Write the small files of an RLDX-1 checkpoint, without weights, and return the folder."""
    inner = folder / "processor"
    inner.mkdir(parents=True, exist_ok=True)
    modalities = {name: fields["as_json"] for name, fields in checkpoint.modalities().items()}
    statistics = {
        "state": {name: {"mean": [0.0] * length} for name, length in checkpoint.state.items()},
        "action": {name: {"mean": [0.0] * length} for name, length in checkpoint.action.items()},
    }
    for path, content in (
        (folder / "config.json", {"model_type": "RLDX-1"}),
        (inner / "processor_config.json", {"processor_kwargs": {"modality_configs": {tag: modalities}}}),
        (inner / "statistics.json", {tag: statistics}),
    ):
        path.write_text(json.dumps(content, indent=2), encoding="utf-8")
    return folder


def main(arguments: Sequence[str] | None = None) -> None:
    """Do what `python -m rldx.eval.run_rldx_server` does, in a second instead of minutes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--model-path", type=Path, required=True)
    parser.add_argument("--embodiment-tag", required=True)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=5555)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args(arguments)
    _say("Starting RLDX-1 inference server...")
    _say(f"  Embodiment tag: {options.embodiment_tag}")
    time.sleep(float(os.environ.get("FAKE_RLDX_LOAD_S", "0")))
    if reason := os.environ.get("FAKE_RLDX_FAILS"):
        raise RuntimeError(reason)
    serve(FakeModel(_read(options.model_path, options.embodiment_tag.lower())), options.host, options.port)


def _read(folder: Path, tag: str) -> Checkpoint:
    found = json.loads((folder / "processor" / "processor_config.json").read_text(encoding="utf-8"))
    modalities = found["processor_kwargs"]["modality_configs"][tag]
    statistics = json.loads((folder / "processor" / "statistics.json").read_text(encoding="utf-8"))[tag]

    def vectors(name: str) -> dict[str, Any]:
        return {key: len(statistics[name][key]["mean"]) for key in modalities[name]["modality_keys"]}

    return Checkpoint(
        video=tuple(modalities["video"]["modality_keys"]),
        state=vectors("state"),
        action=vectors("action"),
        video_deltas=tuple(modalities["video"]["delta_indices"]),
        horizon=len(modalities["action"]["delta_indices"]),
    )


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 (the server's log)
