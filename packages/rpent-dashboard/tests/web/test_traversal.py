"""Paths in addresses, and links in run directories that others made: nothing outside of a run is read."""

from __future__ import annotations

import hashlib
import io
import json
import re
import socket
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from rpent.runs.pictures import encode_depth

SECRET = b"the-content-of-a-file-that-is-none-of-the-dashboard's"
HOSTILE = [
    "..",
    ".",
    "%2e%2e",
    "%2e%2e%2f",
    "..%2f..%2fsecret",
    "%2e%2e%2f%2e%2e%2fsecret",
    "..%5c..%5csecret",
    "%252e%252e%252fsecret",
    "%c0%ae%c0%ae%c0%afsecret",
    "~..",
    "..~..",
    "~..~..~secret",
    "one~..",
    "one~..~..",
    "..~one",
    "~one",
    "one~",
    "one~one~one",
    "~",
    "~root",
    "%2fetc%2fpasswd",
    "/etc/passwd",
    "file:%2f%2f%2fetc%2fpasswd",
    "one%2f..%2f..%2fsecret",
    "one%00",
    "one%0a",
    "one%0d%0aX-Injected:%20yes",
    "one.json%00.png",
    "secret",
    "secret.png",
    "outside",
    "escaped",
    "escaped~inner",
    "CON",
    "%ff%fe",
    "%E2%80%A6%2f",
    "{}",
    "%7B0.__class__%7D",
    "-1",
    "99999999999999999999999999",
    "1e9",
    "NaN",
    "x" * 3000,
]
"""Values for each part of an address that a browser chooses."""
PARTS = {
    "key": "one",
    "sha256": "-",
    "path": "steps/0001/agentview.png",
    "step": "1",
    "camera": "agentview",
    "name": "events.jsonl",
    "service": "env",
    "offset": "0",
    "task_id": "one",
}
ADDRESSES = [
    "/api/runs/{key}",
    "/api/runs/{key}/stream",
    "/api/runs/{key}/events/{offset}",
    "/api/runs/{key}/files/{name}",
    "/api/runs/{key}/pictures/{sha256}/{path}",
    "/api/runs/{key}/depth/{step}/{camera}",
    "/api/runs/{key}/logs/{service}/stream",
    "/static/{path}",
]
_PARAMETER = re.compile(r"{(\w+)(?::\w+)?}")


def png(text: bytes = b"") -> bytes:
    """A picture that carries a text."""
    data = io.BytesIO()
    Image.new("RGB", (4, 4)).save(data, "PNG")
    return data.getvalue() + text


def write_run(run: Path) -> None:
    """A run, as far as these tests look at it."""
    (run / "steps" / "0001").mkdir(parents=True)
    (run / "logs").mkdir()
    (run / "run.json").write_text(json.dumps({"version": 1, "outcome": {"reason": "finished"}}))
    (run / "events.jsonl").write_text('{"type": "run_started"}\n')
    (run / "recipe.jsonl").write_text("{}\n")
    (run / "logs" / "env.log").write_text("ready\n")
    (run / "steps" / "0001" / "agentview.png").write_bytes(png())
    (run / "steps" / "0001" / "depth_agentview.png").write_bytes(encode_depth(np.ones((4, 4), np.float32)))


@pytest.fixture
def served(sabotage, serve_with, tmp_path):
    """A dashboard over one run, with things beside it that are secret."""
    outside = tmp_path / "outside"
    write_run(outside)
    for file in [*outside.rglob("*"), tmp_path / "secret"]:
        if not file.is_dir():
            file.write_bytes(SECRET)
    (tmp_path / "secret.png").write_bytes(png(SECRET))
    (outside / "steps" / "0001" / "agentview.png").write_bytes(png(SECRET))
    output_dir = tmp_path / "runs"
    write_run(output_dir / "one")
    (output_dir / "secret.png").write_bytes(png(SECRET))
    (output_dir / "escaped").symlink_to(outside)
    return serve_with(output_dir=output_dir)


def beginning(connection: socket.socket, wanted: int = 1 << 16) -> bytes:
    """Read what comes within a moment: streams of a run that goes on do not end."""
    data = b""
    connection.settimeout(1)
    try:
        while len(data) < wanted and (chunk := connection.recv(65536)):
            data += chunk
    except TimeoutError:
        pass
    return data


@pytest.fixture
def ask(served, connect):
    """Ask for an address as it is written, and return what comes."""

    def get(address: str, method: str = "GET") -> bytes:
        lines = [
            f"{method} {address} HTTP/1.1",
            f"Host: 127.0.0.1:{served.port}",
            f"Cookie: {served.cookie}",
            f"X-RPent-CSRF: {served.csrf}",
            "Connection: close",
        ]
        with connect() as connection:
            connection.sendall("\r\n".join([*lines, "", ""]).encode())
            return beginning(connection)

    return get


def status(answer: bytes) -> int:
    """The status of an answer."""
    return int(answer.split(b" ", 2)[1])


def test_the_addresses_are_those_of_the_application(served):
    """A route that takes part of its path from the browser must be tried here."""
    taken = {
        _PARAMETER.sub(r"{\1}", path)
        for path in paths(served.dashboard._uvicorn.config.app.routes)
        if "{" in path
    }
    assert taken - {"/api/session/tasks/{task_id}"} <= set(ADDRESSES)
    assert "/api/runs/{key}" in taken


def paths(routes, prefix=""):
    """Every path of an application, of routers in it as well."""
    for route in routes:
        inner = getattr(route, "original_router", None) or getattr(route, "routes", None)
        context = getattr(route, "include_context", None)
        here = prefix + (getattr(context, "prefix", "") or "")
        if inner is not None and not hasattr(route, "endpoint"):
            yield from paths(getattr(inner, "routes", inner), here)
        elif hasattr(route, "path"):
            yield here + route.path


@pytest.mark.parametrize("address", ADDRESSES)
def test_the_right_address_is_answered(ask, address):
    answer = ask(address.format(**{**PARTS, "path": "js/main.js"} if "static" in address else PARTS))
    assert status(answer) == 200
    if "events" in address or address.endswith("{key}/stream") or "files" in address:
        assert b"run_started" in answer
    if "logs" in address:
        assert b"ready" in answer


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_part_of_an_address_leads_out_of_the_runs(ask, address):
    for name in _PARAMETER.findall(address):
        for value in HOSTILE:
            answer = ask(address.format(**{**PARTS, name: value}))
            assert SECRET not in answer, (name, value)
            assert b"root:" not in answer, (name, value)
            assert b"X-Injected: yes" not in answer, (name, value)
            assert status(answer) < 500, (name, value, answer)


@pytest.mark.parametrize(
    "name",
    [
        "events.jsonl",
        "run.json",
        "recipe.jsonl",
        "logs/env.log",
        "steps/0001/agentview.png",
        "steps/0001/depth_agentview.png",
        "episode.mp4",
    ],
)
def test_a_link_to_a_file_outside_is_not_followed(ask, served, tmp_path, name):
    file = served.output_dir / "one" / name
    file.unlink(missing_ok=True)
    file.symlink_to(tmp_path / ("secret.png" if name.endswith(".png") else "secret"))
    for address in ADDRESSES:
        for chosen in ("events.jsonl", "run.json", "recipe.jsonl", "episode.mp4"):
            assert SECRET not in ask(address.format(**{**PARTS, "name": chosen})), address
    assert SECRET not in ask("/api/runs")


@pytest.mark.parametrize("name", ["steps", "steps/0001", "logs"])
def test_a_link_to_a_folder_outside_is_not_followed(ask, served, tmp_path, name):
    folder = served.output_dir / "one" / name
    folder.rename(tmp_path / "moved")
    folder.symlink_to(tmp_path / "outside" / name)
    for address in ADDRESSES:
        assert SECRET not in ask(address.format(**PARTS)), address


@pytest.mark.parametrize("hash_of", [SECRET, png(SECRET)])
def test_the_hash_of_a_file_elsewhere_does_not_give_it(ask, hash_of):
    digest = hashlib.sha256(hash_of).hexdigest()
    for path in (
        "../../secret.png",
        "..%2f..%2fsecret.png",
        "steps/../../secret.png",
        "steps/0001/../../../secret.png",
    ):
        answer = ask(f"/api/runs/one/pictures/{digest}/{path}")
        assert SECRET not in answer
        assert status(answer) in {400, 404, 422}


def test_a_picture_with_another_hash_is_not_there(ask):
    digest = hashlib.sha256(b"other").hexdigest()
    assert status(ask(f"/api/runs/one/pictures/{digest}/steps/0001/agentview.png")) == 404


@pytest.mark.parametrize(
    "content", [b"<script>alert(1)</script>", b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"]
)
def test_what_is_called_a_picture_and_is_a_page_is_not_sent(ask, served, content):
    (served.output_dir / "one" / "steps" / "0001" / "agentview.png").write_bytes(content)
    answer = ask("/api/runs/one/pictures/-/steps/0001/agentview.png")
    assert status(answer) == 404
    assert content not in answer


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "PROPFIND"])
def test_other_methods_read_nothing(ask, method):
    for address in ADDRESSES[:-1]:
        answer = ask(address.format(**PARTS), method)
        assert status(answer) in {400, 405}, address
        assert b"run_started" not in answer
